import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { LIMITS, STREAMS as STREAM_LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { ChangeFilter } from '../../domain/change.ts'
import { sequenceOf } from '../../domain/cursor.ts'
import type { StreamName, StreamOperation } from '../../operations/operation.ts'
import { STREAMS } from '../../operations/reads.ts'
import type { Store } from '../../operations/store.ts'
import type { Exchange } from '../exchange.ts'
import type { Admitted } from '../pipeline/admission.ts'
import { type Broadcaster, createBroadcaster } from './broadcaster.ts'

/** The time after which a client reconnects, in milliseconds. */
const RECONNECT = 2_000
/** Retry-After for a refused client, in seconds. */
const RETRY_AFTER = 15
/** Bytes that are produced in advance of the connection. */
const AHEAD = 16_384
/** How long a stop lets streams end by themselves, in milliseconds. */
const GRACE = 1_000

const FIELDS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that buffer answers would delay events.
  'x-accel-buffering': 'no',
  // The connection ends with the stream, so that a stop does not wait for another request.
  connection: 'close',
}
const EVENT_ID = new RegExp(`^[0-9]{1,${LIMITS.cursorDigits}}$`)

export type Streams = ReturnType<typeof createStreams>

/** Returns functions that answer with a stream of events, and that end all streams. */
export function createStreams(store: Store, logger: Logger) {
  const places = createPlaces()
  const followers = Object.fromEntries(
    Object.entries(STREAMS).map(([name, source]) => [name, createBroadcaster(source, store, logger)]),
  ) as Record<StreamName, Broadcaster>

  return {
    /** Answers with the events after Last-Event-ID, or after the query's `after`, or from now on. Throws TOO_MANY_STREAMS. */
    async open(name: StreamName, { origin, query }: Admitted, exchange: Exchange): Promise<void> {
      const follower = followers[name]
      const filter = await (STREAMS[name] as StreamOperation).filter?.(store.reader, query)
      const after = lastEventIdOf(exchange.headers) ?? (query.after as string | undefined)
      // A client that left before its admission would never release its place, because its connection is already closed.
      if (exchange.method === 'HEAD' || exchange.response.closed) return exchange.set(FIELDS).send(200)
      const ended = places.take(exchange.response, origin.networkKey, follower.end)
      const newest = await follower.begin()
      const from = after === undefined ? newest : Math.min(sequenceOf(after), newest)
      const pieces = piecesOf(follower, from, ended, filter)
      return exchange.set(FIELDS).stream(200, Readable.from(pieces, { objectMode: false, highWaterMark: AHEAD }))
    },
    close: places.close,
  }
}

/** The open streams. Each occupies a place of its origin and of the process until its connection closes. */
function createPlaces() {
  const perOrigin = new Map<string, number>()
  const open = new Map<ServerResponse, AbortController>()
  let closed = false
  return {
    /** Occupies a place, or throws the problem. Returns the signal that ends the stream. `onClose` is called when its connection has closed. */
    take(response: ServerResponse, origin: string, onClose: () => void): AbortSignal {
      if (closed) throw new Problem('NOT_READY', { retryAfter: 1 })
      const own = perOrigin.get(origin) ?? 0
      if (own >= STREAM_LIMITS.perOrigin) throw new Problem('TOO_MANY_STREAMS', { retryAfter: RETRY_AFTER })
      if (open.size >= STREAM_LIMITS.perProcess) throw new Problem('OVERLOADED', { retryAfter: RETRY_AFTER })
      const ending = new AbortController()
      perOrigin.set(origin, own + 1)
      open.set(response, ending)
      response.once('close', () => {
        const left = (perOrigin.get(origin) ?? 1) - 1
        if (left > 0) perOrigin.set(origin, left)
        else perOrigin.delete(origin)
        open.delete(response)
        ending.abort()
        onClose()
      })
      return ending.signal
    },
    /** Ends all streams. Connections of clients that do not read are closed. */
    close(): void {
      closed = true
      for (const ending of open.values()) ending.abort()
      setTimeout(() => {
        for (const response of open.keys()) response.destroy()
      }, GRACE).unref()
    },
  }
}

function lastEventIdOf({ 'last-event-id': id }: IncomingHttpHeaders): string | undefined {
  if (id === undefined) return undefined
  if (typeof id !== 'string' || !EVENT_ID.test(id)) throw new Problem('INVALID_EVENT_ID')
  return id
}

/**
 * A stream from a position on, produced as fast as the client reads. The first piece has the position, so that a client that reconnects
 * before its first event misses none. A heartbeat repeats the position if rows were skipped.
 */
async function* piecesOf(
  follower: Broadcaster,
  from: number,
  ended: AbortSignal,
  filter: ChangeFilter | undefined,
): AsyncGenerator<string | Buffer> {
  let place = from
  let said = from
  yield `retry: ${RECONNECT}\nid: ${place}\n\n`
  let beat = performance.now() + STREAM_LIMITS.heartbeat
  while (!ended.aborted) {
    const { to, bytes } = await follower.next(place, Math.max(0, beat - performance.now()), ended, filter)
    place = to
    const due = performance.now() >= beat
    if (bytes.length > 0) yield bytes
    else if (due && !ended.aborted) yield place > said ? `id: ${place}\n\n` : ':\n\n'
    if (bytes.length === 0 && !due) continue
    said = place
    beat = performance.now() + STREAM_LIMITS.heartbeat
  }
}
