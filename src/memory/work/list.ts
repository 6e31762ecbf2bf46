import { WORK } from '../../contract/limits.ts'
import type { Entry, WorkItem, WorkList } from '../../contract/resources.ts'
import { type Action, CHANGE_TYPES, type OwnEvent, TRUST, WORK_KINDS } from '../../contract/vocabulary.ts'
import { getOrThrow } from '../../engine/database.ts'
import { type AskedWords, questionsOf } from '../../find/rules/question.ts'
import { stemOf } from '../../find/rules/words.ts'
import { listUnansweredTopics } from '../activity/rows.ts'
import { entryOf } from '../entries/cache.ts'
import { tagsOf } from '../entries/rows.ts'
import { tagKey } from '../entries/rules.ts'
import { confirmedOn, parseEnvironment } from '../evidence/environment-rules.ts'
import { findObjector } from '../evidence/rows.ts'
import { inTurns, type ReadOperation, type Reads } from '../operation.ts'
import { DAY, isoTime } from '../values.ts'
import * as store from './rows.ts'
import { byPriority, byUrgency, inTurn, type Kind, kindOf, type OwnWrite, staleBefore, type Waiting } from './rules.ts'

/** Number of confirmed entries that are read from each end: those judged longest ago, and those with the most readers. */
const CONFIRMED = 300
/**
 * The successive reads if entries may be omitted from a list, each with the number of entries that it reads beyond the limit. For most
 * callers the first read finds enough.
 */
const LOOKS: readonly { end: store.End; more: number }[] = [
  { end: 'most', more: 50 },
  { end: 'most', more: 200 },
  { end: 'least', more: 50 },
]
/** Number of entries beyond the limit that may take the places of entries with signals. */
const SPARE = 20
const FIRST_LOOK = [{ end: 'most', more: SPARE }] as const
/** Number of entries per read of tags, and of whether the actor wrote or judged them. */
const AT_ONCE = 50
/** Number of the newest entries with a tag that are also read. */
const TAGGED = 100
/** Number of products whose tags are read. */
const PRODUCTS = 8

type WorkPlace = { kind: Kind | 'MINE'; row: Waiting; mine?: OwnEvent }
/** What the entries of a list must have: a tag, and one of some products as a tag or among those that it was confirmed on. */
type WorkFilter = { tag: string; env: ReturnType<typeof parseEnvironment>; limit: number; tagged: readonly Waiting[] }

/** Lists the most valuable checks, of one kind or of each in turn, without entries that the actor wrote or judged. Entries with signals come last. */
export const listWork: ReadOperation<'listWork'> = async (reads, { query }) => {
  const { tag = '', limit = WORK.default } = query
  const kinds = WORK_KINDS.filter(kind => (query.kind === undefined ? kind !== 'MINE' : query.kind === kind))
  // Reads before this one are counted first.
  await reads.flushObservations()
  const key = tagKey(tag)
  // A version does not matter: a check on another one is worth as much.
  const env = parseEnvironment(query.env ?? '').map(({ name }) => ({ name }))
  const tags = key === '' ? env.slice(0, PRODUCTS).map(({ name }) => name) : [tag]
  const tagged = (await inTurns(reads, tags, one => listTagged(reads, one))).flat()
  const filter: WorkFilter = { tag: key, env, limit, tagged }
  const ofEntries = kinds.filter(kind => kind !== 'UNANSWERED' && kind !== 'MINE')
  const [lists, mine, topics] = await Promise.all([
    Promise.all(ofEntries.map(kind => placesOf(reads, kind, filter))),
    kinds.includes('MINE') ? listMine(reads, filter) : [],
    kinds.includes('UNANSWERED') && !isNarrow(filter) ? listUnanswered(reads, limit) : [],
  ])
  const items = await itemsOf(reads, inTurn<WorkPlace | WorkItem>([...lists, mine, topics], limit))
  const body: WorkList = { items, dataClass: 'EXTERNAL' }
  return { body }
}

const isNarrow = ({ tag, env }: WorkFilter): boolean => tag !== '' || env.length > 0

/** Whether an entry with these tags, as JSON, passes a filter. */
async function passes({ reader }: Reads, { tag, env }: WorkFilter, owner: { number: number; tags: string }) {
  const keys = new Set(tagsOf(owner).map(tagKey))
  if (tag !== '' && !keys.has(tag)) return false
  if (env.length === 0 || env.some(({ name }) => keys.has(tagKey(name)))) return true
  return confirmedOn((await store.readStanding(reader, owner.number)).observedOn, env).length > 0
}

/** The entries that need one kind of check, the most valuable first. */
async function placesOf(reads: Reads, kind: Kind, filter: WorkFilter): Promise<WorkPlace[]> {
  const { limit, tagged } = filter
  const passesOver = reads.actor !== null || isNarrow(filter)
  let offered: Waiting[] = []
  for (const { end, more } of passesOver ? LOOKS : FIRST_LOOK) {
    await reads.yieldIfOverBudget()
    const listed = [...(await listOf(reads, kind, end, limit + more)), ...tagged]
    const rows = byPriority(
      listed.filter(row => kindOf(row, reads.at) === kind),
      reads.at,
    )
    const found = passesOver ? await offeredOf(reads, rows, { ...filter, limit: limit + SPARE }) : rows
    offered = byPriority([...offered, ...found], reads.at).slice(0, limit + SPARE)
    if (offered.length >= limit) break
  }
  const signals = await inTurns(reads, offered, ({ number }) => store.findSignals(reads.reader, number))
  const flagged = new Set(offered.filter((_, place) => signals[place] !== 0))
  return lastOf(offered, row => flagged.has(row))
    .slice(0, limit)
    .map(row => ({ kind, row }))
}

/** A list with the items of one kind last. */
const lastOf = <T>(list: readonly T[], isLast: (item: T) => boolean): T[] => [
  ...list.filter(item => !isLast(item)),
  ...list.filter(isLast),
]

/** The first entries that pass the filter and that the actor neither wrote nor judged. */
async function offeredOf(reads: Reads, rows: readonly Waiting[], filter: WorkFilter): Promise<Waiting[]> {
  const { reader, actor } = reads
  const { limit } = filter
  const ifOffered = async (row: Waiting): Promise<Waiting | undefined> => {
    const owner = await store.findOwner(reader, row.number)
    if (owner === undefined || owner.actor === actor) return undefined
    if (!(await passes(reads, filter, owner))) return undefined
    return actor === null || !(await store.isInvolved(reader, actor, row.number)) ? row : undefined
  }
  const offered: Waiting[] = []
  for (let from = 0; from < rows.length && offered.length < limit; from += AT_ONCE) {
    const some = await inTurns(reads, rows.slice(from, from + AT_ONCE), ifOffered)
    offered.push(...some.filter(row => row !== undefined))
  }
  return offered.slice(0, limit)
}

/** Entries of a kind from one end of its list. Of the confirmed ones, those judged longest ago and those with the most readers. */
async function listOf({ reader, at }: Reads, kind: Kind, end: store.End, limit: number): Promise<Waiting[]> {
  if (kind === 'DISPUTED') return store.listDisputed(reader, end, limit)
  if (kind !== 'STALE') return store.listDue(reader, kind, end, limit)
  const lists = await Promise.all([
    store.listConfirmed(reader, staleBefore(at), 'least', CONFIRMED),
    store.listDue(reader, 'CONFIRMED', 'most', CONFIRMED),
  ])
  return lists.flat()
}

/** The newest entries with a tag. */
async function listTagged(reads: Reads, tag: string): Promise<Waiting[]> {
  const found = await reads.search({ q: '', tag, sort: 'recent', limit: TAGGED, offset: 0 })
  const rows = await inTurns(reads, found.matches, ({ entry }) => store.findWaiting(reads.reader, entry))
  return rows.filter(row => row !== undefined)
}

/** Number of the newest own writes that are followed. */
const OWN_WRITES = 200
const WRITING: ReadonlySet<Action> = new Set(['CREATE', ...CHANGE_TYPES])

/** The entries that the actor wrote or judged, and that others objected to, answered or corrected since, the latest own writes first. */
async function listMine(reads: Reads, filter: WorkFilter): Promise<WorkPlace[]> {
  const { reader, actor } = reads
  if (actor === null) return []
  const own = Map.groupBy(await store.listOwnWrites(reader, actor, OWN_WRITES), ({ entry }) => entry)
  const places: WorkPlace[] = []
  for (const [number, writes] of own) {
    if (places.length === filter.limit) break
    await reads.yieldIfOverBudget()
    const row = await store.findWaiting(reader, number)
    const mine = row === undefined ? undefined : await eventOf(reads, actor, number, writes)
    if (row === undefined || mine === undefined) continue
    const owner = isNarrow(filter) ? await store.findOwner(reader, number) : undefined
    if (owner === undefined || (await passes(reads, filter, owner))) places.push({ kind: 'MINE', row, mine })
  }
  return places
}

/** The most urgent event after the writes of an actor about one entry. */
async function eventOf({ reader }: Reads, actor: number, entry: number, writes: readonly OwnWrite[]) {
  const { contradictions } = await store.readStanding(reader, entry)
  const isAuthor = writes.some(({ action }) => WRITING.has(action))
  const confirmed = Math.max(0, ...writes.flatMap(({ action, revision }) => (action === 'VERIFY' ? [revision] : [])))
  const events: OwnEvent[] = []
  for (const { record, verdict, status } of contradictions) {
    const isOwn = (await findObjector(reader, record, verdict))?.actor === actor
    if (isOwn && status === 'ANSWERED') events.push('ANSWERED')
    if (!isOwn && isAuthor && status === 'STANDING') events.push('OBJECTED')
  }
  if (confirmed > 0 && (await store.isCorrectedAfter(reader, entry, { revision: confirmed, actor })))
    events.push('CORRECTED')
  return byUrgency(events)
}

/** Adds the entries to the items. Omits entries that were withdrawn in between. Topics have no entry and are returned unchanged. */
async function itemsOf(reads: Reads, places: readonly (WorkPlace | WorkItem)[]): Promise<WorkItem[]> {
  const { reader, entries, at } = reads
  const numbers = places.flatMap(place => ('row' in place ? [place.row.number] : []))
  const [served, times] = await Promise.all([
    entries.list(numbers),
    inTurns(reads, numbers, async number => [number, await store.readCheckedAt(reader, number)] as const),
  ])
  const shown = new Map(served.map(one => [one.number, entryOf(one)]))
  const checked = new Map(times)
  const items = places.flatMap((place): WorkItem[] => {
    if (!('row' in place)) return [place]
    const { kind, row, mine } = place
    const entry = shown.get(row.number)
    if (entry === undefined) return []
    const reason = reasonOf(entry, row, getOrThrow(checked, row.number), at)
    return [{ kind, reason: mine === undefined ? reason : { ...reason, mine }, entry: slim(entry) }]
  })
  return lastOf(items, ({ entry }) => entry !== undefined && entry.signals.length > 0)
}

function reasonOf({ standing }: Entry, { readers }: Waiting, checkedAt: number | null, at: number) {
  const { for: inFavour, against } = standing.tally
  const lastCheckedAt = checkedAt === null ? null : isoTime(checkedAt)
  const daysSinceCheck = checkedAt === null ? null : Math.max(0, Math.floor((at - checkedAt) / DAY))
  return { for: inFavour, against, readers, lastCheckedAt, daysSinceCheck }
}

const slim = ({ id, slug, title, summary, tags, standing, signals, currentRevisionId, updatedAt, ...rest }: Entry) => ({
  ...{ id, slug, title, summary, tags, standing, signals, currentRevisionId, updatedAt },
  ...(rest.unflaggedRevisionId === undefined ? {} : { unflaggedRevisionId: rest.unflaggedRevisionId }),
  ...TRUST,
})

/** Number of rows that are read, maximum number of topics that are searched for, and number of concurrent searches. */
const LOOKED_AT = 200
const SEARCHED_MAX = 40
const SEARCHED_AT_ONCE = 10

/**
 * Lists the questions that many networks asked on one day without a result, as the words that came together, most networks first, each once.
 * Omits questions that have an answer by now.
 */
async function listUnanswered({ reader, search }: Reads, limit: number): Promise<WorkItem[]> {
  const topics = new Map<string, AskedWords>()
  for (const row of questionsOf(await listUnansweredTopics(reader, LOOKED_AT))) {
    const stems = row.term.split(' ').map(stemOf).sort().join(' ')
    if (!topics.has(stems)) topics.set(stems, row)
  }
  const ifOpen = async (row: AskedWords): Promise<AskedWords | undefined> => {
    const { match, answerableFrom } = await search({ q: row.term, tag: null, sort: 'fit', limit: 1, offset: 0 })
    return match < answerableFrom ? row : undefined
  }
  const candidates = [...topics.values()].slice(0, SEARCHED_MAX)
  const open: AskedWords[] = []
  for (let from = 0; from < candidates.length && open.length < limit; from += SEARCHED_AT_ONCE) {
    const some = candidates.slice(from, from + SEARCHED_AT_ONCE)
    open.push(...(await Promise.all(some.map(ifOpen))).filter(row => row !== undefined))
  }
  return open.slice(0, limit).map(({ day, term, networks }) => ({
    kind: 'UNANSWERED',
    reason: { networks },
    topic: { term, day, ...TRUST },
  }))
}
