import { LIMITS, OUTCOMES } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { ActorProfile } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { listContributions, toContribution } from '../activity/rows.ts'
import { countOutcomes } from '../evidence/outcome-rules.ts'
import { listOutcomes } from '../evidence/rows.ts'
import { nextQuery, type ReadOperation } from '../operation.ts'
import { isoTime, sequenceOf } from '../values.ts'
import { authorOf, findActorById } from './rows.ts'

/**
 * Reads the declarations of an actor, its contributions, and the outcomes of those. Throws ACTOR_NOT_FOUND. Names of a hidden actor are
 * blank; a quarantined actor has neither names nor contributions. Contributions to withdrawn entries are omitted, so a page can have fewer
 * rows than its limit.
 */
export const readActor: ReadOperation<'readActor'> = async ({ reader }, { params, query }) => {
  const actor = await findActorById(reader, params.id)
  if (actor === undefined) throw new Problem('ACTOR_NOT_FOUND')
  const quarantined = actor.quarantined === 1
  const limit = query.limit ?? LIMITS.pageDefault
  const [found, outcomes] = quarantined
    ? [[], []]
    : await Promise.all([
        listContributions(reader, actor.number, sequenceOf(query.before), limit + 1),
        listOutcomes(reader, actor.number, OUTCOMES + 1),
      ])
  const rows = found.slice(0, limit)
  const nextCursor = found.length > limit ? String(rows.at(-1)?.sequence) : null
  const body: ActorProfile = {
    ...authorOf(quarantined ? { ...actor, hidden: 1 } : actor),
    actorType: actor.actor_type,
    firstSeenAt: isoTime(actor.first_seen_at),
    outcomes: { ...countOutcomes(outcomes.slice(0, OUTCOMES)), complete: outcomes.length <= OUTCOMES },
    items: rows.filter(({ entry_id }) => entry_id !== null).map(toContribution),
    nextCursor,
    dataClass: actor.data_class,
    ...TRUST,
  }
  return { body, ...nextQuery(nextCursor) }
}
