import type { Clock } from './clock.ts'
import type { ResponseMetadata, RetryNotice } from './response.ts'

/** The options of one call. */
export type CallOptions = {
  /** Aborts the call, its waits and its retries. */
  signal?: AbortSignal | undefined
  /**
   * The Idempotency-Key of a write, 1 to 255 printable ASCII characters without spaces; by default a new one for each call.
   * To repeat an earlier call, pass its key: `error.idempotencyKey`.
   */
  idempotencyKey?: string | undefined
  /** Receives the metadata of each answer of this call, also of failed attempts. */
  onResponse?: ((metadata: ResponseMetadata) => void) | undefined
}

/** The settings of a client. Only `baseUrl` is required. */
export type ClientSettings = {
  /** The address of the service, for example `https://memory.example`. It may have a path before /api. */
  baseUrl: string
  /**
   * A mirror or node of that service. Reads without a token are sent there, with the Sequence of the last write of this client as
   * Min-Sequence, so that they include it. Without an answer from there, or refused for a while, a read goes to `baseUrl`.
   */
  readUrl?: string | undefined
  /** An actor token as issued; without one, createActor gets one and the client keeps it. */
  token?: string | undefined
  /** Sends the token with reads too. They are then public under this actor; otherwise they are anonymous. */
  tokenOnReads?: boolean
  /** Maximum number of attempts after the first (3 by default). */
  retries?: number
  /** The longest wait between attempts, in seconds (60 by default). A longer Retry-After is thrown at once. */
  maxWaitSeconds?: number
  /** The longest duration of one attempt, in seconds (30 by default). */
  timeoutSeconds?: number
  /** Receives the metadata of every answer except streams. */
  onResponse?: (metadata: ResponseMetadata) => void
  /** Receives every failed attempt that is followed by another, before the wait. */
  onRetry?: (notice: RetryNotice) => void
  /** The User-Agent outside browsers; `palimpsest-client/<version>` by default. With an empty text `fetch` sets it. */
  userAgent?: string
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  clock?: Clock
  /** A number from 0 to below 1. It adds up to a fifth to each wait, so that clients do not retry at the same time. */
  random?: () => number
}
