import { mergeStatements } from '../database/merge.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import { createNewWords, type NewWords } from '../domain/new-words.ts'
import { type ChangedEntryRow, changedEntries } from '../store/entry.ts'
import { DOCUMENT_COLUMNS, documentOf, noteWords, SEARCH_VERSION } from './search-document.ts'

/** Entries put into the index in one transaction: while it is open no dead version of any row can be cleared away. */
const BATCH = 200
/** So many records are not gathered for any longer. */
const GATHERED = 1_000
/** The advisory lock under which one node at a time follows. */
export const FOLLOWING = 7_261_843_206

const plain = (text: string, values: Query['values'] = []): Query => ({ text, values })
const NAMES = DOCUMENT_COLUMNS.map(([name]) => name)
const ARRAYS = DOCUMENT_COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`)
const INSERT = `INSERT INTO search_document (${NAMES}) SELECT * FROM unnest(${ARRAYS})`

/**
 * What a round of following came to: there is more, the index is up to the store now, is a little behind and nobody waits for it,
 * was up to the store already, or another node is at it.
 */
export type Followed = 'more' | 'done' | 'gathering' | 'idle' | 'taken'

type Progress = { version: number; record: number; change: number; entry: number; wanted: number }

/** What a follower knows: words that are in the index, since when that is behind, and whether GIN only lists what is put there. */
type Known = { words: NewWords; behindSince: number | undefined; listing: boolean }

/**
 * Brings the index up to the store. The more entries come at a time, the less each costs: unless a search waits for them they are
 * gathered for `gather` milliseconds.
 */
export function createFollower(gather: number) {
  const ignorant = (): Known => ({ words: createNewWords(), behindSince: undefined, listing: false })
  let known = ignorant()
  let session: PostgresConnection | undefined

  /** Whether somebody waits for the index, or enough was gathered, or not all of it is there yet. */
  const isDue = ({ record, wanted }: Progress, to: number): boolean => {
    known.behindSince ??= performance.now()
    const waited = performance.now() - known.behindSince
    return known.listing || wanted > record || to - record >= GATHERED || waited >= gather
  }
  const follow = async (connection: PostgresConnection, wanted: number): Promise<Followed> => {
    const { taken, progress, to } = await look(connection)
    // A database that is being prepared has nothing to follow yet.
    if (progress === undefined || to === undefined) return await end(connection, 'idle')
    if (!taken) {
      await end(connection, 'taken')
      if (wanted > progress.wanted) await connection.send([plain(WANT, [wanted])])
      return 'taken'
    }
    if (progress.version !== SEARCH_VERSION || progress.record > to) {
      await connection.send([plain('TRUNCATE search_document')])
      return await put(connection, { ...progress, record: 0, change: 0, entry: 0 }, to, known)
    }
    if (progress.record < to) {
      const due = isDue({ ...progress, wanted: Math.max(progress.wanted, wanted) }, to)
      return due ? await put(connection, progress, to, known) : await end(connection, 'gathering')
    }
    known.behindSince = undefined
    return await end(connection, 'idle')
  }

  return {
    /** Brings the index nearer to the store in one transaction, or learns that there is no need to yet; `wanted` is the newest record that a search of this node waits for. */
    async follow(connection: PostgresConnection, wanted = 0): Promise<Followed> {
      // A server that was lost may have lost the newest commits of the index too.
      if (connection !== session) known = ignorant()
      session = connection
      try {
        return await follow(connection, wanted)
      } catch (error) {
        // What was noted in a transaction that came to nothing was not kept.
        known = ignorant()
        await connection.exec(`ROLLBACK; ${LIST_FEW}`).catch(() => {})
        throw error
      }
    },
  }
}

/** Begins a transaction, under the lock of whoever follows if that is free, and tells how far the index and the store are. */
async function look(connection: PostgresConnection) {
  const [, lock, found, head] = await connection.send([
    plain('BEGIN'),
    plain('SELECT pg_try_advisory_xact_lock($1) AS taken', [FOLLOWING]),
    plain('SELECT version, record, change, entry, wanted FROM search_progress'),
    plain('SELECT record FROM head'),
  ])
  return {
    taken: lock?.rows[0]?.taken as unknown as boolean,
    progress: found?.rows[0] as Progress | undefined,
    to: head?.rows[0]?.record as number | undefined,
  }
}

/** Puts the next entries into the index, and commits. GIN only lists many, and sorts them in once the last are there. */
async function put(
  connection: PostgresConnection,
  { record, change, entry }: Progress,
  to: number,
  known: Known,
): Promise<Followed> {
  if (to - record > BATCH && !known.listing) {
    await connection.send([plain(LIST_MANY)])
    known.listing = true
  }
  const [found] = await connection.send([changedAfter(change, entry)])
  const changed = (found?.rows ?? []) as ChangedEntryRow[]
  const last = changed.at(-1)
  const complete = last === undefined || changed.length < BATCH
  // What was committed since the head was read is put with the others.
  const reached = Math.max(to, last?.change ?? change)
  const documents = changed.filter(({ withdrawn }) => !withdrawn).map(documentOf)
  // Words are never taken out again: one that no entry holds any more finds nothing.
  for (const document of documents) noteWords(known.words, document)
  const columns = NAMES.map((_, index) => documents.map(document => document[index] ?? null))
  await connection.send([
    plain('DELETE FROM search_document WHERE entry = ANY($1::bigint[])', [changed.map(({ number }) => number)]),
    plain(INSERT, columns),
    plain(KEEP_WORDS, [known.words.take()]),
    plain('UPDATE search_progress SET version = $1, record = $2, change = $3, entry = $4', [
      SEARCH_VERSION,
      // One change can concern many entries: only a change before the last one is known to be complete.
      ...(complete ? [reached, reached, Number.MAX_SAFE_INTEGER] : [last.change - 1, last.change, last.number]),
    ]),
    plain('COMMIT'),
  ])
  known.behindSince = undefined
  if (!complete) return 'more'
  if (known.listing) await connection.send([plain(TIDY), plain(LIST_FEW)])
  known.listing = false
  return 'done'
}

const KEEP_WORDS = 'INSERT INTO search_word SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING'
const WANT = 'UPDATE search_progress SET wanted = greatest(wanted, $1)'

/** Only the owner may sort into the index what GIN has only listed so far. */
const OWNED = `FROM pg_class WHERE oid = 'search_document_words'::regclass AND pg_has_role(relowner, 'USAGE')`
const TIDY = `SELECT gin_clean_pending_list(oid) ${OWNED}`
/** How much GIN lists before it sorts it in by itself, in kB: a search reads the list from end to end, and to sort in much at a time costs less. */
const LIST_FEW = `SET gin_pending_list_limit = 1024`
const LIST_MANY = `SELECT set_config('gin_pending_list_limit', '16384', false) ${OWNED}`

/** What a session that follows begins with: the index is derived, so that its commits need not wait for the disk. */
export const prepareToFollow = (connection: PostgresConnection): Promise<void> =>
  connection.exec(`SET synchronous_commit = off; ${LIST_FEW}`)

/** Sorts into the index what GIN has only listed so far. */
export async function tidy(connection: PostgresConnection): Promise<void> {
  await connection.send([plain(TIDY)])
}

async function end(connection: PostgresConnection, followed: Followed): Promise<Followed> {
  await connection.exec('ROLLBACK')
  return followed
}

const changedAfter = (change: number, entry: number): Query => {
  const { queries } = mergeStatements([changedEntries(change, entry, BATCH)], new Map())
  return queries[0] as Query
}
