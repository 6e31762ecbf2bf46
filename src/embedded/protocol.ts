import { Problem, type ProblemCode, type ProblemDetail } from '../contract/problems.ts'
import { StoreFault } from '../database/database.ts'
import type { UpkeepName, WriteName } from '../operations/index.ts'
import type { SearchRequest } from '../operations/operation.ts'
import type { Terms } from '../operations/store.ts'
import type { Signals } from './signals.ts'

/** A write as data: the writer thread runs the operation of that name. */
export type Command = { id: number; name: WriteName | UpkeepName; input: unknown; terms: Terms }
/** A search as data. */
export type Query = { id: number; request: SearchRequest }

/** An answer or a failure, as plain data. */
export type Reply = { id: number } & (
  | { result: unknown }
  | { problem: ProblemCode; detail: ProblemDetail }
  | { fault: StoreFault['kind']; message: string }
  | { error: string; stack: string }
)
/** Why the thread of the index cannot write its file, told once; undefined when it can again. */
export type IndexNotice = { held: 'full' | 'locked' | undefined }
export type ThreadData = { directory: string; signals: Signals }

export function replyOfError(id: number, error: unknown): Reply {
  if (error instanceof Problem) return { id, problem: error.code, detail: error.detail }
  if (error instanceof StoreFault) return { id, fault: error.kind, message: (error.cause as Error).message }
  const { message, stack } = error as Error
  return { id, error: message, stack: stack ?? '' }
}

/** What a reply that is no result is thrown as on the other side. */
export function errorOfReply(reply: Exclude<Reply, { result: unknown }>): Error {
  if ('problem' in reply) return new Problem(reply.problem, reply.detail)
  if ('fault' in reply) return new StoreFault(reply.fault, new Error(reply.message))
  return Object.assign(new Error(reply.error), { stack: reply.stack })
}
