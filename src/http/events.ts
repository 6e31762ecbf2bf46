import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import { LIMITS, STREAMS as STREAM_LIMITS } from '../contract/limits.ts'
import { Problem } from '../contract/problem.ts'
import { StoreFault } from '../engine/database.ts'
import { type ChangeFilter, isChosen } from '../memory/activity/rules.ts'
import type { StreamEvent, StreamName, StreamOperation, StreamPage } from '../memory/operation.ts'
import { STREAMS } from '../memory/run.ts'
import type { Store } from '../memory/store.ts'
import { sequenceOf } from '../memory/values.ts'
import type { Admitted } from './check.ts'
import type { Exchange } from './exchange.ts'

/**
 * Schedules runs of `look`, one at a time, each at least `pause` milliseconds after the end of the previous one. Runs it again if it
 * returns true. `onFailure` is called with the first of consecutive failures. After a failure, the next call of `wake` tries again.
 */
class Throttle {
  readonly #look: () => Promise<boolean>
  readonly #pause: () => number
  readonly #onFailure: (error: unknown) => void
  #isScheduled = false
  #isRunning = false
  #isWoken = false
  #hasFailed = false
  /** When the previous run ended, in milliseconds of the monotonic clock. */
  #endedAt = 0

  constructor(look: () => Promise<boolean>, pause: () => number, onFailure: (error: unknown) => void) {
    this.#look = look
    this.#pause = pause
    this.#onFailure = onFailure
  }

  /** Schedules a run, unless one is scheduled; during a run, the next one. */
  readonly wake = (): void => {
    this.#isWoken = true
    if (this.#isRunning || this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(this.#run, Math.max(0, this.#endedAt + this.#pause() - performance.now())).unref()
  }

  readonly #run = async (): Promise<void> => {
    this.#isScheduled = false
    this.#isRunning = true
    this.#isWoken = false
    try {
      const more = await this.#look()
      this.#isWoken ||= more
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed) this.#onFailure(error)
      this.#hasFailed = true
    }
    this.#isRunning = false
    this.#endedAt = performance.now()
    if (this.#isWoken) this.wake()
  }
}

/**
 * Returns a function that runs works one after another, each followed by a pause of `share` times its duration, at most `longest`
 * milliseconds. Any number of works therefore takes a bounded share of the time.
 */
function createPacedQueue(share: number, longest: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free: Promise<unknown> = Promise.resolve()
  return work => {
    let began = 0
    const done = free.then(() => {
      began = performance.now()
      return work()
    })
    const rest = (): Promise<void> =>
      after(Math.min(share * (performance.now() - began), longest), undefined, { ref: false })
    free = done.then(rest, rest)
    return done
  }
}

/** Rows of one read: for all current streams, and for one lagging stream. */
const ROUND_ROWS = 200
const PAGE_ROWS = 50
/** The minimum pause between two rounds in milliseconds: fixed, and per stream, so that many streams leave time for other work. */
const ROUND_PAUSE = 10
const ROUND_PAUSE_EACH = 0.1
/**
 * After a read for a lagging stream, the next such read waits this many times its duration, at most `LAG_REST_MAX` milliseconds, so that
 * other work continues.
 */
const LAG_REST = 3
const LAG_REST_MAX = 100

/** The bytes of events up to a position; empty if the stream shows none of them. */
export type Stretch = { to: number; bytes: Buffer }
/** Rows above `from` up to `to`, read once for all streams. */
type Round = { from: number; to: number; bytesFor(filter: ChangeFilter | undefined): Buffer }

const NOTHING = Buffer.alloc(0)

/** Events as the text of an event stream (WHATWG HTML, 9.2.6). JSON has no line ends. */
const textOf = ({ id, event, data }: StreamEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const stretchOf = ({ to, bytesFor }: Round, filter: ChangeFilter | undefined): Stretch => ({
  to,
  bytes: bytesFor(filter),
})

/** Formats each event of a page once. Joins the selected events for each stream that has a filter. */
function roundOf(from: number, { events, place }: StreamPage): Round {
  const texts = events.map(event => ({ key: event.key, text: textOf(event) }))
  const all = texts.length === 0 ? NOTHING : Buffer.from(texts.map(({ text }) => text).join(''))
  return {
    from,
    to: place,
    bytesFor(filter) {
      if (filter === undefined) return all
      const chosen = texts.filter(({ key }) => key !== undefined && isChosen(filter, key))
      return chosen.length === 0 ? NOTHING : Buffer.from(chosen.map(({ text }) => text).join(''))
    },
  }
}

/** Logs a fault, except a failure of the store: the store notifies when its connection returns. */
const reportTo = (logger: Logger) => (error: unknown) => {
  if (error instanceof StoreFault || error instanceof Problem) return
  logger.error({ err: error }, 'streams are interrupted')
}

/**
 * Broadcasts one list to all streams of the process: each commit is read once and sent to all current streams. A lagging stream reads its
 * own pages until it has caught up. The broadcaster listens for commits only while there are streams.
 */
export class Broadcaster {
  readonly #source: StreamOperation
  readonly #store: Pick<Store, 'reader' | 'onCommit'>
  readonly #waiting = new WaitingStreams()
  readonly #inTurn = createPacedQueue(LAG_REST, LAG_REST_MAX)
  readonly #rounds: Throttle
  #streams = 0
  /** The position up to which the list was read for current streams. */
  #tip = 0
  #unfollow: (() => void) | undefined

  constructor(source: StreamOperation, store: Pick<Store, 'reader' | 'onCommit'>, logger: Logger) {
    this.#source = source
    this.#store = store
    const pause = (): number => Math.max(ROUND_PAUSE, ROUND_PAUSE_EACH * this.#streams)
    this.#rounds = new Throttle(() => this.#readRound(), pause, reportTo(logger))
  }

  /** Registers a stream until `end` is called for it. Returns the position of the newest row. */
  async begin(): Promise<number> {
    this.#streams += 1
    const newest = await this.#source.newest(this.#store.reader)
    if (this.#unfollow === undefined && this.#streams > 0) {
      this.#tip = newest
      this.#unfollow = this.#store.onCommit(this.#rounds.wake)
      // The listener was not notified of commits since that read.
      this.#rounds.wake()
    }
    return newest
  }

  end(): void {
    this.#streams -= 1
    if (this.#streams > 0) return
    this.#unfollow?.()
    this.#unfollow = undefined
  }

  /** Resolves with the events after a position; with none after `patience` milliseconds, or if `ended` is aborted. */
  async next(place: number, patience: number, ended: AbortSignal, filter?: ChangeFilter): Promise<Stretch> {
    if (place >= this.#tip) {
      const stretch = await this.#waiting.join(place, patience, ended, filter)
      if (stretch !== undefined) return stretch
    }
    return this.#inTurn(async () => {
      if (ended.aborted) return { to: place, bytes: NOTHING }
      return stretchOf(await this.#read(place, PAGE_ROWS, this.#tip, filter), filter)
    })
  }

  /** Reads the next rows for all current streams. Returns whether there are more. */
  async #readRound(): Promise<boolean> {
    const newest = await this.#source.newest(this.#store.reader)
    if (newest <= this.#tip) return false
    const round = await this.#read(this.#tip, ROUND_ROWS, newest)
    this.#tip = round.to
    this.#waiting.resume(round)
    return this.#tip < newest
  }

  /** Reads at most `limit` rows after a position. `newest` is a known position of a row. */
  async #read(from: number, limit: number, newest: number, filter?: ChangeFilter): Promise<Round> {
    return roundOf(from, await this.#source.after(this.#store.reader, from, limit, Math.max(from, newest), filter))
  }
}

type Waiter = { place: number; filter: ChangeFilter | undefined; resume(stretch: Stretch | undefined): void }

/**
 * Streams that wait for the next round with events for them. Rounds are not stored, because a later withdrawal must take effect. A stream
 * without events in a round continues to wait, at the position where the round ended.
 */
class WaitingStreams {
  readonly #waiters = new Set<Waiter>()

  resume(round: Round): void {
    for (const waiter of this.#waiters) {
      const stretch = waiter.place === round.from ? stretchOf(round, waiter.filter) : undefined
      if (stretch !== undefined) waiter.place = stretch.to
      if (stretch?.bytes.length !== 0) waiter.resume(stretch)
    }
  }

  /** Resolves with the events of the first such round; undefined if a round began at another position than that of the stream. */
  join(
    place: number,
    patience: number,
    ended: AbortSignal,
    filter: ChangeFilter | undefined,
  ): Promise<Stretch | undefined> {
    return new Promise(resolve => {
      const resume = (stretch: Stretch | undefined): void => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        ended.removeEventListener('abort', stop)
        resolve(stretch)
      }
      const waiter: Waiter = { place, filter, resume }
      const stop = (): void => resume({ to: waiter.place, bytes: NOTHING })
      const timer = setTimeout(stop, patience)
      this.#waiters.add(waiter)
      ended.addEventListener('abort', stop)
      if (ended.aborted) stop()
    })
  }
}

/** The time after which a client reconnects. */
const RECONNECT_MS = 2_000
/** Retry-After for a refused client, in seconds. */
const RETRY_AFTER = 15
/** Maximum number of bytes that are produced in advance of the connection. */
const AHEAD = 16_384
/** The time after which a stop closes the connections of streams that have not ended. */
const CLOSE_TIMEOUT_MS = 1_000

const FIELDS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that buffer answers would delay events.
  'x-accel-buffering': 'no',
  // The connection ends with the stream, so that a stop does not wait for another request.
  connection: 'close',
}
const EVENT_ID = new RegExp(`^[0-9]{1,${LIMITS.cursorDigits}}$`)

/** The streams of events of this process. */
export class Streams {
  readonly #store: Store
  readonly #places = new StreamPlaces()
  readonly #broadcasters: Record<StreamName, Broadcaster>

  constructor(store: Store, logger: Logger) {
    this.#store = store
    this.#broadcasters = Object.fromEntries(
      Object.entries(STREAMS).map(([name, source]) => [name, new Broadcaster(source, store, logger)]),
    ) as Record<StreamName, Broadcaster>
  }

  /** Answers with the events after Last-Event-ID, or after the query's `after`, or from now on. Throws TOO_MANY_STREAMS. */
  async open({ name: ofStream, caller, query }: Admitted, exchange: Exchange): Promise<undefined> {
    const name = ofStream as StreamName
    const broadcaster = this.#broadcasters[name]
    const filter = await (STREAMS[name] as StreamOperation).filter?.(this.#store.reader, query)
    const after = lastEventIdOf(exchange.headers) ?? (query.after as string | undefined)
    // A client that left before its admission would never release its place, because its connection is already closed.
    if (exchange.method === 'HEAD' || exchange.response.closed) {
      exchange.set(FIELDS).send(200)
      return
    }
    const ended = this.#places.take(exchange.response, caller.origin.networkKey, () => broadcaster.end())
    const newest = await broadcaster.begin()
    const from = after === undefined ? newest : Math.min(sequenceOf(after), newest)
    const pieces = piecesOf(broadcaster, from, ended, filter)
    await exchange.set(FIELDS).stream(200, Readable.from(pieces, { objectMode: false, highWaterMark: AHEAD }))
  }

  /** The number of open streams. */
  get size(): number {
    return this.#places.size
  }

  /** Ends all streams, and opens no more. Connections of clients that do not read are closed. */
  close(): void {
    this.#places.close()
  }
}

/** The open streams. Each occupies a place of its origin and of the process until its connection closes. */
class StreamPlaces {
  readonly #perOrigin = new Map<string, number>()
  readonly #open = new Map<ServerResponse, AbortController>()
  #closed = false

  /** Occupies a place until the connection closes. Returns the signal that ends the stream. Throws NOT_READY or TOO_MANY_STREAMS. */
  take(response: ServerResponse, origin: string, onClose: () => void): AbortSignal {
    if (this.#closed) throw new Problem('NOT_READY', { retryAfter: 1, reason: 'stopping' })
    const own = this.#perOrigin.get(origin) ?? 0
    if (own >= STREAM_LIMITS.perOrigin) throw new Problem('TOO_MANY_STREAMS', { retryAfter: RETRY_AFTER })
    if (this.#open.size >= STREAM_LIMITS.perProcess) throw new Problem('OVERLOADED', { retryAfter: RETRY_AFTER })
    const ending = new AbortController()
    this.#perOrigin.set(origin, own + 1)
    this.#open.set(response, ending)
    response.once('close', () => {
      this.#release(response, origin)
      ending.abort()
      onClose()
    })
    return ending.signal
  }

  get size(): number {
    return this.#open.size
  }

  close(): void {
    this.#closed = true
    for (const ending of this.#open.values()) ending.abort()
    setTimeout(() => {
      for (const response of this.#open.keys()) response.destroy()
    }, CLOSE_TIMEOUT_MS).unref()
  }

  #release(response: ServerResponse, origin: string): void {
    const left = (this.#perOrigin.get(origin) ?? 1) - 1
    if (left > 0) this.#perOrigin.set(origin, left)
    else this.#perOrigin.delete(origin)
    this.#open.delete(response)
  }
}

function lastEventIdOf({ 'last-event-id': id }: IncomingHttpHeaders): string | undefined {
  if (id === undefined) return undefined
  if (typeof id !== 'string' || !EVENT_ID.test(id)) throw new Problem('INVALID_EVENT_ID')
  return id
}

/**
 * Yields a stream after a position, as fast as the client reads. The first piece contains the position, so that a client that reconnects
 * before its first event misses none. A heartbeat contains the position if rows were skipped.
 */
async function* piecesOf(
  broadcaster: Broadcaster,
  from: number,
  ended: AbortSignal,
  filter: ChangeFilter | undefined,
): AsyncGenerator<string | Buffer> {
  let place = from
  let said = from
  yield `retry: ${RECONNECT_MS}\nid: ${place}\n\n`
  let beat = performance.now() + STREAM_LIMITS.heartbeat
  while (!ended.aborted) {
    const { to, bytes } = await broadcaster.next(place, Math.max(0, beat - performance.now()), ended, filter)
    place = to
    const due = performance.now() >= beat
    if (bytes.length > 0) yield bytes
    else if (due && !ended.aborted) yield place > said ? `id: ${place}\n\n` : ':\n\n'
    if (bytes.length === 0 && !due) continue
    said = place
    beat = performance.now() + STREAM_LIMITS.heartbeat
  }
}
