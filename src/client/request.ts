import { type ClientError, clientError, isClientError } from './problem.ts'
import type { CallOptions, ClientSettings, Clock, LimitStanding, ResponseMetadata } from './settings.ts'
import { VERSION } from './table.ts'
import type { Unreachable } from './unreachable.ts'

export const MACHINE_CLOCK: Clock = {
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
export async function bytesOf({ body }: Response, asked: string): Promise<Uint8Array> {
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
    throw await noAnswer(call, asked, base, limit.aborted ? timeoutSeconds : undefined, cause)
  }
  const metadata = metadataOf({ ...call, attempt }, answer.response)
  settings.onResponse?.(metadata)
  options.onResponse?.(metadata)
  if (call.bytes === true && answer.response.ok) return answer.bytes
  return readAnswer(call, answer.response, new TextDecoder().decode(answer.bytes), settings.clock.now(), asked)
}

/** Connection failures that a retry cannot fix. */
const FINAL = new WeakSet<ClientError>()

/** Whether a retry may succeed. Also true for writes: the Idempotency-Key makes it safe to repeat them. */
export const isPassing = (error: ClientError): boolean =>
  (error.code === 'NO_ANSWER' && !FINAL.has(error)) || error.code === 'REQUEST_IN_PROGRESS' || isPassingStatus(error)

/** Whether the server, or a proxy in front of it, refused temporarily. */
export const isPassingStatus = ({ status }: ClientError): boolean => status !== null && PASSING.has(status)

export function initOf(
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

export async function noAnswer(call: Call, asked: string, base: string, seconds: number | undefined, cause: unknown) {
  const { why, sent, passes } = await reasonOf(seconds, cause, base)
  const error = clientError('NO_ANSWER', `${asked} got no answer from ${base}: ${why}`, { cause })
  if (!passes) FINAL.add(error)
  return sent ? unsureIf(call, error) : error
}

async function reasonOf(seconds: number | undefined, cause: unknown, base: string): Promise<Unreachable> {
  const unknown = { why: 'the connection failed; check the address and the network.', sent: true, passes: true }
  if (seconds !== undefined)
    return { ...unknown, why: `it took longer than ${seconds} s; check the address and the network.` }
  // A page without a network cannot load the module.
  const module = await import('./unreachable.ts').catch(() => undefined)
  return module?.unreachable(cause, base) ?? unknown
}

export async function readAnswer(
  call: Call,
  response: Response,
  text: string,
  now: number,
  asked: string,
): Promise<unknown> {
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
  const { refusalOf } = await import('./refusal.ts').catch(cause => {
    const sentence = `${asked} was answered ${response.status}, and the page cannot load what explains it; try again.`
    throw unsureIf(call, clientError(`HTTP_${response.status}`, sentence, { status: response.status, cause }))
  })
  const refusal = refusalOf(response, text, now, asked)
  throw response.status >= 500 && !REFUSED.has(refusal.code) ? unsureIf(call, refusal) : refusal
}

/**
 * Returns the origin and path of the http or https URL of a service, without trailing slashes. Returns undefined for any other text, and
 * for a URL with a user, a password, a query or a fragment.
 */
export function parseServiceUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fine = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return fine && url.search === '' && url.hash === '' ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined
}

export function baseOf(text: string, name = 'baseUrl'): string {
  const base = parseServiceUrl(text)
  if (base !== undefined) return base
  throw clientError('INVALID_ARGUMENT', `${name} is the http or https address of the service, without query or user.`)
}

const ITEM = /^"([\w-]{1,64})"((?:;[a-z]+=\d{1,9})+)$/

/** Parses a RateLimit field: items such as `"read-origin";r=118;t=60`. Skips items of another form. */
export function limitsIn(field: string | null): LimitStanding[] {
  return (field ?? '').split(/, */).flatMap(item => {
    const [, policy, parameters = ''] = ITEM.exec(item) ?? []
    if (policy === undefined) return []
    const values = new Map(
      parameters
        .slice(1)
        .split(';')
        .map(one => one.split('=') as [string, string]),
    )
    return [{ policy, remaining: Number(values.get('r') ?? 0), resetSeconds: Number(values.get('t') ?? 0) }]
  })
}

/** Reads the metadata of an answer from its header fields. */
function metadataOf(
  call: Pick<ResponseMetadata, 'method' | 'path' | 'attempt'>,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): ResponseMetadata {
  const { method, path, attempt } = call
  return {
    method,
    path,
    attempt,
    status,
    requestId: headers.get('x-request-id'),
    etag: /^(?:W\/)?"(.*)"$/.exec(headers.get('etag') ?? '')?.[1] ?? null,
    replayed: headers.get('idempotency-replayed') === 'true',
    limits: limitsIn(headers.get('ratelimit')),
    records: (headers.get('log-records') ?? '').match(/\d{1,16}/g)?.map(Number) ?? [],
    sequence: /^\d{1,19}$/.exec(headers.get('sequence') ?? '')?.[0] ?? null,
  }
}

/** The User-Agent field. Omitted in browsers, where setting it would require a preflight request. */
const userAgentFields = (userAgent: string): Record<string, string> =>
  userAgent === '' || 'document' in globalThis || 'WorkerGlobalScope' in globalThis ? {} : { 'user-agent': userAgent }
