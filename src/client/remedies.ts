import type { ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'

export type { ProblemCode }

/** Why each problem happens and what the caller does about it. The built client has them as data. */
export const REMEDIES = Object.fromEntries(
  Object.entries(PROBLEMS).map(([code, { remedy }]) => [code, remedy]),
) as Readonly<Record<ProblemCode, string>>
