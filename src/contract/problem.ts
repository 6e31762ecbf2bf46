import type { GeneralCode } from './general-problems.ts'
import type { MemberCode } from './member-problems.ts'

export type ProblemCode = GeneralCode | MemberCode

/** Details of a problem. They become header fields, never part of the body. */
export type ProblemDetail = {
  /** Whole seconds to wait, for 429 and 503. */
  retryAfter?: number
  /** The entry's latest revision and its address, for 409. */
  latest?: { slug: string; revisionId: string }
  /** Why the service is not ready, for NOT_READY; the log has it too. */
  reason?: string
  /** The path of the wrong member or parameter, for example tags.1. */
  member?: string
  /** The address of the original server, if this server is a copy. */
  original?: string
  /** The address at the original server to which the same request belongs. */
  location?: string
}

/** The only error with which rules and operations refuse a request. Each interface converts it to its error shape. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly detail: ProblemDetail

  constructor(code: ProblemCode, detail: ProblemDetail = {}) {
    super(code)
    this.name = 'Problem'
    this.code = code
    this.detail = detail
  }
}
