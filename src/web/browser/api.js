/** The code for a missing answer. The contract has no problem code for it. */
export const NO_ANSWER = 'NO_ANSWER'

/** The refusal without an answer. @type {Refused} */
export const UNANSWERED = { ok: false, status: 0, code: NO_ANSWER, requestId: null, retryAfter: 0 }

/** The timeout of a request, in milliseconds. */
const PATIENCE = 20_000

/**
 * @template T
 * @typedef {{ ok: true, status: number, body: T }} Done
 */
/** @typedef {{ ok: false, status: number, code: string, requestId: string | null, retryAfter: number }} Refused */
/**
 * @template T
 * @typedef {Done<T> | Refused} Answer
 */

const KEY_WORDS = 4
/** The last write without a final answer. A retry of the same request has the same key, so that it takes effect once. */
let unanswered = { written: '', key: '' }

/** @param {string} written method, path and body of a write, as one text */
function keyOf(written) {
  if (unanswered.written !== written) {
    unanswered = { written, key: crypto.getRandomValues(new Uint32Array(KEY_WORDS)).join('-').padStart(16, '0') }
  }
  return unanswered.key
}

/** @param {number} status of a final answer: after it, the same request is a new write */
const settle = status => {
  if (status < 500 && status !== 409) unanswered = { written: '', key: '' }
}

/**
 * Calls the public API of this host and returns its answer. A refusal is an answer too; the function does not throw.
 * Credentials are sent only in header fields.
 * @template T
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {{ body?: unknown, token?: string | undefined, bearer?: string | undefined }} options
 * @returns {Promise<Answer<T>>}
 */
export async function call(method, path, { body, token, bearer } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (token !== undefined) headers['x-actor-token'] = token
  const json = body === undefined ? undefined : JSON.stringify(body)
  if (method === 'POST') headers['idempotency-key'] = keyOf(`${path} ${token ?? ''} ${json}`)
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`
  try {
    const response = await fetch(path, {
      method,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE),
      ...(json === undefined ? {} : { body: json }),
    })
    const answered = await response.json()
    if (method === 'POST') settle(response.status)
    if (response.ok) {
      return { ok: true, status: response.status, body: answered }
    }
    return {
      ok: false,
      status: response.status,
      code: String(answered?.error?.code ?? 'UNEXPECTED_FAULT'),
      requestId: answered?.error?.requestId ?? null,
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
    }
  } catch {
    return UNANSWERED
  }
}

/** @typedef {import('../../contract/resources.ts').Entry} Entry */
/** @typedef {import('../../contract/resources.ts').Revision} Revision */

/**
 * @param {string} address id or slug
 * @returns {Promise<Answer<Entry>>}
 */
export const readEntry = address => call('GET', `/api/entries/${encodeURIComponent(address)}`)

/**
 * @param {string} address id or slug of the entry
 * @param {string} revisionId
 * @returns {Promise<Answer<Revision>>}
 */
export const readRevision = (address, revisionId) =>
  call('GET', `/api/entries/${encodeURIComponent(address)}/revisions/${encodeURIComponent(revisionId)}`)
