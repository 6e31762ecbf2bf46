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
import { Broadcaster } from './broadcaster.ts'

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
  async open(name: StreamName, { origin, query }: Admitted, exchange: Exchange): Promise<void> {
    const broadcaster = this.#broadcasters[name]
    const filter = await (STREAMS[name] as StreamOperation).filter?.(this.#store.reader, query)
    const after = lastEventIdOf(exchange.headers) ?? (query.after as string | undefined)
    // A client that left before its admission would never release its place, because its connection is already closed.
    if (exchange.method === 'HEAD' || exchange.response.closed) return exchange.set(FIELDS).send(200)
    const ended = this.#places.take(exchange.response, origin.networkKey, () => broadcaster.end())
    const newest = await broadcaster.begin()
    const from = after === undefined ? newest : Math.min(sequenceOf(after), newest)
    const pieces = piecesOf(broadcaster, from, ended, filter)
    return exchange.set(FIELDS).stream(200, Readable.from(pieces, { objectMode: false, highWaterMark: AHEAD }))
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
