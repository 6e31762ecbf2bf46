import { mergeStatements } from '../database/merge.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import type { NewWords } from '../domain/new-words.ts'
import { type ChangedEntryRow, changedEntries } from '../store/entry.ts'
import { DOCUMENT_COLUMNS, documentOf, noteWords, SEARCH_VERSION } from './search-document.ts'

/** Entries put into the index in one transaction. */
const BATCH = 200
/** The lock under which one node at a time follows. */
const LOCK = 7_261_843_206

const plain = (text: string, values: Query['values'] = []): Query => ({ text, values })
const NAMES = DOCUMENT_COLUMNS.map(([name]) => name)
const ARRAYS = DOCUMENT_COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`)
const INSERT = `INSERT INTO search_document (${NAMES}) SELECT * FROM unnest(${ARRAYS})`

/** What a round of following came to: there is more, the index is up to the store now, or was already, or another node is at it. */
export type Followed = 'more' | 'done' | 'idle' | 'taken'

type Progress = { version: number; record: number; change: number; entry: number }

/**
 * Brings the index nearer to the store by one batch of changed entries, in one transaction. `words` are those that were put there lately;
 * once this has failed they are not known to be there.
 */
export async function followOnce(connection: PostgresConnection, words: NewWords): Promise<Followed> {
  try {
    const [, lock, found, head] = await connection.send([
      plain('BEGIN'),
      plain('SELECT pg_try_advisory_xact_lock($1) AS taken', [LOCK]),
      plain('SELECT version, record, change, entry FROM search_progress'),
      plain('SELECT record FROM head'),
    ])
    if (!(lock?.rows[0]?.taken as unknown as boolean)) return await end(connection, 'taken')
    const progress = found?.rows[0] as Progress | undefined
    const to = head?.rows[0]?.record as number | undefined
    // A database that is being prepared has nothing to follow yet.
    if (progress === undefined || to === undefined) return await end(connection, 'idle')
    if (progress.version !== SEARCH_VERSION || progress.record > to) {
      await connection.send([plain('TRUNCATE search_document')])
      return await put(connection, { ...progress, change: 0, entry: 0 }, to, words)
    }
    if (progress.record === to) return await end(connection, 'idle')
    return await put(connection, progress, to, words)
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Sorts into the index what GIN has only listed so far: every search reads that list from end to end. Only the owner may. */
export async function tidy(connection: PostgresConnection): Promise<void> {
  await connection.send([plain(TIDY)])
}
const TIDY = `SELECT gin_clean_pending_list(oid) FROM pg_class WHERE oid = 'search_document_words'::regclass AND pg_has_role(relowner, 'USAGE')`

async function end(connection: PostgresConnection, followed: Followed): Promise<Followed> {
  await connection.exec('ROLLBACK')
  return followed
}

async function put(
  connection: PostgresConnection,
  { change, entry }: Progress,
  to: number,
  words: NewWords,
): Promise<Followed> {
  const [found] = await connection.send([changedAfter(change, entry)])
  const changed = (found?.rows ?? []) as ChangedEntryRow[]
  const last = changed.at(-1)
  const complete = last === undefined || changed.length < BATCH
  const documents = changed.filter(({ withdrawn }) => !withdrawn).map(documentOf)
  // Words are never taken out again: one that no entry holds any more finds nothing.
  for (const document of documents) noteWords(words, document)
  const fresh = words.take().filter(word => word !== '')
  const columns = NAMES.map((_, index) => documents.map(document => document[index] ?? null))
  await connection.send([
    plain('DELETE FROM search_document WHERE entry = ANY($1::bigint[])', [changed.map(({ number }) => number)]),
    plain(INSERT, columns),
    plain('INSERT INTO search_word SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING', [fresh]),
    plain('UPDATE search_progress SET version = $1, record = $2, change = $3, entry = $4', [
      SEARCH_VERSION,
      // One change can concern many entries: only a change before the last one is known to be complete.
      ...(complete ? [to, to, Number.MAX_SAFE_INTEGER] : [last.change - 1, last.change, last.number]),
    ]),
    plain('COMMIT'),
  ])
  return complete ? 'done' : 'more'
}

const changedAfter = (change: number, entry: number): Query => {
  const { queries } = mergeStatements([changedEntries(change, entry, BATCH)], new Map())
  return queries[0] as Query
}
