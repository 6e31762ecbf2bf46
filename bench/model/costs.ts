import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Results } from '../results.ts'
import type { PostgresReading } from './measured-postgres.ts'

/** The input of the model, each with its unit. */
export const COSTS = {
  wake: ['µs', 'from a request to an idle thread on another core until it runs'],
  turn: ['µs', 'one turn of the event loop of the service'],
  idle: ['µs', 'the service sleeps and wakes up again, in its main thread'],
  clientIdle: ['µs', 'the load sleeps and wakes up again'],
  clientTurn: ['µs', 'one turn of the event loop of the load'],
  clientRead: ['µs', 'a read, in the load generator'],
  clientWrite: ['µs', 'a create, in the load generator'],
  clientSearch: ['µs', 'a search, in the load generator'],
  readOther: ['µs', 'a read, in all other threads: observations and garbage'],
  readHit: ['µs', 'a read of an entry that the service has in memory'],
  readMiss: ['µs', 'a read of an entry from the page cache of the system'],
  switch: ['µs', 'a thread gets the core from another one, in addition'],
  catchUp: ['µs', 'the first read after a commit, in addition'],
  writeMain: ['µs', 'a create, in the main thread'],
  writeMessage: ['µs', 'a group of creates, in the main thread'],
  writeGroup: ['µs', 'a group of creates, in the writer thread'],
  writeEach: ['µs', 'each create of a group, in the writer thread'],
  writeHelpers: ['µs', "a create, in V8's helper threads"],
  flush: ['µs', 'the writer waits for the disk, once for a group'],
  indexEach: ['µs', 'an entry, in the index thread'],
  indexBatch: ['µs', 'a transaction of the index thread'],
  logEach: ['µs', 'a record, in the log thread'],
  searchMain: ['µs', 'a search of one word, in the main thread'],
  search: ['µs', 'a search of one word, in a search thread'],
  searchCatchUp: ['µs', 'the first search after a commit, in the main thread, in addition'],
  searchReload: ['µs', 'the first search after a commit, in a search thread, in addition'],
  find: ['µs', 'a question to /api/find, in all threads'],
  available: ['share', 'share of the core that the threads of the service get when they could use the whole core'],
  cachedBytes: ['bytes', 'an entry in the memory of the service'],
  entryBytes: ['bytes', 'an entry on disk, without the search index'],
  indexBytes: ['bytes', 'an entry in the search index'],
  textBytes: ['bytes', 'an entry: its text'],
  mirrorMain: ['µs', 'a record that a mirror follows, in its main thread'],
  mirrorWriter: ['µs', 'a record that a mirror follows, in its writer thread'],
  mirrorIndex: ['µs', 'a record that a mirror follows, in its index thread'],
  mirrorOther: ['µs', 'a record that a mirror follows, in its other threads'],
  exportEach: ['µs', 'a record that one mirror fetches, in the main thread of its original'],
  purge: ['µs', 'a record that is purged from one shared cache, in the main thread'],
  cacheHit: ['µs', 'a read that Varnish answers from memory, in all of its threads'],
  cacheMiss: ['µs', 'a read that Varnish passes on, in all of its threads'],
  primaryGroup: ['µs', 'a group of creates, in PostgreSQL'],
  primaryEach: ['µs', 'each create of a group, in PostgreSQL'],
  primaryFlush: ['µs', 'a group of creates waits for its round trips and the disk of PostgreSQL, at loopback'],
  primaryReads: ['µs', 'the reads of one turn of a node, in PostgreSQL'],
  primaryRead: ['µs', 'each of these reads, in PostgreSQL'],
  nodeReads: ['µs', 'the reads of one turn, in the main thread of a node over PostgreSQL'],
  nodeRead: ['µs', 'each of these reads, in all threads of the node'],
  nodeGroup: ['µs', 'a group of creates, in the main thread of a node over PostgreSQL'],
  nodeWrite: ['µs', 'each create of a group, in the main thread of a node over PostgreSQL'],
  nodeIndex: ['µs', 'an entry, in the index thread of a node over PostgreSQL'],
  nodeOther: ['µs', 'a create, in the other threads of a node over PostgreSQL'],
  nodeMiss: ['µs', 'a read that a node over PostgreSQL does not have in memory, in addition'],
  primaryMiss: ['µs', 'the same, in PostgreSQL, in addition'],
  diskRead: ['µs', 'a page that is not in memory'],
  findLarge: ['µs', 'a question to /api/find among 10^6 entries and more'],
  roundTrip: ['µs', 'between two machines of one network'],
  cacheEntryBytes: ['bytes', 'an entry in a shared cache'],
} as const
export type CostName = keyof typeof COSTS
export type Figure = { value: number; origin: 'measured' | 'estimated'; how: string }
export type Costs = Record<CostName, Figure>
export type SavedCosts = {
  date: string
  machine: Results['machine']
  settings: { entries: number; seconds: number; rounds: number }
  figures: Partial<Costs>
  /** The measurements from which most costs are computed. */
  readings: Record<string, SavedReading>
}
/** Per second, milliseconds, and microseconds of processor time of each thread for each request. */
export type SavedReading = Pick<PostgresReading, 'perSecond' | 'p50' | 'p99' | 'busy' | 'threads'> & { group?: number }

export const COSTS_FILE = join(import.meta.dirname, '../results/costs.json')

const estimated = (value: number, how: string): Figure => ({ value, origin: 'estimated', how })

/** Costs that no command measures. */
export const ESTIMATES: Partial<Costs> = {
  diskRead: estimated(100, 'a random read of 8 kB from a local NVMe disk'),
  findLarge: estimated(17_000, 'decision 0018: 6 to 17 ms at 10^6 entries; a query reads at most 20,000 postings'),
  nodeMiss: estimated(60, 'the difference between the two on the embedded store'),
  primaryMiss: estimated(40, 'one SELECT by an indexed column'),
  roundTrip: estimated(300, 'one data centre'),
  cacheEntryBytes: estimated(4_000, 'an answer of 2.9 kB, its tags, and 1 kB for each object of Varnish'),
}

export const readSavedCosts = (path = COSTS_FILE): SavedCosts | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SavedCosts) : undefined

/** The saved costs and the estimates. Throws if there are no saved costs, or if a cost is missing. */
export function readCosts(path = COSTS_FILE): { saved: SavedCosts; costs: Costs } {
  const saved = readSavedCosts(path)
  if (saved === undefined) throw new Error(`${path} is not there; npm run bench:model -- --measure makes it.`)
  const costs = { ...ESTIMATES, ...saved.figures }
  const missing = Object.keys(COSTS).filter(name => !(name in costs))
  if (missing.length > 0) throw new Error(`${path} lacks ${missing.join(', ')}; measure again.`)
  return { saved, costs: costs as Costs }
}

export type CostValues = Record<CostName, number>

export const valuesOf = (costs: Costs): CostValues =>
  Object.fromEntries(Object.entries(costs).map(([name, { value }]) => [name, value])) as CostValues
