/**
 * The clock of a client. `now` returns milliseconds since 1970. `sleep` waits for milliseconds, and rejects with the reason of the signal
 * if the signal aborts.
 */
export type Clock = {
  now(): number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The state of a rate limit at the time of an answer. */
export type LimitStanding = {
  /** Name of the limit, for example read-origin, write-token or cooldown. */
  policy: string
  /** Remaining requests. */
  remaining: number
  /** Seconds until more requests are available. */
  resetSeconds: number
}

/** The metadata of an answer, whether a success or a refusal. */
export type ResponseMetadata = {
  method: 'GET' | 'POST'
  /** Path and query of the request. */
  path: string
  /** The number of the attempt, from 1. */
  attempt: number
  status: number
  requestId: string | null
  /** The version of the resource (ETag) without quotes; null if there is none. */
  etag: string | null
  /** True if this is the stored answer to an earlier request with the same Idempotency-Key. */
  replayed: boolean
  limits: LimitStanding[]
  /** Record numbers of the revisions, evidence or relations of the answer in the public log, in the order of the answer. */
  records: number[]
  /** The sequence of a write: a store that has reached this sequence contains the write. Null if the answer has none. */
  sequence: string | null
}

/** A failed attempt that will be retried. */
export type RetryNotice = {
  method: 'GET' | 'POST'
  path: string
  /** The number of the failed attempt. */
  attempt: number
  /** Seconds until the next attempt. */
  waitSeconds: number
  error: Error
}

/** The options of one call. */
export type CallOptions = {
  /** Aborts the call, its waits and its retries. */
  signal?: AbortSignal | undefined
  /**
   * The Idempotency-Key of a write: 1 to 255 printable ASCII characters without spaces. By default, each call has a new key. To repeat an
   * earlier call, pass its key: `error.idempotencyKey`.
   */
  idempotencyKey?: string | undefined
  /** Called with the metadata of each answer to this call, including the answers of failed attempts. */
  onResponse?: ((metadata: ResponseMetadata) => void) | undefined
}

/** The settings of a client. Only `baseUrl` is required. */
export type ClientSettings = {
  /** The address of the service, for example `https://memory.example`. It may have a path before /api. */
  baseUrl: string
  /**
   * The address of a mirror or node of the service. Receives the reads without a token, with the sequence of the last write of this client
   * as Min-Sequence, so that they include this write. A read goes to `baseUrl` if this server does not answer or refuses temporarily.
   */
  readUrl?: string | undefined
  /** An actor token as issued. If omitted, the client uses the token that `createActor` returns. */
  token?: string | undefined
  /**
   * Sends the token with reads too (false by default). The service then publishes the reads under this actor; otherwise they are anonymous.
   */
  tokenOnReads?: boolean
  /** Maximum number of attempts after the first (3 by default). */
  retries?: number
  /** Maximum wait between attempts, in seconds (60 by default). If a longer wait is due, the call rejects at once. */
  maxWaitSeconds?: number
  /** Maximum duration of one attempt, in seconds (30 by default). */
  timeoutSeconds?: number
  /** Called with the metadata of every answer except streams. */
  onResponse?: (metadata: ResponseMetadata) => void
  /** Called after each failed attempt that will be retried, before the wait. */
  onRetry?: (notice: RetryNotice) => void
  /** The User-Agent field outside browsers (`palimpsest-client/<version>` by default). If the text is empty, `fetch` sets the field. */
  userAgent?: string
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  clock?: Clock
  /**
   * Returns a number from 0 to below 1 (`Math.random` by default). It adds up to one fifth to each wait, so that clients do not retry at
   * the same time.
   */
  random?: () => number
}
