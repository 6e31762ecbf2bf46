import type { Blame, Client, Entry, Revision } from '../../client/index.ts'
import { standingLine } from '../../memory/evidence/rules.ts'
import { isUuid } from '../../memory/values.ts'
import { argument, CommandError, EXIT, UsageError } from '../command.ts'
import { countOf, entryName, plural } from './flags.ts'
import { writeSignals } from './lock.ts'
import { actorName, createActorNames } from './names.ts'
import { type Output, type Span, stateStyle, styled } from './output.ts'
import type { Session } from './session.ts'

/** The maximum number of newest revisions in which numbers are looked up. */
const LOOKED_AT = 50
const FIRST_NUMBER = /^[1-9]\d{0,8}$/

/** A revision and its number from 1, if it is known. */
export type Numbered = { revision: Revision; number: number | undefined }

/** A revision as text in a sentence. */
export const revisionName = (id: string, number: number | undefined): string =>
  number === undefined ? `revision ${id}` : `revision ${number}`

/** The numbers of the newest revisions of an entry by their ids, as of the read of the entry. */
export async function revisionNumbers(client: Client, entry: Entry): Promise<ReadonlyMap<string, number>> {
  const { items } = await client.listRevisions(entry.id, { limit: LOOKED_AT })
  const latest = items.findIndex(({ id }) => id === entry.currentRevisionId)
  if (latest < 0) return new Map([[entry.currentRevisionId, entry.revisionCount]])
  return new Map(items.map(({ id }, index) => [id, entry.revisionCount + latest - index]))
}

/** The revision of an entry named by its id, by its number from 1, or as `latest`; `name` is the flag or argument. */
export async function revisionOf(client: Client, entry: Entry, given: string, name: string): Promise<Numbered> {
  if (given === 'latest') {
    return { revision: await client.readRevision(entry.id, entry.currentRevisionId), number: entry.revisionCount }
  }
  if (isUuid(given)) {
    const revision = await client.readRevision(entry.id, given)
    if (given === entry.currentRevisionId) return { revision, number: entry.revisionCount }
    return { revision, number: (await revisionNumbers(client, entry)).get(given) }
  }
  if (!FIRST_NUMBER.test(given)) {
    throw new UsageError(`${name} must be the id of a revision, its number from 1, or latest, not "${given}".`)
  }
  return { revision: await revisionAt(client, entry, Number(given)), number: Number(given) }
}

async function revisionAt(client: Client, entry: Entry, number: number): Promise<Revision> {
  for (let known = entry; ; ) {
    if (number > known.revisionCount) {
      const count = plural(known.revisionCount, 'revision')
      throw new CommandError(`${entry.slug} has ${count}, and none with number ${number}.`, EXIT.notFound)
    }
    const { items } = await client.listRevisions(entry.id, { limit: 1, before: String(known.revisionCount - number) })
    // Numbers count from the oldest revision, and the list from the newest. They agree only if no revision was added between the reads.
    const after = await client.readEntry(entry.id)
    if (after.revisionCount === known.revisionCount && items[0] !== undefined) return items[0]
    known = after
  }
}

const REVISIONS_MOST = 100_000
/** Lists the revisions of an entry, newest first, after the standing of its current text. */
export async function log({ invocation, client, out, json }: Session): Promise<void> {
  const { flags } = invocation
  const most = countOf('--limit', flags.limit ?? '20', REVISIONS_MOST)
  const slug = entryName(argument(invocation, 0))
  if (json) return jsonLines(out, client.all.listRevisions(slug, { limit: Math.min(50, most) }), most)
  const entry = await client.readEntry(slug)
  const names = createActorNames(client, [entry.actor])
  out.line(styled('bold', entry.title), '  ', styled('cyan', entry.slug))
  out.line('  ', styled(stateStyle(entry.standing.state), standingLine(entry.standing)))
  // The numbers are those of the entry as it was read. Later revisions are omitted.
  let number = entry.revisionCount
  let begun = false
  for await (const revision of client.all.listRevisions(entry.id, { limit: Math.min(50, most) })) {
    begun ||= revision.id === entry.currentRevisionId
    if (!begun) continue
    await names.find([revision.actorId])
    revisionLines(out, revision, number, names.of(revision.actorId))
    number -= 1
    await out.taken()
    if (number === entry.revisionCount - most) break
  }
  if (number > 0) out.note(`${plural(number, 'earlier revision')} omitted; --limit shows more.`)
}

async function jsonLines(out: Output, revisions: AsyncIterable<Revision>, most: number): Promise<void> {
  let printed = 0
  for await (const revision of revisions) {
    out.json(revision)
    await out.taken()
    printed += 1
    if (printed === most) return
  }
}

function revisionLines(out: Output, revision: Revision, number: number, by: string): void {
  const { changeType, createdAt, rationale } = revision
  out.line(styled('yellow', `revision ${number}`), ` ${changeType} ${out.time(createdAt)} by ${by}`)
  out.block(rationale)
}

type Piece = Blame['pieces'][number]

/** A server may answer with an unknown section, which is shown as it is. */
const SECTION_NAMES: Readonly<Record<string, string>> = { TITLE: 'Title', SUMMARY: 'Summary', CONTENT: 'Content' }

/** Shows for each sentence of an entry which revision wrote it, by whom and when, and the evidence about it. */
export async function blame({ invocation, client, out, json }: Session): Promise<void> {
  const found = await client.readBlame(entryName(argument(invocation, 0)))
  if (json) return out.json(found)
  const origins = createOrigins(out, found)
  let before: { section?: string; origin?: string } = {}
  for (const piece of found.pieces) {
    const { section, text } = piece
    if (text.trim() === '') continue
    if (section !== before.section) out.line(styled('bold', SECTION_NAMES[section] ?? section))
    const origin = origins.keyOf(piece)
    if (section !== before.section || origin !== before.origin) origins.write(piece)
    out.block(text.trimEnd())
    before = { section, origin }
    await out.taken()
  }
  if (!found.complete) {
    const looked = plural(found.lookedAt, 'revision')
    out.note(`The history is long: the newest ${looked} and the first one were compared.`)
  }
}

/** The lines above sentences that one revision wrote and the same evidence is about. */
function createOrigins(out: Output, { revisions, evidence }: Blame) {
  const writers = new Map(revisions.map(revision => [revision.id, revision]))
  const named = (id: string): string => revisionName(id, writers.get(id)?.ordinal)
  const spansOf = ({ revisionId, sinceRevisionId, earlier }: Piece): Span[] => {
    const writer = writers.get(revisionId)
    const about =
      writer === undefined ? '' : ` ${writer.changeType} ${out.time(writer.createdAt)} by ${actorName(writer.actor)}`
    const restored = sinceRevisionId === undefined ? '' : `, restored in ${named(sinceRevisionId)}`
    return [styled('yellow', named(revisionId)), `${earlier ? ' or an earlier one' : ''}${about}${restored}`]
  }
  const evidenceOn = ({ evidence: place }: Piece) => (place === null ? undefined : evidence[place])
  return {
    keyOf: ({ revisionId, sinceRevisionId, evidence: place }: Piece): string =>
      `${revisionId} ${sinceRevisionId} ${place}`,
    write(piece: Piece): void {
      out.line(...spansOf(piece))
      const standing = evidenceOn(piece)
      if (standing === undefined) out.line('  ', styled('dim', 'no evidence'))
      else out.line('  ', styled(stateStyle(standing.state), standingLine(standing)))
      writeSignals(out, writers.get(piece.revisionId)?.signals ?? [])
    },
  }
}
