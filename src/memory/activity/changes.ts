import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { ChangesQuery } from '../../contract/queries.ts'
import type { Change, ChangeList } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../engine/database.ts'
import { findActorById } from '../actors/rows.ts'
import { findEntryNumber } from '../entries/rows.ts'
import type { ReadOperation, StreamEvent, StreamOperation, StreamPage } from '../operation.ts'
import { sequenceOf } from '../values.ts'
import * as store from './rows.ts'
import { findContribution, toContribution } from './rows.ts'
import { type ChangeFilter, pageOfRuns, type Run } from './rules.ts'

/** The maximum number of keys that one page reads in total, and the least number that it reads per list. */
const KEYS = 2_000
const KEYS_LEAST = 8

type Chosen = Pick<ChangesQuery, 'entry' | 'actor' | 'action'>
type Named = { filter: ChangeFilter; unknownEntries: string[]; unknownActors: string[] }

/** The selection of a query, and the ids and slugs in it that do not exist. */
async function filterOf(reader: Reader, { entry, actor, action }: Chosen): Promise<Named> {
  const [entries, actors] = await Promise.all([
    numbersOf(entry, address => findEntryNumber(reader, address)),
    numbersOf(actor, async id => (await findActorById(reader, id))?.number),
  ])
  const filter: ChangeFilter = {
    ...(entry === undefined ? {} : { entries: entries.numbers }),
    ...(actor === undefined ? {} : { actors: actors.numbers }),
    ...(action === undefined ? {} : { actions: new Set(action.split(',')) }),
  }
  return { filter, unknownEntries: entries.unknown, unknownActors: actors.unknown }
}

async function numbersOf(
  list: string | undefined,
  find: (one: string) => Promise<number | undefined>,
): Promise<{ numbers: Set<number>; unknown: string[] }> {
  const names = list === undefined ? [] : [...new Set(list.split(','))]
  const found = await Promise.all(names.map(find))
  return {
    numbers: new Set(found.filter(number => number !== undefined)),
    unknown: names.filter((_, index) => found[index] === undefined),
  }
}

type List = (range: store.SequenceRange) => Promise<store.StoredKey[]> | store.StoredKey[]

/** The lists of keys that contain everything that a filter selects. */
async function listsOf(reader: Reader, { entries, actors }: ChangeFilter): Promise<List[]> {
  if (entries !== undefined) {
    const rows = await Promise.all([...entries].map(entry => store.findModerated(reader, entry)))
    return rows.flatMap(row => (row === undefined ? [] : listsOfEntry(reader, row)))
  }
  if (actors !== undefined) return [...actors].map(actor => range => store.listWrittenBy(reader, actor, range))
  return [range => store.listWritten(reader, range), range => store.listModerated(reader, range)]
}

/** The lists of keys of an entry. A withdrawn entry has only the list of its withdrawal. */
const listsOfEntry = (reader: Reader, row: store.ModeratedRow): List[] => [
  range => store.keysOfEntry(row, range),
  ...(row.withdrawn === 1
    ? []
    : [
        (range: store.SequenceRange) => store.listWrittenOf(reader, row.number, range),
        (range: store.SequenceRange) => store.listWrittenTo(reader, row.number, range),
      ]),
]

/** The selected changes above a position, at most `limit`, and the position up to which they are complete, at most `newest`. */
async function changesAfter(
  reader: Reader,
  filter: ChangeFilter,
  { after, limit, newest }: { after: number; limit: number; newest: number },
): Promise<StreamPage> {
  const lists = await listsOf(reader, filter)
  const most = Math.max(KEYS_LEAST, Math.floor(KEYS / Math.max(1, lists.length)))
  const size = filter.actions === undefined ? Math.min(most, limit + 1) : most
  const runs = await Promise.all(
    lists.map(async (list): Promise<Run<store.StoredKey>> => {
      const keys = await list({ after, upTo: newest, limit: size })
      return { keys, whole: keys.length < size }
    }),
  )
  const { keys, place } = pageOfRuns(runs, filter, { limit, newest })
  const events = await Promise.all(keys.map(key => eventOf(reader, key)))
  return { events: events.filter(event => event !== undefined), place }
}

/** The change of a key; undefined if it was withdrawn in between. */
async function eventOf(reader: Reader, key: store.StoredKey): Promise<StreamEvent | undefined> {
  const { sequence, action, id } = key
  const change: Change | undefined =
    id === undefined
      ? await writeOf(reader, sequence)
      : { sequence: String(sequence), action: action as 'WITHDRAW', entryId: id }
  return change === undefined ? undefined : { id: sequence, event: 'change', data: change, key }
}

async function writeOf(reader: Reader, sequence: number): Promise<Change | undefined> {
  const row = await findContribution(reader, sequence)
  return row === undefined ? undefined : toContribution(row)
}

/** Lists writes, withdrawals and restorations after a sequence. It is complete up to the answer's `sequence`, even without rows. */
export const listChanges: ReadOperation<'listChanges'> = async ({ reader }, { query }) => {
  const newest = await store.readSettled(reader)
  const { filter, unknownEntries, unknownActors } = await filterOf(reader, query)
  const after = Math.min(sequenceOf(query.after ?? '0'), newest)
  const { events, place } = await changesAfter(reader, filter, {
    after,
    limit: query.limit ?? LIMITS.pageDefault,
    newest,
  })
  const body: ChangeList = {
    items: events.map(({ data }) => data as Change),
    sequence: String(place),
    more: place < newest,
    unknown: [...unknownEntries, ...unknownActors],
    dataClass: 'EXTERNAL',
    ...TRUST,
  }
  return { body, ...(body.more ? { next: { after: body.sequence } } : {}) }
}

/** The same list for streams. */
export const streamChanges: StreamOperation<'streamChanges'> = {
  newest: store.readSettled,
  async filter(reader, query: Chosen) {
    const { filter, unknownEntries, unknownActors } = await filterOf(reader, query)
    if (unknownEntries.length > 0) throw new Problem('ENTRY_NOT_FOUND')
    if (unknownActors.length > 0) throw new Problem('ACTOR_NOT_FOUND')
    return Object.keys(filter).length === 0 ? undefined : filter
  },
  after: (reader, after, limit, newest, filter = {}) => changesAfter(reader, filter, { after, limit, newest }),
}
