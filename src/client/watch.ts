import type { Connection } from './connection.ts'
import { EventParser } from './events.ts'
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
