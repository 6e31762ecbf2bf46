import type { Logger } from 'pino'
import { Problem } from '../contract/problems.ts'
import { type Reader, StoreFault } from '../database/database.ts'
import type { StreamEvent, StreamOperation } from '../operations/operation.ts'
import type { Store } from '../operations/store.ts'
import { createLane, createRounds } from './pace.ts'

/** Rows that are read at once: for all who are up to date, and for one who lags. */
const ROUND_ROWS = 200
const PAGE_ROWS = 50
/** Milliseconds between two rounds: at least, and for each stream, so that serving many leaves time for everything else. */
const ROUND_PAUSE = 10
const ROUND_PAUSE_EACH = 0.1
/** Reading for those who lag rests so many times its length, at most so many milliseconds: whoever lags, the service goes on. */
const LAG_REST = 3
const LAG_REST_MAX = 100

/** Rows above `from` up to `to` as the bytes of their events; empty where none of them is shown. */
type Stretch = { from: number; to: number; bytes: Buffer }

export type Follower = ReturnType<typeof createFollower>

/** Events as the text of an event stream (WHATWG HTML, 9.2.6). JSON has no line ends. */
const textOf = ({ id, event, data }: StreamEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Gives what reads at most `limit` rows above a place; `newest` is a place that was seen before. */
const stretchesOf =
  (source: StreamOperation, reader: Reader) =>
  async (from: number, limit: number, newest: number): Promise<Stretch> => {
    const events = await source.after(reader, from, limit)
    const last = events.at(-1)?.id ?? from
    const to = events.length < limit ? Math.max(last, newest) : last
    return { from, to, bytes: Buffer.from(events.map(textOf).join('')) }
  }

/** A store that is away comes back, and tells then: that is no news. */
const reportTo = (logger: Logger) => (error: unknown) => {
  if (error instanceof StoreFault || error instanceof Problem) return
  logger.error({ err: error }, 'streams cannot go on')
}

/**
 * Follows one list for all streams of the process: what is committed is read once and handed to all who are up to date.
 * Whoever lags reads pages of its own, until it has caught up. Follows as long as anybody does.
 */
export function createFollower(source: StreamOperation, store: Pick<Store, 'reader' | 'onCommit'>, logger: Logger) {
  const read = stretchesOf(source, store.reader)
  const waiting = createWaiting()
  const lag = createLane(LAG_REST, LAG_REST_MAX)
  let streams = 0
  let tip = 0
  let unfollow: (() => void) | undefined

  const look = async (): Promise<boolean> => {
    const newest = await source.newest(store.reader)
    if (newest <= tip) return false
    const round = await read(tip, ROUND_ROWS, newest)
    tip = round.to
    waiting.resume(round)
    return tip < newest
  }
  const wake = createRounds(look, () => Math.max(ROUND_PAUSE, ROUND_PAUSE_EACH * streams), reportTo(logger))

  return {
    /** Gives the place of the newest row there is. From here to its `end` a stream is handed what comes. */
    async begin(): Promise<number> {
      streams += 1
      const newest = await source.newest(store.reader)
      if (unfollow === undefined && streams > 0) {
        tip = newest
        unfollow = store.onCommit(wake)
        // Of what was committed since that reading nobody tells.
        wake()
      }
      return newest
    },
    end(): void {
      streams -= 1
      if (streams > 0) return
      unfollow?.()
      unfollow = undefined
    },
    /** What comes after a place; undefined when nothing did for `patience` milliseconds, or the stream ended. */
    async next(place: number, patience: number, ended: AbortSignal): Promise<Stretch | undefined> {
      if (place >= tip) {
        const round = await waiting.join(patience, ended)
        if (round === undefined || round.from === place) return round
      }
      return lag(async () => (ended.aborted ? undefined : read(place, PAGE_ROWS, tip)))
    },
  }
}

/** Streams that wait for the next round. It is handed to them and not kept: what is withdrawn later must not come from memory. */
function createWaiting() {
  const waiting = new Set<(round: Stretch | undefined) => void>()
  return {
    resume(round: Stretch): void {
      for (const resume of waiting) resume(round)
    },
    join: (patience: number, ended: AbortSignal): Promise<Stretch | undefined> =>
      new Promise(resolve => {
        const resume = (round: Stretch | undefined): void => {
          clearTimeout(timer)
          waiting.delete(resume)
          ended.removeEventListener('abort', stop)
          resolve(round)
        }
        const stop = (): void => resume(undefined)
        const timer = setTimeout(stop, patience)
        waiting.add(resume)
        ended.addEventListener('abort', stop)
        if (ended.aborted) stop()
      }),
  }
}
