import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Actor, ActorIssued, Entry, Published } from '../../src/contract/resources.ts'

export type Sent = { status: number; type: string; readonly headers: Headers; text: string }
type Sending = {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array
  /** The address of the client, one of 127.0.0.0/8. */
  from?: string | undefined
}

/**
 * Maximum idle time of a reused connection in milliseconds. It is less than the idle time of any service or cache, so that no request is
 * sent on a connection that is being closed. A request in progress may take longer.
 */
const UNUSED_MAX = 2_000
/** Connections are reused, and do not keep the process running. */
const agent = new Agent({ keepAlive: true, timeout: UNUSED_MAX })
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { gzip: gunzipSync, br: brotliDecompressSync }
const REDIRECTS_MAX = 20

/**
 * Sends a request and follows redirects like `fetch`, in about half of the processor time: it requests no compression, and creates the
 * headers object only when a test reads it. Rejects if the connection fails.
 */
export async function send(url: string, sending: Sending, redirects = 0): Promise<Sent> {
  const answer = await answerOf(new URL(url), sending)
  const { statusCode: status = 0, headers, rawHeaders } = answer
  const { location } = headers
  if (location !== undefined && [301, 302, 303, 307, 308].includes(status)) {
    answer.resume()
    if (redirects === REDIRECTS_MAX) throw new Error(`More than ${REDIRECTS_MAX} redirects, the last to ${location}.`)
    const { method, headers: fields } = sending
    const again = status >= 307 || method === 'GET' || method === 'HEAD' ? sending : { method: 'GET', headers: fields }
    return send(new URL(location, url).href, again, redirects + 1)
  }
  const bytes = await bytesOf(answer)
  const decode = bytes.length > 0 ? DECODERS[headers['content-encoding'] ?? ''] : undefined
  const text = new TextDecoder().decode(decode === undefined ? bytes : decode(bytes))
  let made: Headers | undefined
  return {
    status,
    type: headers['content-type'] ?? '',
    text,
    get headers() {
      made ??= headersOf(rawHeaders)
      return made
    },
  }
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] as string, raw[at + 1] as string)
  return headers
}

function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => resolve(Buffer.concat(chunks)))
    answer.on('error', reject)
  })
}

function answerOf(url: URL, { method, headers, body, from }: Sending): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string | number> = { accept: '*/*', 'user-agent': 'node' }
    for (const [name, value] of Object.entries(headers)) fields[name.toLowerCase()] = value
    if (body !== undefined) fields['content-length'] = Buffer.byteLength(body)
    const outgoing = request(url, {
      agent,
      method,
      headers: fields,
      ...(from === undefined ? {} : { localAddress: from }),
    })
    // An error after the start of the answer also ends the answer.
    outgoing.once('response', resolve).on('error', reject)
    outgoing.end(body)
  })
}

export type Answer<T = Record<string, unknown>> = { status: number; headers: Headers; body: T; text: string }
export type CallOptions = {
  body?: unknown
  raw?: string | Uint8Array
  token?: string
  headers?: Record<string, string>
}

/** Maximum time for which a client repeats a temporarily refused request, in milliseconds. */
const PATIENCE = 60_000

/** Repeats a request, after the pauses that the answers require, until the answer is not a temporary refusal. */
export async function sendUntil<A extends { status: number; headers: Headers }>(
  isFinal: (answer: A) => boolean,
  send: () => Promise<A>,
): Promise<A> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const answer = await send()
    if (isFinal(answer) || performance.now() > deadline) return answer
    await setTimeout(Number(answer.headers.get('retry-after')) * 1_000)
  }
}

/**
 * Calls an operation over HTTP. `body` is sent as JSON, `raw` unchanged. The body of the answer is parsed if it is JSON. A request that is
 * refused with OVERLOADED had no effect, so it is sent again.
 */
export const call = <T = Record<string, unknown>>(
  base: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<T>> =>
  sendUntil(
    ({ status, text }) => status !== 503 || !text.includes('"OVERLOADED"'),
    () => callOnce<T>(base, method, path, options),
  )

/**
 * Like `call`, repeated as long as the service refuses it temporarily for any reason. Use it for searches: on a busy machine the index may
 * lag.
 */
export const callPatiently = <T = Record<string, unknown>>(
  base: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<T>> =>
  sendUntil(
    ({ status }) => status !== 503,
    () => callOnce<T>(base, method, path, options),
  )

/**
 * Whether a request judges an entry. A judgement counts only from another network than that of the author, so judges have an address of
 * their own, unless the test names one.
 */
const isJudgement = (base: string, method: string, path: string, headers: Record<string, string> = {}): boolean =>
  method === 'POST' &&
  /^\/api\/(?:evidence|relations|entries\/[^/]+\/(?:verify|contradict))$/.test(path) &&
  new URL(base).hostname === '127.0.0.1' &&
  headers['x-forwarded-for'] === undefined

/** An address of this machine for a token. */
function addressOf(token: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(token).digest()
  return `127.${1 + (a % 254)}.${b}.${1 + (c % 254)}`
}

async function callOnce<T>(
  base: string,
  method: string,
  path: string,
  { body, raw, token, headers }: CallOptions,
): Promise<Answer<T>> {
  const sent = body === undefined ? raw : JSON.stringify(body)
  const answer = await send(`${base}${path}`, {
    method,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { 'x-actor-token': token }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
    from: isJudgement(base, method, path, headers) ? addressOf(token ?? '') : undefined,
  })
  const isJson = answer.type.startsWith('application/json') && answer.text !== ''
  return Object.assign(answer, { body: (isJson ? JSON.parse(answer.text) : {}) as T })
}

/** Asserts the status; for a problem, also the whole error format and its code. Returns the answer. */
export function expectProblem(answer: Answer, status: number, code: string): Answer {
  assert.equal(answer.status, status, `${answer.status} ${answer.text}`)
  const { error } = answer.body as { error: { code: string; requestId: string } }
  assert.deepEqual(Object.keys(answer.body), ['error'])
  assert.deepEqual(Object.keys(error), ['code', 'requestId'])
  assert.equal(error.code, code)
  assert.ok(answer.headers.get('link')?.includes(`</docs/errors#${code}>; rel="help"`), `${answer.headers.get('link')}`)
  assert.match(error.requestId, /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(answer.headers.get('x-request-id'), error.requestId)
  return answer
}

export function expectStatus<T>(answer: Answer<T>, status: number): T {
  assert.equal(answer.status, status, `${answer.status} ${answer.text}`)
  return answer.body
}

export async function newActor(
  base: string,
  input: Record<string, unknown> = {},
): Promise<{ actor: Actor; token: string }> {
  return expectStatus(await callPatiently<ActorIssued>(base, 'POST', '/api/actors', { body: input }), 201)
}

let made = 0
/** Publishes an entry. Omitted members have generated, distinct values. */
export async function newEntry(base: string, token: string, input: Record<string, unknown> = {}): Promise<Entry> {
  made += 1
  const body = { title: `Entry number ${made}`, content: `Content ${made}`, summary: `Summary ${made}`, ...input }
  const published = expectStatus(await callPatiently<Published>(base, 'POST', '/api/entries', { body, token }), 201)
  const { hints: _, ...entry } = published
  return entry
}

/** The body of a revision on top of an entry as read. */
export const revisionOf = (entry: Entry, input: Record<string, unknown> = {}) => ({
  previousRevisionId: entry.currentRevisionId,
  title: entry.title,
  summary: entry.summary,
  content: `${entry.content} revised`,
  changeType: 'EXPAND',
  rationale: 'Says more.',
  ...input,
})

/** Reads all pages of a list with a cursor, until nextCursor is null. */
export async function allPages<T>(base: string, path: string, limit = 50): Promise<T[]> {
  const items: T[] = []
  let before: string | null = null
  do {
    const cursor: string = before === null ? '' : `&before=${before}`
    const page = expectStatus(
      await call<{ items: T[]; nextCursor: string | null }>(base, 'GET', `${path}?limit=${limit}${cursor}`),
      200,
    )
    items.push(...page.items)
    before = page.nextCursor
  } while (before !== null)
  return items
}

/** One member of each row. */
export const columnOf = <T, K extends keyof T>(rows: readonly T[], name: K): T[K][] => rows.map(row => row[name])
