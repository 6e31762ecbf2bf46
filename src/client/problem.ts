import { type ProblemCode, REMEDIES } from './table.ts'

/** A problem code of the service, a code of the client itself, or the status of an answer that is not the service's. */
export type ClientErrorCode =
  | ProblemCode
  | 'NO_ANSWER'
  | 'UNREADABLE_ANSWER'
  | 'REDIRECTED'
  | 'BEYOND_OFFSET'
  | 'INVALID_ARGUMENT'
  | `HTTP_${number}`

type Detail = Partial<
  Pick<ClientError, 'status' | 'requestId' | 'retryAfterSeconds' | 'latestRevisionId' | 'member' | 'cause'>
>

/**
 * What every method of the client rejects with; an abort alone rejects with the reason of the signal. The message is the code and one
 * sentence that names the thing and the remedy.
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  /** The HTTP status; null where no answer came. */
  readonly status: number | null
  /** Finds the line in the service's log; null where the service did not say. */
  readonly requestId: string | null
  /** Whole seconds to wait before the next try; null where the service did not say. */
  readonly retryAfterSeconds: number | null
  /** The entry's latest revision, with STALE_REVISION; null else. */
  readonly latestRevisionId: string | null
  /** What is wrong in the request, such as tags.1 or q; null where it is not one member or parameter. */
  readonly member: string | null
  /** True where a write may be in the store although it was not acknowledged. */
  mayHaveHappened: boolean
  /** The key with which such a write is to be sent again, so that it is done once; else null. */
  idempotencyKey: string | null = null

  constructor(code: ClientErrorCode, sentence: string, { cause, ...detail }: Detail = {}) {
    super(`${code}: ${sentence}`, cause === undefined ? {} : { cause })
    this.name = new.target.name
    this.code = code
    this.status = detail.status ?? null
    this.requestId = detail.requestId ?? null
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null
    this.latestRevisionId = detail.latestRevisionId ?? null
    this.mayHaveHappened = code === 'OUTCOME_UNKNOWN'
    this.member = detail.member ?? null
  }
}

/** The call does not make sense, and nothing was sent. */
export class ArgumentError extends ClientError {}
/** No answer of the service arrived: the network, a proxy, or another server. */
export class ConnectionError extends ClientError {}
/** The service refused. Each kind of refusal is a class of its own. */
export class RefusalError extends ClientError {}
/** 400, 413, 415 and 422: the request itself is wrong; the code names the member or the rule. */
export class InvalidRequestError extends RefusalError {}
/** 401: a token is missing, mistyped or unknown. */
export class AuthenticationError extends RefusalError {}
/** 403: the actor, its network or the entry is closed to writes. */
export class ForbiddenError extends RefusalError {}
/** 404 and 410: there is no such thing, or it was withdrawn. */
export class NotFoundError extends RefusalError {}
/** 409: another revision came first, or the same request is under way. */
export class ConflictError extends RefusalError {}
/** 429: too many requests, or too soon; `retryAfterSeconds` says how long to wait. */
export class RateLimitError extends RefusalError {}
/** 503: the service cannot answer at the moment. */
export class UnavailableError extends RefusalError {}

const BY_STATUS: Readonly<Record<number, typeof RefusalError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
  503: UnavailableError,
}

const CONNECTION = /^(?:NO_ANSWER|UNREADABLE_ANSWER|REDIRECTED|HTTP_\d+)$/

function classOf(code: ClientErrorCode, status: number | null = null): typeof ClientError {
  if (CONNECTION.test(code)) return ConnectionError
  if (code in REMEDIES) return BY_STATUS[status ?? 0] ?? RefusalError
  return ArgumentError
}

/** Makes an error of the class that its code and status call for. */
export function clientError(code: ClientErrorCode, sentence: string, detail: Detail = {}): ClientError {
  return new (classOf(code, detail.status))(code, sentence, detail)
}

/** Whether an error is one of this client's. */
export const isClientError = (error: unknown): error is ClientError => error instanceof ClientError

const REQUEST_ID = /^[\w-]{1,64}$/

/** Makes the error of an answer that refuses. Text of other servers is not repeated. */
export function refusalOf(response: Response, text: string, now: number, asked: string): ClientError {
  const told = errorIn(text)
  const code = isProblemCode(told?.code) ? told.code : (`HTTP_${response.status}` as const)
  const named = told?.requestId ?? response.headers.get('x-request-id')
  const requestId = typeof named === 'string' && REQUEST_ID.test(named) ? named : null
  const member = memberIn(response.headers.get('link'))
  const remedy = isProblemCode(code)
    ? ruleFor(REMEDIES[code], member)
    : 'The answer is not one that this version of the client knows; check the address, the proxies on the way and the version.'
  const request = requestId === null ? '' : `, request ${requestId}`
  return clientError(code, `${remedy} (${asked} was answered ${response.status}${request})`, {
    status: response.status,
    requestId,
    member,
    retryAfterSeconds: secondsIn(response.headers.get('retry-after'), now),
    latestRevisionId: code === 'STALE_REVISION' ? revisionIn(response.headers.get('etag')) : null,
  })
}

const isProblemCode = (code: unknown): code is ProblemCode => typeof code === 'string' && Object.hasOwn(REMEDIES, code)

function errorIn(text: string): { code?: unknown; requestId?: unknown } | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: unknown; requestId?: unknown } } | null)?.error ?? undefined
  } catch {
    return undefined
  }
}

/** The member that a Link field with rel="help" names. */
const memberIn = (link: string | null): string | null =>
  /rel="help"; member="([\w.-]{1,400})"/.exec(link ?? '')?.[1] ?? null

/** A rule with the member that broke it, unless it begins with that. */
const ruleFor = (rule: string, member: string | null): string =>
  member === null || rule.startsWith(`${member} `) ? rule : `${member}: ${rule}`

const revisionIn = (etag: string | null): string | null => /^"([\w-]{1,64})"$/.exec(etag ?? '')?.[1] ?? null

/** A Retry-After in seconds or as a date, in whole seconds from `now` (milliseconds), never below 0. */
function secondsIn(field: string | null, now: number): number | null {
  if (field === null) return null
  if (/^\d{1,9}$/.test(field.trim())) return Number(field)
  const date = Date.parse(field)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}
