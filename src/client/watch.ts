import type { Connection } from './connection.ts'
import { clientError, isClientError } from './problem.ts'
import { bytesOf, type Call, initOf, isPassing, noAnswer, type RequestSettings, readAnswer } from './request.ts'
import type { CallOptions } from './settings.ts'

/** Seconds without data after which a stream counts as lost. The service sends a comment every 15 s. */
const SILENCE_TIMEOUT_SECONDS = 45
/** Seconds before a reconnection, unless the service requests another time. Each consecutive failure doubles them. */
const PAUSE = 2

/**
 * Iterates the events of a stream, oldest first, from `after` of the query or from the next event. After a lost connection it reconnects
 * with the id of the last event, so that no event is missed or repeated. Throws permanent errors. Throws a temporary error only if the
 * first 1 + `retries` attempts could not open the stream.
 */
export async function* watch<Row>(
  connection: Connection,
  path: string,
  token: () => string | undefined,
  query: Record<string, string> = {},
  { signal }: CallOptions = {},
): AsyncGenerator<Row, void, undefined> {
  let lastEventId = ''
  let pause = PAUSE
  let opened = false
  let failures = 0
  for (;;) {
    try {
      const ending = new AbortController()
      const ended = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal])
      try {
        const body = await openStream(
          connection.settings,
          callOf(path, query, lastEventId, token()),
          'text/event-stream',
          ended,
        )
        const parser = new EventParser(lastEventId)
        opened = true
        for await (const { data, lastEventId: id } of blocksOf(path, body, parser)) {
          failures = 0
          lastEventId = id
          pause = (parser.retry() ?? PAUSE * 1000) / 1000
          if (data !== null) yield rowOf<Row>(path, data)
        }
      } finally {
        ending.abort()
      }
    } catch (error) {
      signal?.throwIfAborted()
      failures += 1
      if (!isClientError(error)) throw error
      // After the stream was open once, a refused connection means that the service is restarting.
      const passes = isPassing(error) || (opened && error.code === 'NO_ANSWER')
      if (!passes || (!opened && failures > connection.retries)) throw error
      pause = Math.max(pause, error.retryAfterSeconds ?? 0)
    }
    signal?.throwIfAborted()
    const longer = Math.min(pause * 2 ** Math.max(0, failures - 1), connection.maxWaitSeconds)
    await connection.wait(Math.max(pause, longer), signal)
  }
}

/**
 * Sends a request once. Resolves with the body of the answer as a stream. Rejects if the answer does not begin within `timeoutSeconds`, is an
 * error, or has another media type than `media`.
 */
async function openStream(
  settings: RequestSettings,
  call: Call,
  media: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { base, fetcher, timeoutSeconds, clock } = settings
  const asked = `${call.method} ${call.path}`
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutSeconds * 1000)
  const init = initOf(settings, call, AbortSignal.any([signal, limit.signal]), media)
  try {
    const response = await fetcher(base + call.path, init)
    const fits = response.ok && response.headers.get('content-type')?.startsWith(media) && response.body !== null
    if (!fits)
      await readAnswer(
        call,
        response,
        response.ok ? '' : new TextDecoder().decode(await bytesOf(response, asked)),
        clock.now(),
        asked,
      )
    return response.body as ReadableStream<Uint8Array>
  } catch (cause) {
    signal.throwIfAborted()
    if (isClientError(cause)) throw cause
    throw await noAnswer(call, asked, base, limit.signal.aborted ? timeoutSeconds : undefined, cause)
  } finally {
    clearTimeout(timer)
  }
}

function callOf(path: string, query: Record<string, string>, lastEventId: string, token: string | undefined) {
  const search = new URLSearchParams(query).toString()
  return {
    method: 'GET' as const,
    path: search === '' ? path : `${path}?${search}`,
    charged: true,
    headers: lastEventId === '' ? {} : { 'last-event-id': lastEventId },
    ...(token === undefined ? {} : { token }),
  }
}

/** The blocks of a stream until it ends. Rejects with NO_ANSWER if the connection is lost or silent. */
async function* blocksOf(path: string, body: ReadableStream<Uint8Array>, parser: EventParser) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await readWithin(path, reader)
    if (done) return
    yield* parser.push(decoder.decode(value, { stream: true }))
  }
}

async function readWithin(path: string, reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`nothing came for ${SILENCE_TIMEOUT_SECONDS} s`)),
      SILENCE_TIMEOUT_SECONDS * 1000,
    )
  })
  try {
    return await Promise.race([reader.read(), silence])
  } catch (cause) {
    throw clientError('NO_ANSWER', `GET ${path} was cut off; it is opened again.`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

function rowOf<Row>(path: string, data: string): Row {
  try {
    return JSON.parse(data) as Row
  } catch (cause) {
    throw clientError('UNREADABLE_ANSWER', `GET ${path} gave something other than JSON; check the address.`, { cause })
  }
}

/** One block of an event stream, between two empty lines. */
export type StreamBlock = {
  event: string
  /** null if the block has no data: only an id, a reconnection time or a comment. */
  data: string | null
  /** The id of the last block that had one. */
  lastEventId: string
}
/** Maximum number of characters of a block. A longer block shows that the stream is not from the service. */
const BLOCK_MAX = 1_048_576

/**
 * Parses an event stream (WHATWG HTML 9.2.6) from pieces that may end anywhere. An incomplete last block is discarded.
 * The pieces are decoded text without a byte order mark.
 */
export class EventParser {
  #event = ''
  #data: string[] = []
  /** Number of characters of the data, including line ends. */
  #size = 0
  #lastEventId: string
  #retry: number | undefined
  /** The incomplete last line. Its first `#scanned` characters contain no line end. */
  #rest = ''
  #scanned = 0
  #isAfterReturn = false

  constructor(lastEventId = '') {
    this.#lastEventId = lastEventId
  }

  /** Adds a piece of the stream. Returns the blocks that this piece completes. Throws UNREADABLE_ANSWER if a block exceeds the maximum. */
  push(text: string): StreamBlock[] {
    if (text === '') return []
    const blocks: StreamBlock[] = []
    this.#rest += this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#isAfterReturn = false
    for (let line = this.#nextLine(); line !== undefined; line = this.#nextLine()) {
      if (line === '') blocks.push(this.#end())
      else this.#take(line)
    }
    if (this.#rest.length + this.#size > BLOCK_MAX) {
      throw clientError('UNREADABLE_ANSWER', 'The stream sent a block without an end; check the address.')
    }
    return blocks
  }

  /** The reconnection time that the stream requests, in milliseconds; undefined if it requests none. */
  retry(): number | undefined {
    return this.#retry
  }

  #nextLine(): string | undefined {
    const rest = this.#rest
    const at = lineEnd(rest, this.#scanned)
    if (at < 0) {
      this.#scanned = rest.length
      return undefined
    }
    const isPair = rest[at] === '\r' && rest[at + 1] === '\n'
    this.#isAfterReturn = rest[at] === '\r' && at + 1 === rest.length
    this.#rest = rest.slice(at + (isPair ? 2 : 1))
    this.#scanned = 0
    return rest.slice(0, at)
  }

  #end(): StreamBlock {
    const [event, data] = [this.#event, this.#data]
    this.#event = ''
    this.#data = []
    this.#size = 0
    const isEmpty = data.length === 0 || (data.length === 1 && data[0] === '')
    return {
      event: event === '' ? 'message' : event,
      data: isEmpty ? null : data.join('\n'),
      lastEventId: this.#lastEventId,
    }
  }

  #take(line: string): void {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      this.#data.push(value)
      this.#size += value.length + 1
    } else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#lastEventId = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retry = Number(value)
  }
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === '\n' || text[at] === '\r') return at
  return -1
}
