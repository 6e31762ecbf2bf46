import type { Clock } from '../client/index.ts'
import { OperatorError } from '../operator-error.ts'

/** What the process ends with; part of what the command line promises. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  refused: 5,
  noAnswer: 6,
  unexpected: 70,
} as const

/** A stream that text is written to; a terminal says so and how wide it is. `fd` is its descriptor, if it has one. */
export type Sink = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; fd?: number }

/** What a command line runs in: the streams and the environment of the process, or those that a test gives. */
export type Surroundings = {
  env: NodeJS.ProcessEnv
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: Sink
  stderr: Sink
  /** Where waits come from; by default those of the machine. */
  clock?: Clock
  /** Ends what would go on for ever. */
  signal?: AbortSignal
}

/** One flag of a command: with a `value`, as in `--to FILE`, or a switch without one. `values` are all that it takes. */
export type Flag = {
  name: string
  value?: string
  values?: readonly string[]
  byDefault?: string
  description: string
}

/** One word of a command that has no name before it; `many` takes all that are left. */
export type Argument = { name: string; optional?: true; many?: true; values?: readonly string[]; description: string }

/** A command as it was called: arguments, flags with their values, the switches that are on, and where it runs. */
export type Invocation = Surroundings & {
  args: readonly string[]
  flags: Readonly<Record<string, string | undefined>>
  switches: ReadonlySet<string>
}

export type Command = {
  name: string
  summary: string
  /** What help says beyond the summary. */
  details?: string
  args?: readonly Argument[]
  flags: readonly Flag[]
  /** Command lines to copy, without `palimpsest`. */
  examples?: readonly string[]
  /** The exit codes that this command ends with beside 0, 1, 2 and 70. */
  exits?: readonly (keyof typeof EXIT)[]
  /** An earlier name, which still works where the command line fits this command. */
  formerly?: string
  /** Gives the exit code; the process ends when nothing is left to do. */
  run(invocation: Invocation): Promise<number>
}

/** The command line was not understood: `message` is one sentence. */
export class UsageError extends OperatorError {}

/** What a command could not do, as one sentence, with the exit code that says which kind of thing it was. */
export class CommandError extends OperatorError {
  readonly exitCode: number
  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A fault in what a person gave, found before anything was sent. */
export const mistake = (message: string): CommandError => new CommandError(message, EXIT.failed)

/** The value of a flag that the command cannot do without. */
export function required({ flags }: Pick<Invocation, 'flags'>, name: string, what: string): string {
  const value = flags[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing: it names ${what}.`)
  return value
}
