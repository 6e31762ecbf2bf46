import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import { listChangedEntries } from '../store/entry.ts'
import { readHead } from '../store/head.ts'
import { indexFile, storeFile } from './files.ts'
import type { ThreadData } from './protocol.ts'
import {
  deleteIndex,
  indexedRecord,
  openIndexForWriting,
  putEntry,
  removeEntry,
  saveIndexedRecord,
  tidyIndex,
} from './search-index.ts'
import { awaitCommit, awaitWanted, committed, isStopping, tellIndexed } from './signals.ts'

/** The thread that keeps the search index behind the store: it follows the entries in the order in which they changed. */
const { directory, signals } = workerData as ThreadData
/** Entries put into the index in one transaction. */
const BATCH = 500
/** How long changes are gathered before they are put into the index together, unless a search waits for them; in milliseconds. */
const LINGER = 250
/** How long nothing must have been written before the index is tidied, how long it rests between two steps of that, and pages of a step. */
const QUIET = 500
const TIDY_PAUSE = 10
const TIDY_PAGES = 64
/** How long a full disk is left alone before the index is tried again, in milliseconds. */
const FULL_DISK_PAUSE = 500

const store = openSqlite(storeFile(directory), 'read')
const head = await readHead(store)
const index = openIndexForWriting(indexFile(directory), head.store_id, head.record)
tellIndexed(signals, indexedRecord(index))
parentPort?.postMessage('ready')

async function follow(from: number, to: number): Promise<void> {
  let change = from
  let number = Number.MAX_SAFE_INTEGER
  for (;;) {
    const entries = await listChangedEntries(store, change, number, BATCH)
    index.step('BEGIN IMMEDIATE')
    for (const entry of entries) {
      if (entry.withdrawn) removeEntry(index, entry.number)
      else putEntry(index, { ...entry, entry: entry.number, tags: JSON.parse(entry.tags) as string[] })
    }
    const last = entries.at(-1)
    const done = last === undefined || entries.length < BATCH
    // One change can concern many entries: only a change before the last one is known to be complete.
    saveIndexedRecord(index, done ? to : last.change - 1)
    index.step('COMMIT')
    if (done || isStopping(signals)) return
    change = last.change
    number = last.number
    tellIndexed(signals, last.change - 1)
  }
}

let tidying: 'due' | 'under way' | 'done' = 'due'
while (!isStopping(signals)) {
  const seen = committed(signals)
  const from = indexedRecord(index)
  try {
    if (Number(seen) > from) {
      await follow(from, Number(seen))
      tellIndexed(signals, indexedRecord(index))
      tidying = 'due'
    }
    if (tidying !== 'done' && !awaitCommit(signals, seen, tidying === 'due' ? QUIET : TIDY_PAUSE)) {
      tidying = tidyIndex(index, TIDY_PAGES) ? 'under way' : 'done'
      continue
    }
    awaitCommit(signals, seen)
    awaitWanted(signals, seen, LINGER)
  } catch (error) {
    if (index.raw.isTransaction) index.exec('ROLLBACK')
    // What cannot be read is made anew by the next start.
    if (error instanceof StoreFault && error.kind === 'broken') deleteIndex(indexFile(directory))
    if (!(error instanceof StoreFault) || error.kind === 'broken') throw error
    await setTimeout(FULL_DISK_PAUSE)
  }
}
index.close()
store.close()
