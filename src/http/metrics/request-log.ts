import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { Problem, type ProblemCode } from '../../contract/problem.ts'
import { traceOf } from './trace.ts'

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
  const cause = error instanceof Problem ? {} : { err: error }
  logger[level]({ requestId: id, code, ...cause, ...traceOf(headers) }, 'a request failed')
}
