import type { Logger } from 'pino'
import { Problem } from '../../contract/problem.ts'
import { StoreFault } from '../../database/database.ts'
import { type ChangeFilter, isChosen } from '../../domain/change.ts'
import type { StreamEvent, StreamOperation, StreamPage } from '../../operations/operation.ts'
import type { Store } from '../../operations/store.ts'
import { createPacedQueue, Throttle } from '../limits/throttle.ts'

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
