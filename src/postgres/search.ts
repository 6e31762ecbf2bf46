import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Problem } from '../contract/problems.ts'
import type { Reader } from '../database/database.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import { sql } from '../database/sql.ts'
import type { Term } from '../domain/terms.ts'
import type { SearchRequest, SearchResult } from '../operations/operation.ts'
import { SEARCH_VERSION, sliceOf } from './search-document.ts'
import {
  type Asked,
  candidates,
  lookingThrough,
  matching,
  PHRASE_WINDOW,
  PREFIX_WORDS,
  wordsBeginningWith,
} from './search-query.ts'
import { createSession, type Session } from './session.ts'

const SEARCH_SESSIONS = 2
/** Searches under way before further ones are refused as OVERLOADED. */
const SEARCHES_MAX = 1_000
/** How long a search waits for the index, how often it looks, and how long its statement may take, in milliseconds. */
const PATIENCE = 5_000
const PAUSE = 5
const STATEMENT_TIMEOUT = 2_000
/** How many of the newest slices are searched first, how many times as many next when nothing was found, and at most; then all are. */
const FIRST_SLICES = 2
const SLICES_GROWTH = 8
const SLICES_MAX = 256
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
  let underWay = 0

  return {
    async search(request: SearchRequest): Promise<SearchResult> {
      if (underWay >= SEARCHES_MAX) throw new Problem('OVERLOADED', { retryAfter: 1 })
      underWay += 1
      try {
        const head = await reader.one<{ record: number }>(sql`SELECT record FROM head`)
        const connection = await idlest(sessions)
        const newest = await indexed(connection, head?.record ?? 0)
        return await find(connection, request, newest)
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

/** Every search goes by the index: the server's guesses about words that are asked for together are no ground for anything else. */
const plainly = (connection: PostgresConnection): Promise<void> =>
  connection.exec('SET enable_seqscan = off; SET jit = off; SET work_mem = "32MB"')

async function idlest(sessions: readonly Session[]): Promise<PostgresConnection> {
  const open = await Promise.allSettled(sessions.map(session => session.get()))
  const connections = open.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  const [best] = connections.sort((a, b) => a.pending() - b.pending())
  if (best !== undefined) return best
  throw (open[0] as PromiseRejectedResult).reason
}

const PROGRESS: Query = { text: 'SELECT version, record FROM search_progress', values: [] }

/** Waits until the index has reached a record, and gives the newest that it has. */
async function indexed(connection: PostgresConnection, record: number): Promise<number> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const [found] = await connection.send([PROGRESS])
    const progress = found?.rows[0] as { version: number; record: number } | undefined
    if (progress?.version === SEARCH_VERSION && progress.record >= record) return progress.record
    if (performance.now() > deadline) throw new Problem('NOT_READY', { retryAfter: 5 })
    await setTimeout(PAUSE)
  }
}

/** Finds one page of the entries that match, in the order asked for. */
async function find(connection: PostgresConnection, request: SearchRequest, newest: number): Promise<SearchResult> {
  const { sort, limit, offset } = request
  const asked: Asked = { ...request, beginning: await wordsThatBegin(connection, request.terms) }
  const window = WINDOWS[sort]
  const wanted = offset + limit + 1
  const ranked = window === 0 ? [] : await newestMatches(connection, asked, newest, window)
  const rest =
    ranked.length < window || wanted <= window
      ? []
      : await newestMatches(connection, { ...asked, sort: 'recent' }, newest, wanted)
  const all = window === 0 ? await newestMatches(connection, asked, newest, wanted) : [...ranked, ...rest.slice(window)]
  return { entries: all.slice(offset, offset + limit), more: all.length > offset + limit }
}

/** The newest `count` matches, ranked as the request says; sought in ever more slices, the newest first. */
async function newestMatches(
  connection: PostgresConnection,
  asked: Asked,
  newest: number,
  count: number,
): Promise<number[]> {
  if (asked.sort === 'recent' && count <= LOOKED_FOR) {
    const [found] = await connection.send([lookingThrough(asked, count)])
    if (found?.rows.length === count) return found.rows.map(({ entry }) => Number(entry))
  }
  const hasPhrase = asked.terms.some(({ words }) => words.length > 1)
  for (let slices = FIRST_SLICES * Math.max(1, sliceOf(count)); ; ) {
    const all = slices > SLICES_MAX || slices > sliceOf(newest)
    const among = all ? undefined : newestSlices(newest, slices)
    const [found, looked] = await connection.send([
      matching(asked, among, count),
      ...(hasPhrase && !all ? [candidates(asked, among)] : []),
    ])
    const entries = (found?.rows ?? []).map(({ entry }) => Number(entry))
    if (all || entries.length >= count || Number(looked?.rows[0]?.n ?? 0) >= PHRASE_WINDOW) return entries
    // As many again as what was found suggests, and some more.
    const enough = (slices * 1.5 * count) / Math.max(1, entries.length)
    slices = Math.ceil(Math.max(2 * slices, Math.min(SLICES_GROWTH * slices, enough)))
  }
}

const newestSlices = (newest: number, count: number): number[] =>
  Array.from({ length: count }, (_, back) => sliceOf(newest) - back)

/** The words that begin with what the query ends with; undefined where it ends with a whole word, or there are too many. */
async function wordsThatBegin(connection: PostgresConnection, terms: readonly Term[]): Promise<string[] | undefined> {
  const last = terms.find(({ prefix }) => prefix)?.words.at(-1)
  if (last === undefined) return undefined
  const [found] = await connection.send([wordsBeginningWith(last)])
  const words = (found?.rows ?? []).map(({ word }) => String(word))
  return words.length > PREFIX_WORDS ? undefined : words
}
