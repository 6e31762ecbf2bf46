import { type Clock, MACHINE_CLOCK } from './clock.ts'
import { type ClientError, clientError, isClientError, refusalOf } from './problem.ts'
import { unreachable } from './unreachable.ts'

/** What one call may be told. */
export type CallOptions = {
  /** Ends the call, its waits and its retries. */
  signal?: AbortSignal | undefined
  /**
   * The Idempotency-Key of a write, 1 to 255 printable ASCII characters without spaces: a fresh one for each call if left out.
   * To send a call of before again, give its key: `error.idempotencyKey`.
   */
  idempotencyKey?: string | undefined
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
  /** Under which the service knows a write again, for all of its tries. */
  key?: string
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

/** Refused before anything was done. */
const REFUSED = new Set(['RATE_LIMITED', 'COOLDOWN', 'NOT_READY', 'OVERLOADED'])
const PASSING = new Set([429, 502, 503, 504])
const SPREAD = 0.2

/** Opens a connection, which holds nothing open: it sends, and sends again what may pass, within bounds. */
export function openConnection(settings: ClientSettings): Connection {
  const base = baseOf(settings.baseUrl)
  const { retries = 3, maxWaitSeconds = 60, timeoutSeconds = 30, random = Math.random } = settings
  const clock = settings.clock ?? MACHINE_CLOCK
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
    async send(asked, { signal, idempotencyKey } = {}) {
      const call = asked.method === 'POST' ? { ...asked, key: keyOf(idempotencyKey) } : asked
      let unsure = false
      for (let tries = 0; ; tries += 1) {
        signal?.throwIfAborted()
        try {
          return await once(call, signal)
        } catch (error) {
          if (!isClientError(error) || !call.charged) throw error
          // A service that an earlier try reached comes back, whatever its port says while it is away.
          if (!isPassing(error) && !(tries > 0 && error.code === 'NO_ANSWER')) throw error
          unsure ||= error.mayHaveHappened
          const due = error.retryAfterSeconds ?? 2 ** (tries - 1)
          if (tries >= retries || due > maxWaitSeconds) throw unsure ? leftUnsure(error, call) : error
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

/** Failures to connect that another try does not change. */
const FINAL = new WeakSet<ClientError>()

/** Whether a failure may pass by itself: of a write too, which the service does once for its key. */
export const isPassing = (error: ClientError): boolean =>
  (error.code === 'NO_ANSWER' && !FINAL.has(error)) ||
  error.code === 'REQUEST_IN_PROGRESS' ||
  (error.status !== null && PASSING.has(error.status))

const KEY = /^[!#-~][!-~]{0,254}$/
const KEY_BYTES = 16

function keyOf(own: string | undefined): string {
  if (own === undefined) {
    return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
      .map(byte => byte.toString(16).padStart(2, '0'))
      .join('')
  }
  if (KEY.test(own)) return own
  throw clientError(
    'INVALID_ARGUMENT',
    'idempotencyKey is a text of 1 to 255 printable ASCII characters without spaces.',
  )
}

function initOf(
  { method, token, body, headers, key }: Call,
  signal: AbortSignal,
  accept = 'application/json',
): RequestInit {
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
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

const UNSURE = ' Whether the write was done is unknown: send it again with its idempotencyKey, and it is done once.'

/** Makes an error one of a write that may have been done, by this try or one before. */
function leftUnsure(error: ClientError, { key }: Call): ClientError {
  if (!error.message.endsWith(UNSURE)) error.message += UNSURE
  return Object.assign(error, { mayHaveHappened: true, idempotencyKey: key ?? null })
}
const unsureIf = (call: Call, error: ClientError): ClientError =>
  call.method === 'POST' ? leftUnsure(error, call) : error

function noAnswer(call: Call, asked: string, base: string, seconds: number | undefined, cause: unknown): ClientError {
  const late = { why: `it took longer than ${seconds} s; check the address and the network.`, sent: true, passes: true }
  const { why, sent, passes } = seconds === undefined ? unreachable(cause, base) : late
  const error = clientError('NO_ANSWER', `${asked} got no answer from ${base}: ${why}`, { cause })
  if (!passes) FINAL.add(error)
  return sent ? unsureIf(call, error) : error
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
      const sentence = `${asked} was answered ${response.status} with something other than what was asked for; check the address.`
      throw unsureIf(call, clientError('UNREADABLE_ANSWER', sentence, { status: response.status, cause }))
    }
  }
  const refusal = refusalOf(response, text, now, asked)
  throw response.status >= 500 && !REFUSED.has(refusal.code) ? unsureIf(call, refusal) : refusal
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fine = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!fine || url.search !== '' || url.hash !== '') {
    throw clientError('INVALID_ARGUMENT', 'baseUrl is the http or https address of the service, without query or user.')
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
