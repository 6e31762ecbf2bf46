import { MENDS } from './table.ts'

/** What every method of the client rejects with, but for an abort, which rejects with the reason of the signal. */
export type ClientError = Error & {
  /** A problem code of the service, or NO_ANSWER, UNREADABLE_ANSWER, REDIRECTED, BEYOND_OFFSET, INVALID_ARGUMENT or HTTP_<status>. */
  code: string
  /** The HTTP status; null where no answer came. */
  status: number | null
  /** Finds the line in the service's log; null where the service did not say. */
  requestId: string | null
  /** Whole seconds to wait before the next try; null where the service did not say. */
  retryAfterSeconds: number | null
  /** True where a write may be in the store although it was not acknowledged. */
  mayHaveHappened: boolean
  /** The key with which such a write is to be sent again, so that it is done once; else null. */
  idempotencyKey: string | null
  /** The entry's latest revision, told with STALE_REVISION; null else. */
  latestRevisionId: string | null
}

type Told = 'status' | 'requestId' | 'retryAfterSeconds' | 'latestRevisionId' | 'cause'
type Detail = Partial<Pick<ClientError, Told>>

/** An error of the client: its code and one sentence that names the thing and the mend. */
export function clientError(code: string, sentence: string, detail: Detail = {}): ClientError {
  const { cause, ...members } = detail
  const error = new Error(`${code}: ${sentence}`, cause === undefined ? {} : { cause })
  error.name = 'ClientError'
  const empty = {
    status: null,
    requestId: null,
    retryAfterSeconds: null,
    mayHaveHappened: false,
    idempotencyKey: null,
    latestRevisionId: null,
  }
  return Object.assign(error, { code, ...empty, ...members })
}

/** Whether an error is one of this client's. */
export function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && error.name === 'ClientError'
}

const CODE = /^[A-Z][A-Z_]{0,63}$/
const REQUEST_ID = /^[\w-]{1,64}$/

/** The refusal that an answer tells. What another server than ours wrote in between is not repeated. */
export function refusalOf(response: Response, text: string, now: number, asked: string): ClientError {
  const told = errorIn(text)
  const code = typeof told?.code === 'string' && CODE.test(told.code) ? told.code : `HTTP_${response.status}`
  const named = told?.requestId ?? response.headers.get('x-request-id')
  const requestId = typeof named === 'string' && REQUEST_ID.test(named) ? named : null
  const mend = MENDS[code] ?? 'This is no answer of Palimpsest; check the address and what stands in between.'
  const request = requestId === null ? '' : `, request ${requestId}`
  return clientError(code, `${mend} (${asked} was answered ${response.status}${request})`, {
    status: response.status,
    requestId,
    retryAfterSeconds: secondsIn(response.headers.get('retry-after'), now),
    latestRevisionId: code === 'STALE_REVISION' ? revisionIn(response.headers.get('etag')) : null,
  })
}

function errorIn(text: string): { code?: unknown; requestId?: unknown } | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: unknown; requestId?: unknown } } | null)?.error ?? undefined
  } catch {
    return undefined
  }
}

const revisionIn = (etag: string | null): string | null => /^"([\w-]{1,64})"$/.exec(etag ?? '')?.[1] ?? null

/** A Retry-After in seconds or as a date, in whole seconds from `now` (milliseconds), never below 0. */
function secondsIn(field: string | null, now: number): number | null {
  if (field === null) return null
  if (/^\d{1,9}$/.test(field.trim())) return Number(field)
  const date = Date.parse(field)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}
