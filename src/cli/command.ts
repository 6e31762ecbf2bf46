import type { Clock } from '../client/index.ts'
import { OperatorError } from '../operator-error.ts'
import type { Sink } from '../progress.ts'

/** Exit codes; part of the interface. */
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

/** The streams and the environment of a command line: those of the process, or those of a test. */
export type Surroundings = {
  env: NodeJS.ProcessEnv
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: Sink
  stderr: Sink
  /** The function that waits; by default a timer. */
  clock?: Clock
  /** Ends commands that run until they are interrupted. */
  signal?: AbortSignal
}

/** One flag of a command: with a `value`, as in `--to FILE`, or a switch without one. `values` lists all possible values. */
export type Flag = {
  name: string
  value?: string
  values?: readonly string[]
  byDefault?: string
  description: string
}

/** One positional argument of a command; `many` takes all remaining words. */
export type Argument = { name: string; optional?: true; many?: true; values?: readonly string[]; description: string }

/** A flag from its form in help: `to FILE` has a value, `json` is a switch. */
export function flag(form: string, description: string, more: Pick<Flag, 'values' | 'byDefault'> = {}): Flag {
  const [name = '', value] = form.split(' ')
  return { name, ...(value === undefined ? {} : { value }), description, ...more }
}

/** An argument from its form in help: `SLUG`, `[FROM]`, `LOG ...` or `[SLUG ...]`. */
export const positional = (form: string, description: string, more: Pick<Argument, 'values'> = {}): Argument => ({
  name: form.replaceAll(/[^A-Z]/g, ''),
  ...(form.startsWith('[') && { optional: true }),
  ...(form.includes('...') && { many: true }),
  description,
  ...more,
})

/** A parsed call of a command: arguments, flags with their values, set switches, streams and environment. */
export type Invocation = Surroundings & {
  args: readonly string[]
  flags: Readonly<Record<string, string | undefined>>
  switches: ReadonlySet<string>
}

export type Command = {
  name: string
  summary: string
  /** The text of help after the summary. */
  details?: string
  args?: readonly Argument[]
  flags: readonly Flag[]
  /** Command lines to copy, without `palimpsest`. */
  examples?: readonly string[]
  /** The exit codes of this command other than 0, 1, 2 and 70. */
  exits?: readonly (keyof typeof EXIT)[]
  /** Ends with exit code 0 after every failure, also for an invalid command line. */
  alwaysSucceeds?: true
  /** Returns the exit code. The process ends when no work is left. */
  run(invocation: Invocation): Promise<number>
}

/** A fault in the command line. `message` is one sentence. */
export class UsageError extends OperatorError {}

/** A failure of a command: one sentence, and the exit code of its kind. */
export class CommandError extends OperatorError {
  readonly exitCode: number
  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A fault in the input, found before a request was sent. */
export const mistake = (message: string): CommandError => new CommandError(message, EXIT.failed)

/** The required argument at `place`. A command line without it was refused earlier. */
export function argument({ args }: Pick<Invocation, 'args'>, place: number): string {
  const value = args[place]
  if (value === undefined) throw new Error(`The command requires no argument ${place}.`)
  return value
}

/** The value of a required flag. */
export function required({ flags }: Pick<Invocation, 'flags'>, name: string, what: string): string {
  const value = flags[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing; it names ${what}.`)
  return value
}
