import { type ClientError, clientError, isClientError, refusalOf } from './problem.ts'

/** Where time comes from: milliseconds since 1970, and a wait that rejects with the signal's reason when it aborts. */
export type Clock = {
  now(): number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** What one call may be told. */
export type CallOptions = {
  /** Ends the call, its waits and its retries. */
  signal?: AbortSignal | undefined
  /**
   * Sends a write again whose answer was lost or was a fault. It may then be done twice; without this it never is, and
   * the error says `mayHaveHappened`.
   */
  resendWrites?: boolean
}

/** How a client is set up; only `baseUrl` is needed. */
export type ClientSettings = {
  /** Where the service is, for example `https://memory.example`; a path before /api is allowed. */
  baseUrl: string
  /** An actor token as issued; without one, createActor gets one and the client keeps it. */
  token?: string | undefined
  /** Sends the token with reads too. They then count as this actor's in the public feed; otherwise they are anonymous. */
  tokenOnReads?: boolean
  /** Further tries after the first (3 if left out). */
  retries?: number
  /** The longest single wait between tries, in seconds (60 if left out); a longer Retry-After is thrown at once. */
  maxWaitSeconds?: number
  /** How long one try may take, in seconds (30 if left out). */
  timeoutSeconds?: number
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  clock?: Clock
  /** From 0 to below 1: spreads the waits of many clients over a fifth more than is due. */
  random?: () => number
}

/** One request, ready to be sent; `charged` is false for probes, which are never retried. */
export type Call = {
  method: 'GET' | 'POST'
  path: string
  token?: string
  body?: unknown
  charged: boolean
  headers?: Record<string, string>
}

export type Connection = {
  send(call: Call, options?: CallOptions): Promise<unknown>
  /** Sends a request once and gives its answer, of this media type, as it comes. Rejects when there is none within `timeoutSeconds`, or another. */
  open(call: Call, media: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /** Waits so many seconds and up to a fifth more. */
  wait(seconds: number, signal?: AbortSignal): Promise<void>
  retries: number
  maxWaitSeconds: number
}

/** Refused before anything was done: harmless to send again, whatever it is. */
const REFUSED = new Set(['RATE_LIMITED', 'COOLDOWN', 'NOT_READY', 'OVERLOADED'])
const PASSING = new Set([429, 502, 503, 504])
const SPREAD = 0.2

/** Opens a connection, which holds nothing open: it sends, and sends again where that is harmless and bounded. */
export function openConnection(settings: ClientSettings): Connection {
  const base = baseOf(settings.baseUrl)
  const { retries = 3, maxWaitSeconds = 60, timeoutSeconds = 30, random = Math.random } = settings
  const clock = settings.clock ?? REAL_CLOCK
  const fetcher = settings.fetch ?? ((url, init) => fetch(url, init))

  const once = async (call: Call, signal?: AbortSignal): Promise<unknown> => {
    const asked = `${call.method} ${call.path}`
    const limit = AbortSignal.timeout(timeoutSeconds * 1000)
    const init = initOf(call, signal === undefined ? limit : AbortSignal.any([signal, limit]))
    let answer: { response: Response; text: string }
    try {
      const response = await fetcher(base + call.path, init)
      answer = { response, text: await response.text() }
    } catch (cause) {
      signal?.throwIfAborted()
      throw noAnswer(call, asked, base, limit.aborted ? timeoutSeconds : undefined, cause)
    }
    return readAnswer(call, answer.response, answer.text, clock.now(), asked)
  }

  const wait = (seconds: number, signal?: AbortSignal): Promise<void> =>
    clock.sleep(seconds * (1 + SPREAD * random()) * 1000, signal)

  return {
    retries,
    maxWaitSeconds,
    wait,
    open: (call, media, signal) => openStream({ base, fetcher, timeoutSeconds, clock }, call, media, signal),
    async send(call, { signal, resendWrites = false } = {}) {
      for (let tries = 0; ; tries += 1) {
        signal?.throwIfAborted()
        try {
          return await once(call, signal)
        } catch (error) {
          if (!isClientError(error) || tries >= retries || !mayRetry(call, error, resendWrites)) throw error
          const due = error.retryAfterSeconds ?? 2 ** (tries - 1)
          if (due > maxWaitSeconds) throw error
          await wait(due, signal)
        }
      }
    },
  }
}

type Way = Required<Pick<ClientSettings, 'timeoutSeconds' | 'clock'>> & {
  base: string
  fetcher: Required<ClientSettings>['fetch']
}

async function openStream(
  { base, fetcher, timeoutSeconds, clock }: Way,
  call: Call,
  media: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const asked = `${call.method} ${call.path}`
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutSeconds * 1000)
  const init = initOf(call, AbortSignal.any([signal, limit.signal]), media)
  try {
    const response = await fetcher(base + call.path, init)
    const fits = response.ok && response.headers.get('content-type')?.startsWith(media) && response.body !== null
    if (!fits) readAnswer(call, response, response.ok ? '' : await response.text(), clock.now(), asked)
    return response.body as ReadableStream<Uint8Array>
  } catch (cause) {
    signal.throwIfAborted()
    if (isClientError(cause)) throw cause
    throw noAnswer(call, asked, base, limit.signal.aborted ? timeoutSeconds : undefined, cause)
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a failure may pass by itself. */
export const isPassing = (error: ClientError): boolean =>
  error.code === 'NO_ANSWER' || (error.status !== null && PASSING.has(error.status))

function mayRetry(call: Call, error: ClientError, resendWrites: boolean): boolean {
  if (!call.charged) return false
  return isPassing(error) && (call.method === 'GET' || !error.mayHaveHappened || resendWrites)
}

function initOf({ method, token, body, headers }: Call, signal: AbortSignal, accept = 'application/json'): RequestInit {
  return {
    method,
    signal,
    // A redirect would carry the token to wherever it leads.
    redirect: 'manual',
    credentials: 'omit',
    headers: {
      accept,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { 'x-actor-token': token }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

const WRITE_LOST = ' Whether the write was done is unknown: look before it is sent again.'
const lost = (call: Call): string => (call.method === 'POST' ? WRITE_LOST : '')

function noAnswer(call: Call, asked: string, base: string, seconds: number | undefined, cause: unknown): ClientError {
  const why = seconds === undefined ? 'the connection failed' : `it took longer than ${seconds} s`
  const sentence = `${asked} got no answer from ${base}: ${why}; check the address and the network.${lost(call)}`
  return clientError('NO_ANSWER', sentence, { mayHaveHappened: call.method === 'POST', cause })
}

function readAnswer(call: Call, response: Response, text: string, now: number, asked: string): unknown {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    const to = response.headers.get('location')
    const where = to === null ? '' : ` to ${to.slice(0, 200)}`
    throw clientError('REDIRECTED', `${asked} is redirected${where}; give the client the address it ends at.`, {
      status: response.status,
    })
  }
  if (response.ok) {
    try {
      return JSON.parse(text)
    } catch (cause) {
      const sentence = `${asked} was answered ${response.status} with something other than what was asked for; check the address.${lost(call)}`
      const mayHaveHappened = call.method === 'POST'
      throw clientError('UNREADABLE_ANSWER', sentence, { status: response.status, mayHaveHappened, cause })
    }
  }
  const refusal = refusalOf(response, text, now, asked)
  if (call.method === 'POST' && response.status >= 500 && !REFUSED.has(refusal.code)) {
    refusal.mayHaveHappened = true
    refusal.message += WRITE_LOST
  }
  throw refusal
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fine = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!fine || url.search !== '' || url.hash !== '') {
    throw clientError('INVALID_ARGUMENT', 'baseUrl is the http or https address of the service, without query or user.')
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

const REAL_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, milliseconds)
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    }),
}
