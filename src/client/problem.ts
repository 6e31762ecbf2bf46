import { type ProblemCode, REMEDIES } from './table.ts'

/** A problem code of the service, a code of the client, or `HTTP_` and the status of an answer that is not from the service. */
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
 * The error with which every method of the client rejects. An aborted call rejects with the reason of its signal instead. The message
 * consists of the code and one sentence that states the fault and the remedy.
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  /** The HTTP status; null if there was no answer. */
  readonly status: number | null
  /** Identifies the request in the log of the service; null if unknown. */
  readonly requestId: string | null
  /** Whole seconds to wait before the next attempt; null if the service named none. */
  readonly retryAfterSeconds: number | null
  /** With STALE_REVISION, the id of the latest revision of the entry; otherwise null. */
  readonly latestRevisionId: string | null
  /** The wrong member or parameter, for example tags.1 or q; null if the service names none. */
  readonly member: string | null
  /** True if the write may have been stored although it was not acknowledged. */
  mayHaveHappened: boolean
  /** The key to repeat such a write with, so that the service does it only once; otherwise null. */
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

/** The arguments are wrong. Nothing was sent. */
export class ArgumentError extends ClientError {}
/** The service did not answer: the network failed, or a proxy or another server answered. */
export class ConnectionError extends ClientError {}
/** The service refused the request. Each kind of refusal has its own class. */
export class RefusalError extends ClientError {}
/** 400, 413, 415 and 422: the request is wrong. The code names the member or the rule. */
export class InvalidRequestError extends RefusalError {}
/** 401: a token is missing, mistyped or unknown. */
export class AuthenticationError extends RefusalError {}
/** 403: moderation has blocked the actor, its network or the entry. */
export class ForbiddenError extends RefusalError {}
/** 404 and 410: the resource does not exist, or was withdrawn. */
export class NotFoundError extends RefusalError {}
/** 409: another revision was committed first, or the same request is in progress. */
export class ConflictError extends RefusalError {}
/** 429: too many requests, or too soon; `retryAfterSeconds` says how long to wait. */
export class RateLimitError extends RefusalError {}
/** 503: the service is temporarily unavailable. */
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

/** Makes an error of the class for a code and a status. */
export function clientError(code: ClientErrorCode, sentence: string, detail: Detail = {}): ClientError {
  return new (classOf(code, detail.status))(code, sentence, detail)
}

/** Whether an error comes from this client. */
export const isClientError = (error: unknown): error is ClientError => error instanceof ClientError

const REQUEST_ID = /^[\w-]{1,64}$/

/** Makes the error of a refusal. Excludes free text of the answer, which may be from another server. */
export function refusalOf(response: Response, text: string, now: number, asked: string): ClientError {
  const received = errorIn(text)
  const code = isProblemCode(received?.code) ? received.code : (`HTTP_${response.status}` as const)
  const named = received?.requestId ?? response.headers.get('x-request-id')
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

/** The member that is named by a Link field with rel="help". */
const memberIn = (link: string | null): string | null =>
  /rel="help"; member="([\w.-]{1,400})"/.exec(link ?? '')?.[1] ?? null

/** Puts the member that broke a rule before the rule, unless the rule begins with this member. */
const ruleFor = (rule: string, member: string | null): string =>
  member === null || rule.startsWith(`${member} `) ? rule : `${member}: ${rule}`

const revisionIn = (etag: string | null): string | null => /^"([\w-]{1,64})"$/.exec(etag ?? '')?.[1] ?? null

/** Parses a Retry-After in seconds or as a date. Returns whole seconds from `now` (milliseconds), at least 0. */
function secondsIn(field: string | null, now: number): number | null {
  if (field === null) return null
  if (/^\d{1,9}$/.test(field.trim())) return Number(field)
  const date = Date.parse(field)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}
