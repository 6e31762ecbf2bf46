import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Cached, OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { waitUnlessAborted } from '../engine/database.ts'
import { ALL_TAGS, actorTag, ENTRY_TAG, entryTag, LIST_TAG, MODERATED_TAG, tagsToPurge } from '../memory/cache-tag.ts'
import type { Newest, RecordRange } from '../memory/head-rows.ts'
import { listTouched, readPurged } from '../memory/moderation/rows.ts'
import type { Answer } from '../memory/operation.ts'
import type { Store, WriteEnvironment } from '../memory/store.ts'
import { shortDigest } from '../memory/values.ts'
import { errorCode } from '../operator-error.ts'

/** The inputs of the cache fields of an answer, in addition to the answer. `seconds` is the lifetime; 0 turns shared caches off. */
type SharedCache = {
  seconds: number
  operation: OperationName
  params: Record<string, string>
  /** Whether the request had a token. */
  identified: boolean
}

/** Returns the inputs of the cache fields for a request of an operation. */
export const sharedCacheOf = (
  { sharedCacheSeconds: seconds }: Pick<Config, 'sharedCacheSeconds'>,
  { headers }: IncomingMessage,
  operation: OperationName,
  params: Record<string, string> = {},
): SharedCache => {
  const identified = headers['x-actor-token'] !== undefined || headers.authorization !== undefined
  return { seconds, operation, params, identified }
}

const NONE: Record<string, string> = {}

type Tagged = Pick<Answer, 'observed' | 'alsoObserved' | 'digest' | 'etag'>
type TagsOf = (answer: Tagged, params: Record<string, string>) => string[] | undefined

/** The tags of a shared answer. A batch of 50 entries has the most: 52 of at most 17 characters, less than 1 KiB. */
const TAGS: Record<Cached, TagsOf> = {
  entry: ({ observed }) => (observed?.entry == null ? undefined : [ENTRY_TAG, entryTag(observed.entry)]),
  // A missing item may be created later.
  batch: ({ alsoObserved = [] }) => [LIST_TAG, ENTRY_TAG, ...alsoObserved.map(({ entry }) => entryTag(entry))],
  actor: (_answer, { id = '' }) => [MODERATED_TAG, actorTag(id)],
  list: () => [LIST_TAG],
  // Only a finished segment has a digest.
  segment: ({ digest }) => (digest === undefined ? undefined : [MODERATED_TAG]),
}

function tagsOf(answer: Tagged, { operation, params }: SharedCache): string[] | undefined {
  const { cached }: Operation = OPERATIONS[operation]
  return cached && TAGS[cached](answer, params)
}

/**
 * Returns the header fields by which the operator's own caches store an answer (RFC 9213). If the request had a token, they exclude the
 * answer from all shared caches.
 */
export const sharedCacheFields = (answer: Tagged, shared: SharedCache): Record<string, string> =>
  answer.etag === undefined && shared.identified ? NONE : fieldsOf(shared, tagsOf(answer, shared))

/** Like `sharedCacheFields`, for a page. A page may show texts of other entries, so each act of moderation purges it. */
export function pageCacheFields(answer: Tagged, shared: SharedCache): Record<string, string> {
  const tags = tagsOf(answer, shared)
  return fieldsOf(shared, tags && [...new Set([...tags, MODERATED_TAG])])
}

function fieldsOf({ seconds, identified }: SharedCache, tags: readonly string[] | undefined): Record<string, string> {
  if (seconds === 0) return {}
  if (identified) return { 'cache-control': 'private, no-cache' }
  if (tags === undefined) return {}
  const lifetime = `max-age=${seconds}`
  return {
    'cdn-cache-control': lifetime,
    'surrogate-control': lifetime,
    'cache-tag': tags.join(','),
    'surrogate-key': tags.join(' '),
  }
}

export type Purging = {
  store: Store
  logger: Logger
  environment(): WriteEnvironment
  /** The address of the cache. */
  url: string
  /** A request field that authenticates the purge to the cache. */
  header: readonly [name: string, value: string] | undefined
}

/** Maximum number of changes of one kind that are purged one by one. Past it, everything is purged. */
const TOUCHED_MAX = 1_000
/** Maximum number of tags in one request. */
const TAGS_MAX = 100
/** How long a cache may take to answer, in milliseconds. */
const ANSWER_TIMEOUT = 5_000
/** The minimum time between two rounds, in milliseconds. Writes within it are purged together. */
const ROUND_INTERVAL = 50
/** Milliseconds after which a purge is repeated. A cache may store an answer after the purge that it requested before the commit. */
const REPEAT_AFTER = 5_000
/** Pauses after a failed purge, in milliseconds: from the first, doubled up to the last. */
const FIRST_PAUSE = 250
const LAST_PAUSE = 30_000

/**
 * Purges from a cache the answers that each commit changed, with one request at a time. Reads the permanent records in the order of
 * commits, and stores the record up to which the cache was purged, so that no change is missed after a crash. Every node with the setting
 * purges everything.
 */
export class Purger {
  readonly #purging: Purging
  readonly #cache: string
  readonly #stopped = new AbortController()
  readonly #endListening: () => void
  readonly #running: Promise<void>
  #wake = (): void => {}
  /** The newest record whose changes were sent once. */
  #sent: Newest | undefined
  /** The record up to which they were sent twice, as it is stored. */
  #settled = 0
  /** The last record of each round whose changes were sent once, and the time in milliseconds of the monotonic clock. */
  #unsettled: { record: number; at: number }[] = []

  constructor(purging: Purging) {
    this.#purging = purging
    this.#cache = shortDigest(purging.url)
    this.#endListening = purging.store.onCommit(() => this.#wake())
    this.#running = this.#follow()
  }

  async close(): Promise<void> {
    this.#endListening()
    this.#stopped.abort()
    this.#wake()
    await this.#running
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopped
    const { logger } = this.#purging
    let pause = 0
    while (!signal.aborted) {
      const committed = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      try {
        const due = await this.#round()
        if (pause > 0) logger.info({ cache: this.#host }, 'the cache accepts purges again')
        pause = 0
        await Promise.all([
          this.#pauseFor(ROUND_INTERVAL),
          Promise.race([committed, ...(due === undefined ? [] : [this.#pauseFor(due)])]),
        ])
      } catch (error) {
        if (signal.aborted) return
        const context = { cache: this.#host, reason: error instanceof Error ? error.message : String(error) }
        if (pause === 0) logger.error(context, 'a purge of the cache failed; it is tried again until it succeeds')
        pause = Math.min(LAST_PAUSE, Math.max(FIRST_PAUSE, pause * 2))
        await this.#pauseFor(pause)
      }
    }
  }

  readonly #pauseFor = (milliseconds: number): Promise<void> => waitUnlessAborted(milliseconds, this.#stopped.signal)

  get #host(): string {
    return new URL(this.#purging.url).host
  }

  /**
   * Purges what was committed since the last round, and repeats the purges that are due. Returns the milliseconds until the next
   * repetition; undefined if none is left.
   */
  async #round(): Promise<number | undefined> {
    const { store } = this.#purging
    const newest = await store.latestRecord()
    if (this.#sent === undefined) {
      this.#settled = await readPurged(store.reader, this.#cache)
      this.#sent = { record: this.#settled, storeEpoch: newest.storeEpoch }
    }
    const { record, storeEpoch } = this.#sent
    // An earlier state of the store was restored: the same numbers may name other records.
    const lost = newest.storeEpoch !== storeEpoch || newest.record < record
    if (lost || newest.record > record) {
      await this.#purge(lost ? 'all' : { above: record, upTo: newest.record })
      this.#sent = newest
      this.#unsettled.push({ record: newest.record, at: performance.now() })
    }
    await this.#repeat()
    const [next] = this.#unsettled
    return next === undefined ? undefined : Math.max(1, next.at + REPEAT_AFTER - performance.now())
  }

  async #repeat(): Promise<void> {
    const { store, environment } = this.#purging
    const before = performance.now() - REPEAT_AFTER
    const due = this.#unsettled.findLast(({ at }) => at <= before)
    if (due === undefined) return
    const isLost = due.record < this.#settled
    await this.#purge(isLost ? 'all' : { above: this.#settled, upTo: due.record })
    await store.maintain('keepPurged', { cache: this.#cache, record: due.record }, environment())
    this.#settled = due.record
    this.#unsettled = this.#unsettled.filter(({ at }) => at > before)
  }

  async #purge(records: RecordRange | 'all'): Promise<void> {
    const { reader } = this.#purging.store
    const tags = records === 'all' ? ALL_TAGS : tagsToPurge(await listTouched(reader, records, TOUCHED_MAX))
    for (let from = 0; from < tags.length; from += TAGS_MAX) {
      await this.#send(tags.slice(from, from + TAGS_MAX))
    }
  }

  async #send(tags: readonly string[]): Promise<void> {
    const { url, header } = this.#purging
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'surrogate-key': tags.join(' '),
        ...(header === undefined ? {} : { [header[0]]: header[1] }),
      },
      body: JSON.stringify({ tags }),
      signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(ANSWER_TIMEOUT)]),
    }).catch(error => {
      throw new Error(`it cannot be reached (${unreachableBecause(error)})`)
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`it answered ${response.status}`)
  }
}

/** The code of the system error, or the message. */
const unreachableBecause = (error: Error): string => errorCode(error.cause) ?? error.message
