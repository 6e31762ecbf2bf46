import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { Problem, type ProblemCode } from '../../contract/problem.ts'

/** Version 00 of W3C Trace Context, or a later one that begins like it. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

/** The trace id of a `traceparent` field; undefined if it is missing or malformed. */
export function traceIdOf(field: unknown): string | undefined {
  if (typeof field !== 'string' || field.length > 512) return undefined
  const [, version, id, more] = TRACEPARENT.exec(field) ?? []
  return version === '00' && more !== undefined ? undefined : id
}

/** The trace id of a request, as a member of its log lines. */
function traceOf({ traceparent }: IncomingHttpHeaders): { traceId?: string } {
  const traceId = traceparent === undefined ? undefined : traceIdOf(traceparent)
  return traceId === undefined ? {} : { traceId }
}

type Outcome = { requestId: string; operation: string | null; status: number; ms: number }

/** Logs one line for each request. Reads without a fault have the level debug. */
export function logRequest(logger: Logger, { ms, ...outcome }: Outcome, { method, headers }: IncomingMessage): void {
  const level = outcome.status < 400 && method !== 'POST' ? 'debug' : 'info'
  if (!logger.isLevelEnabled(level)) return
  logger[level]({ ...outcome, ms: Math.round(ms * 10) / 10, ...traceOf(headers) }, 'request')
}

/** Logs a request that failed because of the service, with the error. The stack is omitted for refusals of the service. */
export function logFailure(
  logger: Logger,
  error: unknown,
  code: ProblemCode,
  { id, headers }: { id: string; headers: IncomingHttpHeaders },
): void {
  const level = code === 'UNEXPECTED_FAULT' ? 'error' : 'warn'
  const cause = error instanceof Problem ? reasonOf(error) : { err: error }
  logger[level]({ requestId: id, code, ...cause, ...traceOf(headers) }, 'a request failed')
}

/** The reason of a refusal, as a member of its log line. */
const reasonOf = ({ detail: { reason } }: Problem): { reason?: string } => (reason === undefined ? {} : { reason })
