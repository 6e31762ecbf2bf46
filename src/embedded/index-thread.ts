import { parentPort, workerData } from 'node:worker_threads'
import { sql } from '../database/sql.ts'
import { openSqlite } from '../database/sqlite.ts'
import { readHead } from '../store/head.ts'
import { indexFile, storeFile } from './files.ts'
import type { ThreadData } from './protocol.ts'
import { indexedRecord, openIndexForWriting, putEntry, removeEntry, saveIndexedRecord } from './search-index.ts'
import { awaitCommit, committed, isStopping, tellIndexed } from './signals.ts'

/** The thread that keeps the search index behind the store: it follows the entries in the order in which they changed. */
const { directory, signals } = workerData as ThreadData
/** Entries put into the index in one transaction. */
const BATCH = 500

const store = openSqlite(storeFile(directory), 'read')
const head = await readHead(store)
const index = openIndexForWriting(indexFile(directory), head.store_id, head.record)
tellIndexed(signals, indexedRecord(index))
parentPort?.postMessage('ready')

type Changed = {
  number: number
  change: number
  id: string
  withdrawn: number
  revision: number
  updated_at: number
  revisions: number
  tags: string
  title: string
  summary: string
  content: string
}

const changedSince = (change: number, number: number): Changed[] =>
  store.all<Changed>(sql`
    SELECT e.number, e.change, e.id, e.withdrawn, e.revision, e.updated_at, e.revisions, e.tags, r.title, r.summary, r.content
    FROM entry e JOIN revision r ON r.number = e.revision
    WHERE (e.change, e.number) > (${change}, ${number}) ORDER BY e.change, e.number LIMIT ${BATCH}`)

function follow(from: number, to: number): void {
  let change = from
  let number = Number.MAX_SAFE_INTEGER
  for (;;) {
    const entries = changedSince(change, number)
    index.exec('BEGIN IMMEDIATE')
    for (const entry of entries) {
      if (entry.withdrawn) removeEntry(index, entry.number)
      else putEntry(index, { ...entry, entry: entry.number, tags: JSON.parse(entry.tags) as string[] })
    }
    const last = entries.at(-1)
    const done = last === undefined || entries.length < BATCH
    // One change can concern many entries: only a change before the last one is known to be complete.
    saveIndexedRecord(index, done ? to : last.change - 1)
    index.exec('COMMIT')
    if (done || isStopping(signals)) return
    change = last.change
    number = last.number
    tellIndexed(signals, last.change - 1)
  }
}

while (!isStopping(signals)) {
  const seen = committed(signals)
  const from = indexedRecord(index)
  if (Number(seen) > from) {
    follow(from, Number(seen))
    tellIndexed(signals, indexedRecord(index))
  }
  awaitCommit(signals, seen)
}
index.close()
store.close()
