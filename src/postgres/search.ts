import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Problem } from '../contract/problems.ts'
import type { Reader } from '../database/database.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import { sql } from '../database/sql.ts'
import type { Term } from '../domain/terms.ts'
import type { SearchRequest, SearchResult } from '../operations/operation.ts'
import { SEARCH_VERSION, segmentOf } from './search-document.ts'
import {
  type Asked,
  byRank,
  candidates,
  lookingThrough,
  type Match,
  matching,
  PHRASE_WINDOW,
  PREFIX_WORDS,
  queryOf,
  wordsBeginningWith,
} from './search-query.ts'
import { createSession, type Session } from './session.ts'

const SEARCH_SESSIONS = 4
/** Searches under way before further ones are refused as OVERLOADED. */
const SEARCHES_MAX = 1_000
/** How long a search waits for the index, how often it looks, and how long its statement may take, in milliseconds. */
const PATIENCE = 5_000
const PAUSE = 5
const STATEMENT_TIMEOUT = 2_000
/** The newest segment is searched by itself, then so many times as many at a time at most, and never more: of each match GIN asks every key of a search. */
const SEGMENTS_GROWTH = 8
const SEGMENTS_MAX = 32
/** Bytes of a query for one segment, times segments, at most: PostgreSQL takes no more than a megabyte, with the numbers of the segments. */
const QUERY_MAX = 100_000
/** Up to so many matches are looked for among the newest documents first. */
const LOOKED_FOR = 51
/** Of the matches, the newest so many are ranked; older ones follow by recency. Bounds the work of one query. */
const WINDOWS = { recent: 0, relevance: 2_000, evolution: 10_000 }

export type SearchOptions = {
  url: string
  /** Where searches run: a standby, or the primary too. */
  readUrl: string
  /** Reads what is committed. */
  reader: Reader
  /** Told when the index can no longer be followed. */
  onDeath: (error: Error) => void
}

/** Searches the index in PostgreSQL, each search once the index has everything that was committed when it was asked, and keeps the index up to the store. */
export function openSearch({ url, readUrl, reader, onDeath }: SearchOptions) {
  const follower = new Worker(new URL('./index-thread.ts', import.meta.url), { workerData: { url }, name: 'index' })
  let closing = false
  follower.on('error', onDeath)
  const exited = new Promise<void>(resolve => {
    follower.once('exit', () => {
      if (!closing) onDeath(new Error('The thread that follows with the index has ended.'))
      resolve()
    })
  })
  const sessions: Session[] = Array.from({ length: SEARCH_SESSIONS }, () =>
    createSession({ url: readUrl, name: 'search', statementTimeout: STATEMENT_TIMEOUT, idleTimeout: 5_000 }, plainly),
  )
  const alone = createQueues(sessions)
  let underWay = 0

  return {
    async search(request: SearchRequest): Promise<SearchResult> {
      if (underWay >= SEARCHES_MAX) throw new Problem('OVERLOADED', { retryAfter: 1 })
      underWay += 1
      try {
        const head = await reader.one<{ record: number }>(sql`SELECT record FROM head`)
        const deadline = performance.now() + PATIENCE
        let told = false
        for (;;) {
          const result = await alone(connection => searchOnce(connection, request, head?.record ?? 0))
          if (result !== undefined) return result
          if (!told) follower.postMessage(head?.record ?? 0)
          told = true
          if (performance.now() > deadline) throw new Problem('NOT_READY', { retryAfter: 5 })
          await setTimeout(PAUSE)
        }
      } finally {
        underWay -= 1
      }
    },
    pending: () => underWay,
    async close(): Promise<void> {
      closing = true
      follower.postMessage('stop')
      await exited
      await Promise.all(sessions.map(session => session.close()))
    },
  }
}

/**
 * Every search goes by the index: the server's guesses about words that are asked for together are no ground for anything else.
 * Matches lie all over the table: their pages are read many at a time.
 */
const plainly = (connection: PostgresConnection): Promise<void> =>
  connection.exec('SET enable_seqscan = off; SET jit = off; SET work_mem = "32MB"; SET effective_io_concurrency = 64')

/** Gives each work a session to itself, the one for which the fewest wait. */
function createQueues(sessions: readonly Session[]) {
  const queues = sessions.map(session => ({ session, waiting: 0, last: Promise.resolve() as Promise<unknown> }))
  return async <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
    const queue = queues.reduce((best, one) => (one.waiting < best.waiting ? one : best))
    queue.waiting += 1
    const done = queue.last.then(async () => work(await queue.session.get()))
    queue.last = done.catch(() => {})
    try {
      return await done
    } finally {
      queue.waiting -= 1
    }
  }
}

const BEGIN: Query = { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', values: [] }
/** The newest document can be of a later record than the one up to which all are there. */
const PROGRESS: Query = {
  text: 'SELECT version, record, (SELECT max(number) FROM search_document) AS newest FROM search_progress',
  values: [],
}

/** Searches one state of the index, so that an entry that is revised meanwhile is found once; undefined where the index has not reached a record. */
async function searchOnce(
  connection: PostgresConnection,
  request: SearchRequest,
  record: number,
): Promise<SearchResult | undefined> {
  try {
    const [, found] = await connection.send([BEGIN, PROGRESS])
    const progress = found?.rows[0] as { version: number; record: number; newest: number | null } | undefined
    const reached = progress?.version === SEARCH_VERSION && progress.record >= record
    return reached ? await find(connection, request, progress.newest ?? 0) : undefined
  } finally {
    await connection.exec('ROLLBACK').catch(() => {})
  }
}

/** Finds one page of the entries that match, in the order asked for; `newest` is the number of the newest document. */
async function find(connection: PostgresConnection, request: SearchRequest, newest: number): Promise<SearchResult> {
  const { sort, limit, offset } = request
  const asked: Asked = { ...request, beginning: await wordsThatBegin(connection, request.terms) }
  const window = WINDOWS[sort]
  const wanted = offset + limit + 1
  const recent = (): Promise<Found> => newestMatches(connection, { ...asked, sort: 'recent' }, newest, wanted, wanted)
  const ranked = window === 0 ? await recent() : await newestMatches(connection, asked, newest, window, wanted)
  const goesOn = window > 0 && ranked.matches === window && wanted > window
  const entries = goesOn ? [...ranked.entries, ...(await recent()).entries.slice(window)] : ranked.entries
  return { entries: entries.slice(offset, offset + limit), more: entries.length > offset + limit }
}

/** How many matches there are, and the first of them in their order. */
type Found = { matches: number; entries: number[] }

/** The first `wanted` of the newest `count` matches, ranked as the request says; sought in ever more segments, the newest first. */
async function newestMatches(
  connection: PostgresConnection,
  asked: Asked,
  newest: number,
  count: number,
  wanted: number,
): Promise<Found> {
  if (asked.sort === 'recent' && count <= LOOKED_FOR) {
    const [found] = await connection.send([lookingThrough(asked, count)])
    if (found?.rows.length === count) return { matches: count, entries: found.rows.map(({ entry }) => Number(entry)) }
  }
  const hasPhrase = asked.terms.some(({ words }) => words.length > 1)
  const first: Match[] = []
  let matches = 0
  let looked = 0
  const most = Math.max(1, Math.min(SEGMENTS_MAX, Math.floor(QUERY_MAX / Buffer.byteLength(queryOf(asked)))))
  let size = 1
  for (let next = segmentOf(newest); next >= 0 && matches < count && looked < PHRASE_WINDOW; ) {
    const segments = Array.from({ length: Math.min(size, most, next + 1) }, (_, back) => next - back)
    const [found, candidate] = await connection.send([
      matching(asked, segments, count - matches, wanted),
      ...(hasPhrase ? [candidates(asked, segments)] : []),
    ])
    const rows = (found?.rows ?? []) as unknown as (Match & { matches: number })[]
    first.push(...rows)
    matches += rows[0]?.matches ?? 0
    looked += Number(candidate?.rows[0]?.n ?? 0)
    next -= segments.length
    // As many more as what was found suggests, and some more.
    const enough = (1.5 * (count - matches) * (segmentOf(newest) - next)) / Math.max(1, matches)
    size = Math.ceil(Math.min(SEGMENTS_GROWTH * size, Math.max(1, enough)))
  }
  const entries = first.sort(byRank).map(({ entry }) => entry)
  return { matches, entries: entries.slice(0, wanted) }
}

/** The words that begin with what the query ends with; undefined where it ends with a whole word, or there are too many. */
async function wordsThatBegin(connection: PostgresConnection, terms: readonly Term[]): Promise<string[] | undefined> {
  const last = terms.find(({ prefix }) => prefix)?.words.at(-1)
  if (last === undefined) return undefined
  const [found] = await connection.send([wordsBeginningWith(last)])
  const words = (found?.rows ?? []).map(({ word }) => String(word))
  return words.length > PREFIX_WORDS ? undefined : words
}
