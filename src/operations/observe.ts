import type { Transaction } from '../database/database.ts'
import { RECURRENT_FROM } from '../domain/actor.ts'
import { appendActivity, isObserved } from '../store/activity.ts'
import { type ActorRow, findActor, findAnonymousActor, insertActor, observeActor } from '../store/actor.ts'
import { addToTotals, takeSequence } from '../store/head.ts'
import { countAnonymousActor, ensureOrigin, type OriginKeys, readAnonymousActors } from '../store/origin.ts'
import type { Context, Observed } from './operation.ts'

/** Anonymous actors per origin and day; further User-Agents share one record, so that they cannot fill the disk. */
const ANONYMOUS_ACTORS_MAX = 64
const HOUR = 3_600_000

/** Reads or searches of one actor, entry and hour, counted together. */
export type Observation = Observed & {
  actor: number | null
  origin: OriginKeys
  /** Digest of the User-Agent: with the origin it makes an anonymous actor. */
  userAgent: string
  requestId: string
  /** When it was first and last observed, in milliseconds. */
  at: number
  lastAt: number
  times: number
}

/** Keeps a batch of observations: an activity row for the first of each actor, action, entry and clock hour; counters for all. */
export async function recordObservations(
  tx: Transaction,
  context: Context,
  observations: readonly Observation[],
): Promise<void> {
  for (const observation of observations) {
    const origin = await ensureOrigin(tx, observation.origin)
    const actor =
      observation.actor === null
        ? await ensureAnonymous(tx, context, observation, origin.number)
        : await findActor(tx, observation.actor)
    if (actor === undefined) continue
    const { action, entry, at, times } = observation
    const hour = Math.floor(at / HOUR)
    if (!(await isObserved(tx, hour, actor.number, action, entry))) {
      const sequence = await takeSequence(tx)
      await appendActivity(tx, {
        sequence,
        actor: actor.number,
        origin: origin.number,
        action,
        entry,
        revision: observation.revision,
        subject: null,
        requestId: observation.requestId,
        metadata: observation.metadata,
        dataClass: actor.data_class,
        // Rows stand in the order of their sequence, so their times must too.
        at: context.at,
        hour,
      })
    }
    const observed = await observeActor(tx, actor.number, times, observation.lastAt)
    if (actor.data_class !== 'EXTERNAL') continue
    const now = observed?.observations ?? times
    await addToTotals(tx, {
      interactions: times,
      recurrent_actors: now >= RECURRENT_FROM && now - times < RECURRENT_FROM ? 1 : 0,
    })
  }
}

async function ensureAnonymous(
  tx: Transaction,
  context: Context,
  { origin, userAgent, at }: Observation,
  originNumber: number,
): Promise<ActorRow> {
  const own = `${origin.id}:${userAgent}`
  const known = await findAnonymousActor(tx, own)
  if (known !== undefined) return known
  const full = (await readAnonymousActors(tx, originNumber)) >= ANONYMOUS_ACTORS_MAX
  const anonymousKey = full ? `${origin.id}:shared` : own
  const shared = full ? await findAnonymousActor(tx, anonymousKey) : undefined
  if (shared !== undefined) return shared
  await countAnonymousActor(tx, originNumber)
  await addToTotals(tx, { observed_actors: 1 })
  return insertActor(tx, {
    id: context.newId(),
    actorType: 'UNKNOWN',
    declared: { name: null, model: null, provider: null },
    dataClass: 'EXTERNAL',
    tokenHash: null,
    anonymousKey,
    origin: originNumber,
    at,
  })
}
