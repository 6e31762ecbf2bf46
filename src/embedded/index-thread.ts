import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { isBusy, openSqlite } from '../database/sqlite.ts'
import { readHead } from '../store/head.ts'
import { indexFile, storeFile } from './files.ts'
import { createGivingWay } from './giving-way.ts'
import { followChanges } from './index-follower.ts'
import { beNice, NICE } from './priority.ts'
import type { IndexNotice, ThreadData } from './protocol.ts'
import { deleteIndex, indexedRecord, openIndexForWriting, tidyIndex, undoIndexing } from './search-index.ts'
import { awaitCommit, awaitWanted, committed, isStopping, tellIndexed } from './signals.ts'

/** The thread that keeps the search index behind the store: it follows the entries in the order in which they changed. */
const { directory, signals } = workerData as ThreadData
/** How long changes are gathered before they are put into the index together, unless a search waits for them; in milliseconds. */
const LINGER = 250
/** How long nothing must have been written before the index is tidied, how long it rests between two steps of that, and pages of a step. */
const QUIET = 500
const TIDY_PAUSE = 10
const TIDY_PAGES = 64
/** How long a full disk, or an index that somebody else has locked, is left alone before it is tried again; in milliseconds. */
const RETRY_PAUSE = 500
const STORE_CACHE_KIB = 256

beNice(NICE.index)
/** What is new is read once, and the system still has it: little of it need be kept here. */
const store = openSqlite(storeFile(directory), 'read', { cacheKib: STORE_CACHE_KIB })
const head = await readHead(store)
const index = openIndexForWriting(indexFile(directory), head.store_id, head.record)
tellIndexed(signals, indexedRecord(index))
parentPort?.postMessage('ready')

const giveWay = createGivingWay(signals)
/** What keeps the index from being written, if anything does. */
let held: IndexNotice['held']
const tellHeld = (now: IndexNotice['held']): void => {
  if (now !== held) parentPort?.postMessage({ held: now } satisfies IndexNotice)
  held = now
}

let tidying: 'due' | 'under way' | 'done' = 'due'
while (!isStopping(signals)) {
  const seen = committed(signals)
  const from = indexedRecord(index)
  try {
    if (Number(seen) > from) {
      followChanges(store, index, from, Number(seen), {
        onEntry: giveWay,
        onReached(record) {
          tellIndexed(signals, record)
          return !isStopping(signals)
        },
      })
      tellHeld(undefined)
      tidying = 'due'
    }
    if (tidying !== 'done' && !awaitCommit(signals, seen, tidying === 'due' ? QUIET : TIDY_PAUSE)) {
      tidying = tidyIndex(index, TIDY_PAGES) ? 'under way' : 'done'
      continue
    }
    awaitCommit(signals, seen)
    awaitWanted(signals, seen, LINGER)
  } catch (error) {
    undoIndexing(index)
    // What cannot be read is made anew by the next start.
    if (error instanceof StoreFault && error.kind === 'broken') deleteIndex(indexFile(directory))
    const isFull = error instanceof StoreFault && error.kind === 'full'
    if (!isFull && !isBusy(error)) throw error
    // Where there is nothing to put into it, searches do not wait for it.
    if (indexedRecord(index) < Number(seen)) tellHeld(isFull ? 'full' : 'locked')
    await setTimeout(RETRY_PAUSE)
  }
}
index.close()
store.close()
