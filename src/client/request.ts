import { parseServiceUrl } from './address.ts'
import { MACHINE_CLOCK } from './clock.ts'
import { type ClientError, clientError, isClientError, refusalOf } from './problem.ts'
import { metadataOf, userAgentFields } from './response.ts'
import type { CallOptions, ClientSettings } from './settings.ts'
import { VERSION } from './table.ts'
import { unreachable } from './unreachable.ts'

/** A request to send. `charged` is false for probes, which are never retried. */
export type Call = {
  method: 'GET' | 'POST'
  path: string
  token?: string
  body?: unknown
  charged: boolean
  headers?: Record<string, string>
  /** Returns the answer as bytes, not as parsed JSON. */
  bytes?: true
  /** The Idempotency-Key of a write, the same for all of its attempts. */
  key?: string
}

/** Codes of refusals before the service did anything. */
const REFUSED = new Set(['RATE_LIMITED', 'COOLDOWN', 'NOT_READY', 'OVERLOADED'])
const PASSING = new Set([429, 502, 503, 504])
export type RequestSettings = Required<Pick<ClientSettings, 'timeoutSeconds' | 'clock'>> & {
  base: string
  fetcher: Required<ClientSettings>['fetch']
  /** The header fields of every request. */
  fields: Record<string, string>
  onResponse: ClientSettings['onResponse']
}

export const requestSettings = (settings: ClientSettings): RequestSettings => ({
  base: baseOf(settings.baseUrl),
  timeoutSeconds: settings.timeoutSeconds ?? 30,
  clock: settings.clock ?? MACHINE_CLOCK,
  fetcher: settings.fetch ?? ((url, init) => fetch(url, init)),
  fields: userAgentFields(settings.userAgent ?? `palimpsest-client/${VERSION}`),
  onResponse: settings.onResponse,
})

/** More bytes than any answer of the service has. */
const ANSWER_MAX = 16 * 1_048_576

/** Reads the body of an answer. Throws UNREADABLE_ANSWER past `ANSWER_MAX` bytes, and reads no further. */
async function bytesOf({ body }: Response, asked: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    pieces.push(read.value)
    length += read.value.length
    if (length <= ANSWER_MAX) continue
    await reader?.cancel()
    throw clientError(
      'UNREADABLE_ANSWER',
      `${asked} was answered with more than ${ANSWER_MAX} bytes; check the address.`,
    )
  }
  const bytes = new Uint8Array(length)
  for (const piece of pieces.reverse()) {
    length -= piece.length
    bytes.set(piece, length)
  }
  return bytes
}

export async function sendOnce(
  settings: RequestSettings,
  call: Call,
  attempt: number,
  options: CallOptions,
): Promise<unknown> {
  const { base, timeoutSeconds } = settings
  const { signal } = options
  const asked = `${call.method} ${call.path}`
  const limit = AbortSignal.timeout(timeoutSeconds * 1000)
  const ends = signal === undefined ? limit : AbortSignal.any([signal, limit])
  const init = initOf(settings, call, ends, call.bytes === true ? '*/*' : undefined)
  let answer: { response: Response; bytes: Uint8Array }
  try {
    const response = await settings.fetcher(base + call.path, init)
    answer = { response, bytes: await bytesOf(response, asked) }
  } catch (cause) {
    signal?.throwIfAborted()
    if (isClientError(cause)) throw unsureIf(call, cause)
    throw noAnswer(call, asked, base, limit.aborted ? timeoutSeconds : undefined, cause)
  }
  const metadata = metadataOf({ ...call, attempt }, answer.response)
  settings.onResponse?.(metadata)
  options.onResponse?.(metadata)
  if (call.bytes === true && answer.response.ok) return answer.bytes
  return readAnswer(call, answer.response, new TextDecoder().decode(answer.bytes), settings.clock.now(), asked)
}

export async function openStream(
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
      readAnswer(
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
    throw noAnswer(call, asked, base, limit.signal.aborted ? timeoutSeconds : undefined, cause)
  } finally {
    clearTimeout(timer)
  }
}

/** Connection failures that a retry cannot fix. */
const FINAL = new WeakSet<ClientError>()

/** Whether a retry may succeed. Also true for writes: the Idempotency-Key makes it safe to repeat them. */
export const isPassing = (error: ClientError): boolean =>
  (error.code === 'NO_ANSWER' && !FINAL.has(error)) || error.code === 'REQUEST_IN_PROGRESS' || isPassingStatus(error)

/** Whether the server, or a proxy in front of it, refused temporarily. */
export const isPassingStatus = ({ status }: ClientError): boolean => status !== null && PASSING.has(status)

function initOf(
  { fields }: RequestSettings,
  { method, token, body, headers, key }: Call,
  signal: AbortSignal,
  accept = 'application/json',
): RequestInit {
  return {
    method,
    signal,
    // Following a redirect would send the token to another server.
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

/** Marks an error of a write that this attempt or an earlier one may have stored. */
export function leftUnsure(error: ClientError, { key }: Call): ClientError {
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

export function baseOf(text: string, name = 'baseUrl'): string {
  const base = parseServiceUrl(text)
  if (base !== undefined) return base
  throw clientError('INVALID_ARGUMENT', `${name} is the http or https address of the service, without query or user.`)
}
