import { GENERAL_PROBLEMS, type GeneralCode } from './general-problems.ts'
import { codeOf, MEMBER_PROBLEMS, membersIn } from './member-problems.ts'
import { NAMED_INPUTS, type Operation, takesMinSequence } from './operations.ts'
import type { ProblemCode } from './problem.ts'

/** All problems. A response has the code and a requestId; documents and clients show the remedy. */
export const PROBLEMS: Readonly<Record<ProblemCode, { status: number; remedy: string }>> = {
  ...GENERAL_PROBLEMS,
  ...MEMBER_PROBLEMS,
}

/**
 * The remedy of a problem, prefixed with the member that broke the rule unless the remedy begins with it. A later version of the service
 * may answer with a code that this version does not know.
 */
export function remedyOf(code: string, member?: string | null): string {
  if (!Object.hasOwn(PROBLEMS, code)) return 'This version does not know the code; see /docs/errors of the service.'
  const { remedy } = PROBLEMS[code as ProblemCode]
  return member === undefined || member === null || remedy.startsWith(`${member} `) ? remedy : `${member}: ${remedy}`
}

/** The problems that not every operation has: those of its row, and that of its cooldown. */
export const ownProblems = ({ cooldown, problems }: Operation): GeneralCode[] => [
  ...(cooldown === undefined ? [] : (['COOLDOWN'] as const)),
  ...problems.flatMap(code => (code === 'ENTRY_WITHDRAWN' ? ([code, 'ERASED'] as const) : [code])),
]

/** All problems of an operation: its own, and those that follow from access, cost, path, query and body. */
export function problemsOf(operation: Operation): ProblemCode[] {
  const api = operation.path.startsWith('/api/')
  return [
    'MALFORMED_REQUEST',
    ...pathProblems(operation),
    ...(api ? queryProblems(operation) : []),
    ...bodyProblems(operation),
    ...(operation.access === 'actor' ? (['ACTOR_TOKEN_REQUIRED'] as const) : []),
    ...(operation.access === 'admin' ? (['ADMIN_TOKEN_REQUIRED', 'ADMIN_TOKEN_INVALID'] as const) : []),
    ...(operation.access !== 'admin' && operation.cost !== 'free' ? (['ACTOR_TOKEN_INVALID'] as const) : []),
    ...(operation.cost === 'free' ? [] : (['RATE_LIMITED', 'HOST_NOT_ALLOWED', 'ORIGIN_NOT_ALLOWED'] as const)),
    ...(takesMinSequence(operation) ? (['INVALID_MIN_SEQUENCE'] as const) : []),
    ...ownProblems(operation),
    ...(operation.kind === 'write'
      ? (['INVALID_IDEMPOTENCY_KEY', 'REQUEST_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const)
      : []),
    'ROUTE_NOT_FOUND',
    'NOT_READY',
    'OVERLOADED',
    ...(operation.atOriginal ? (['WRITE_AT_ORIGINAL'] as const) : []),
    ...(operation.kind === 'write'
      ? ([
          operation.access === 'admin' ? 'READ_ONLY_MIRROR' : 'WRITE_AT_ORIGINAL',
          'STORE_UNAVAILABLE',
          'OUTCOME_UNKNOWN',
        ] as const)
      : []),
    'UNEXPECTED_FAULT',
  ]
}

const pathProblems = ({ params }: Operation): ProblemCode[] => {
  const names = Object.keys(params)
  return names.length === 0 ? [] : ['INVALID_PATH', ...names.map(codeOf)]
}

function queryProblems({ query }: Operation): ProblemCode[] {
  const names = membersIn(query)
  return [
    'INVALID_QUERY',
    'UNKNOWN_PARAMETER',
    ...(names.length === 0 ? [] : (['REPEATED_PARAMETER'] as const)),
    ...('required' in query ? (['MISSING_PARAMETER'] as const) : []),
    ...names.map(codeOf),
  ]
}

function bodyProblems({ body }: Operation): ProblemCode[] {
  if (body === undefined) return []
  const schema = NAMED_INPUTS[body]
  return [
    'MALFORMED_JSON',
    'INVALID_BODY',
    'UNKNOWN_MEMBER',
    ...('required' in schema ? (['MISSING_MEMBER'] as const) : []),
    'INVALID_TEXT',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    ...membersIn(schema).map(codeOf),
  ]
}
