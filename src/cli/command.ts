import { OperatorError } from '../operator-error.ts'

/** What the process ends with; part of what the command line promises. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unexpected: 70 } as const

/** One flag of a command: with a `value`, as in `--to FILE`, or a switch without one. */
export type Flag = { name: string; value?: string; byDefault?: string; description: string }

/** A command as it was called: flags with their values, the switches that are on, and the environment. */
export type Invocation = {
  flags: Readonly<Record<string, string | undefined>>
  switches: ReadonlySet<string>
  env: NodeJS.ProcessEnv
}

export type Command = {
  name: string
  summary: string
  /** What help says beyond the summary. */
  details?: string
  flags: readonly Flag[]
  /** Gives the exit code; the process ends when nothing is left to do. */
  run(invocation: Invocation): Promise<number>
}

/** The command line was not understood: `message` is one sentence. */
export class UsageError extends OperatorError {}

/** The value of a flag that the command cannot do without. */
export function required({ flags }: Invocation, name: string, what: string): string {
  const value = flags[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing: it names ${what}.`)
  return value
}
