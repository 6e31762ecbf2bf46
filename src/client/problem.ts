import type { ProblemCode } from './remedies.ts'

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
const ARGUMENT = /^(?:INVALID_ARGUMENT|BEYOND_OFFSET)$/

function classOf(code: ClientErrorCode, status: number | null = null): typeof ClientError {
  if (CONNECTION.test(code)) return ConnectionError
  return ARGUMENT.test(code) ? ArgumentError : (BY_STATUS[status ?? 0] ?? RefusalError)
}

/** Makes an error of the class for a code and a status. */
export function clientError(code: ClientErrorCode, sentence: string, detail: Detail = {}): ClientError {
  return new (classOf(code, detail.status))(code, sentence, detail)
}

/** Whether an error comes from this client. */
export const isClientError = (error: unknown): error is ClientError => error instanceof ClientError
