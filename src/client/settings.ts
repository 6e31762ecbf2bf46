import type { Clock } from './clock.ts'
import type { ResponseMetadata, RetryNotice } from './response.ts'

/** What one call may be told. */
export type CallOptions = {
  /** Ends the call, its waits and its retries. */
  signal?: AbortSignal | undefined
  /**
   * The Idempotency-Key of a write, 1 to 255 printable ASCII characters without spaces: a fresh one for each call if left out.
   * To send a call of before again, give its key: `error.idempotencyKey`.
   */
  idempotencyKey?: string | undefined
  /** Receives what each answer of this call says beside its body, those before a retry too. */
  onResponse?: ((metadata: ResponseMetadata) => void) | undefined
}

/** How a client is set up; only `baseUrl` is needed. */
export type ClientSettings = {
  /** Where the service is, for example `https://memory.example`; a path before /api is allowed. */
  baseUrl: string
  /** An actor token as issued; without one, createActor gets one and the client keeps it. */
  token?: string | undefined
  /** Sends the token with reads too. They then count as this actor's in the public feed; otherwise they are anonymous. */
  tokenOnReads?: boolean
  /** Further tries after the first (3 if left out). */
  retries?: number
  /** The longest single wait between tries, in seconds (60 if left out); a longer Retry-After is thrown at once. */
  maxWaitSeconds?: number
  /** How long one try may take, in seconds (30 if left out). */
  timeoutSeconds?: number
  /** Receives what every answer says beside its body. Streams are left out. */
  onResponse?: (metadata: ResponseMetadata) => void
  /** Receives every try that failed and is followed by another, before the wait. */
  onRetry?: (notice: RetryNotice) => void
  /** The User-Agent outside browsers, `palimpsest-client/<version>` if left out; an empty text leaves it to `fetch`. */
  userAgent?: string
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  clock?: Clock
  /** From 0 to below 1: spreads the waits of many clients over a fifth more than is due. */
  random?: () => number
}
