import { MACHINE_CLOCK } from './clock.ts'
import { type ClientError, clientError, isClientError, refusalOf } from './problem.ts'
import { metadataOf, userAgentFields } from './response.ts'
import type { CallOptions, ClientSettings } from './settings.ts'
import { VERSION } from './table.ts'
import { unreachable } from './unreachable.ts'

/** One request, ready to be sent; `charged` is false for probes, which are never retried. */
export type Call = {
  method: 'GET' | 'POST'
  path: string
  token?: string
  body?: unknown
  charged: boolean
  headers?: Record<string, string>
  /** The answer is a file: it is given as octets, not as JSON. */
  octets?: true
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
  const { retries = 3, maxWaitSeconds = 60, random = Math.random } = settings
  const way = wayOf(settings)
  const wait = (seconds: number, signal?: AbortSignal): Promise<void> =>
    way.clock.sleep(seconds * (1 + SPREAD * random()) * 1000, signal)

  return {
    retries,
    maxWaitSeconds,
    wait,
    open: (call, media, signal) => openStream(way, call, media, signal),
    async send(asked, options = {}) {
      const { signal, idempotencyKey } = options
      const call = asked.method === 'POST' ? { ...asked, key: keyOf(idempotencyKey) } : asked
      let unsure = false
      for (let tries = 0; ; tries += 1) {
        signal?.throwIfAborted()
        try {
          return await sendOnce(way, call, tries + 1, options)
        } catch (error) {
          if (!isClientError(error) || !call.charged) throw error
          // A service that an earlier try reached comes back, whatever its port says while it is away.
          if (!isPassing(error) && !(tries > 0 && error.code === 'NO_ANSWER')) throw error
          unsure ||= error.mayHaveHappened
          const due = error.retryAfterSeconds ?? 2 ** (tries - 1)
          if (tries >= retries || due > maxWaitSeconds) throw unsure ? leftUnsure(error, call) : error
          settings.onRetry?.({ method: call.method, path: call.path, attempt: tries + 1, waitSeconds: due, error })
          await wait(due, signal)
        }
      }
    },
  }
}

/** How one request goes out. */
type Way = Required<Pick<ClientSettings, 'timeoutSeconds' | 'clock'>> & {
  base: string
  fetcher: Required<ClientSettings>['fetch']
  /** The fields of every request. */
  fields: Record<string, string>
  onResponse: ClientSettings['onResponse']
}

const wayOf = (settings: ClientSettings): Way => ({
  base: baseOf(settings.baseUrl),
  timeoutSeconds: settings.timeoutSeconds ?? 30,
  clock: settings.clock ?? MACHINE_CLOCK,
  fetcher: settings.fetch ?? ((url, init) => fetch(url, init)),
  fields: userAgentFields(settings.userAgent ?? `palimpsest-client/${VERSION}`),
  onResponse: settings.onResponse,
})

async function sendOnce(way: Way, call: Call, attempt: number, options: CallOptions): Promise<unknown> {
  const { base, timeoutSeconds } = way
  const { signal } = options
  const asked = `${call.method} ${call.path}`
  const limit = AbortSignal.timeout(timeoutSeconds * 1000)
  const ends = signal === undefined ? limit : AbortSignal.any([signal, limit])
  const init = initOf(way, call, ends, call.octets === true ? '*/*' : undefined)
  let answer: { response: Response; octets: ArrayBuffer }
  try {
    const response = await way.fetcher(base + call.path, init)
    answer = { response, octets: await response.arrayBuffer() }
  } catch (cause) {
    signal?.throwIfAborted()
    throw noAnswer(call, asked, base, limit.aborted ? timeoutSeconds : undefined, cause)
  }
  const metadata = metadataOf({ ...call, attempt }, answer.response)
  way.onResponse?.(metadata)
  options.onResponse?.(metadata)
  if (call.octets === true && answer.response.ok) return new Uint8Array(answer.octets)
  return readAnswer(call, answer.response, new TextDecoder().decode(answer.octets), way.clock.now(), asked)
}

async function openStream(
  way: Way,
  call: Call,
  media: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { base, fetcher, timeoutSeconds, clock } = way
  const asked = `${call.method} ${call.path}`
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutSeconds * 1000)
  const init = initOf(way, call, AbortSignal.any([signal, limit.signal]), media)
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
  { fields }: Way,
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
      ...fields,
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
