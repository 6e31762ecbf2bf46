import { WORK } from '../contract/limits.ts'
import type { Entry, WorkItem, WorkList } from '../contract/resources.ts'
import { TRUST, WORK_KINDS, type WorkKind } from '../contract/words.ts'
import { tagKey } from '../domain/tag.ts'
import { byWorth, DAY, inTurn, kindOf, staleBefore } from '../domain/work.ts'
import { tagsOf } from '../store/entry.ts'
import { isoTime } from '../store/time.ts'
import * as store from '../store/work.ts'
import { entryOf } from './entry-cache.ts'
import { listUnanswered } from './list-unanswered.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** Entries of each kind that are looked at where some may be passed over: the first of their index. */
const LOOKED_AT = 300
/** Entries of which it is asked at once whether the actor wrote or judged them. */
const AT_ONCE = 50
/** Entries with a tag that are looked at beside those: the newest. */
const TAGGED = 100

type Asked = { tag: string; limit: number }
type Kind = Exclude<WorkKind, 'UNANSWERED'>
type Place = { kind: Kind; row: store.WaitingRow }

/** Lists the checks that are worth most, of one kind or of each in turn, without entries that the actor wrote or judged. */
export const listWork: ReadOperation = async (reads, { query }) => {
  const { tag = '', limit = WORK.default } = query
  const kinds = WORK_KINDS.filter(kind => query.kind === undefined || query.kind === kind)
  // Reads that were noted before are counted first.
  await reads.keepObserved()
  const asked = { tag: tagKey(tag), limit }
  const tagged = asked.tag === '' ? [] : await listTagged(reads, tag)
  const ofEntries = kinds.filter(kind => kind !== 'UNANSWERED')
  const [lists, topics] = await Promise.all([
    Promise.all(ofEntries.map(kind => placesOf(reads, kind, asked, tagged))),
    kinds.includes('UNANSWERED') && asked.tag === '' ? listUnanswered(reads, limit) : [],
  ])
  const body: WorkList = {
    items: await itemsOf(reads, inTurn<Place | WorkItem>([...lists, topics], limit)),
    dataClass: 'EXTERNAL',
  }
  return { body }
}

/** The entries that wait for one kind of check, those that are worth most first. */
async function placesOf(
  reads: Reads,
  kind: Kind,
  { tag, limit }: Asked,
  tagged: readonly store.WaitingRow[],
): Promise<Place[]> {
  const most = reads.actor === null && tag === '' ? limit : LOOKED_AT
  const rows = [...(await listOf(reads, kind, most)), ...tagged].filter(
    row => kindOf(row, reads.at) === kind && (tag === '' || tagsOf(row).some(one => tagKey(one) === tag)),
  )
  const offered = await offeredTo(reads, byWorth(rows, reads.at), limit)
  return offered.map(row => ({ kind, row }))
}

/** The first entries that the actor neither wrote nor judged. */
async function offeredTo(
  { reader, actor }: Reads,
  rows: readonly store.WaitingRow[],
  limit: number,
): Promise<store.WaitingRow[]> {
  if (actor === null) return rows.slice(0, limit)
  const offered: store.WaitingRow[] = []
  for (let from = 0; from < rows.length && offered.length < limit; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE).filter(row => row.actor !== actor)
    const involved = await Promise.all(some.map(({ number }) => store.isInvolved(reader, actor, number)))
    offered.push(...some.filter((_, index) => !involved[index]))
  }
  return offered.slice(0, limit)
}

/** The first entries of a kind. Of confirmed ones, those judged longest ago and those with the most readers, whatever their age. */
async function listOf({ reader, at }: Reads, kind: Kind, limit: number): Promise<store.WaitingRow[]> {
  if (kind === 'DISPUTED') return store.listDisputed(reader, limit)
  if (kind !== 'STALE') return store.listDue(reader, kind, limit)
  const lists = await Promise.all([
    store.listConfirmed(reader, staleBefore(at), LOOKED_AT),
    store.listDue(reader, 'CONFIRMED', LOOKED_AT),
  ])
  return lists.flat()
}

/** The newest entries with a tag. */
async function listTagged(reads: Reads, tag: string): Promise<store.WaitingRow[]> {
  const found = await reads.search({ q: '', tag, sort: 'recent', limit: TAGGED, offset: 0 })
  const rows = await Promise.all(found.entries.map(number => store.findWaiting(reads.reader, number)))
  return rows.filter(row => row !== undefined)
}

/** The places with their entries, between items that have none; an entry that was withdrawn since is left out. */
async function itemsOf({ reader, entries, at }: Reads, places: readonly (Place | WorkItem)[]): Promise<WorkItem[]> {
  const numbers = places.flatMap(place => ('row' in place ? [place.row.number] : []))
  const [served, times] = await Promise.all([
    entries.list(numbers),
    Promise.all(numbers.map(number => store.readCheckedAt(reader, number))),
  ])
  const shown = new Map(served.map(one => [one.number, entryOf(one)]))
  const checked = new Map(numbers.map((number, index) => [number, times[index] ?? null]))
  return places.flatMap(place => {
    if (!('row' in place)) return [place]
    const { kind, row } = place
    const entry = shown.get(row.number)
    if (entry === undefined) return []
    return [{ kind, reason: reasonOf(entry, row, checked.get(row.number) ?? null, at), entry: slim(entry) }]
  })
}

function reasonOf({ standing }: Entry, { readers }: store.WaitingRow, checkedAt: number | null, at: number) {
  const { independentFor, independentAgainst } = standing.tally
  const lastCheckedAt = checkedAt === null ? null : isoTime(checkedAt)
  const daysSinceCheck = checkedAt === null ? null : Math.max(0, Math.floor((at - checkedAt) / DAY))
  return { independentFor, independentAgainst, readers, lastCheckedAt, daysSinceCheck }
}

const slim = ({ id, slug, title, summary, tags, standing, signals, currentRevisionId, updatedAt }: Entry) => ({
  ...{ id, slug, title, summary, tags, standing, signals, currentRevisionId, updatedAt },
  ...TRUST,
})
