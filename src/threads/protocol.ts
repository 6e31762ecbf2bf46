import { Problem, type ProblemCode, type ProblemDetail } from '../contract/problem.ts'
import { StoreFault } from '../database/database.ts'

/** An answer or a failure, as plain data. */
export type Reply = { id: number } & (
  | { result: unknown }
  | { problem: ProblemCode; detail: ProblemDetail }
  | { fault: StoreFault['kind']; outcomeUnknown: boolean; message: string }
  | { error: string; stack: string }
)
/**
 * Why the index thread cannot write its file (undefined when it can again), the damage of the file that it replaces, or the record from
 * which it indexes and the newest record.
 */
export type IndexNotice = { held: 'full' | 'locked' | undefined } | { damage: string } | { from: number; of: number }

export function replyOfError(id: number, error: unknown): Reply {
  if (error instanceof Problem) return { id, problem: error.code, detail: error.detail }
  if (error instanceof StoreFault) {
    const { kind: fault, outcomeUnknown, cause } = error
    return { id, fault, outcomeUnknown, message: (cause as Error).message }
  }
  const { message, stack } = error as Error
  return { id, error: message, stack: stack ?? '' }
}

/** The error to throw for a reply that is not a result. */
export function errorOfReply(reply: Exclude<Reply, { result: unknown }>): Error {
  if ('problem' in reply) return new Problem(reply.problem, reply.detail)
  if ('fault' in reply) return new StoreFault(reply.fault, new Error(reply.message), reply)
  return Object.assign(new Error(reply.error), { stack: reply.stack })
}
