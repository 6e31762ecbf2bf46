import { parseArgs } from 'node:util'
import { VERSION } from '../contract/version.ts'
import { errorCode, OperatorError, systemFault } from '../operator-error.ts'
import { type Command, CommandError, EXIT, type Invocation, type Surroundings, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { commandHelp, helpText, helpWidth, usageOf } from './help.ts'
import { guardStandardError } from './log-file.ts'
import { ReaderGoneError, visible } from './people/output.ts'
import { didYouMean } from './words.ts'

/**
 * Runs one command line in this process. A failure prints one sentence on standard error and has an exit code of `command.ts`. Only an
 * unexpected error prints a stack, with exit code 70.
 */
export async function runCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  // All files made here (stores, secrets, backups) are only for their owner.
  process.umask(0o077)
  guardStandardError()
  const { stdin, stdout, stderr } = process
  const surroundings = { env, stdin, stdout, stderr }
  try {
    process.exitCode = await perform(args, surroundings)
  } catch (error) {
    // Unfinished work may have threads and timers, which must not delay the end.
    process.exit(report(error, surroundings, args))
  }
}

/** Runs one command line with the given streams and environment, and returns the exit code. */
export async function runIn(surroundings: Surroundings, args: readonly string[]): Promise<number> {
  try {
    return await perform(args, surroundings)
  } catch (error) {
    return report(error, surroundings, args)
  }
}

async function perform(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const print = (text: string): number => {
    surroundings.stdout.write(text)
    return EXIT.ok
  }
  const [name, ...rest] = args
  const width = helpWidth(surroundings.stdout)
  if (name === undefined) {
    print(helpText(width))
    return EXIT.usage
  }
  if (name === '--help' || name === '-h') return print(helpText(width))
  if (['version', '--version', '-v', '-V'].includes(name)) return print(`${VERSION}\n`)
  if (name === 'help') return print(rest[0] === undefined ? helpText(width) : commandHelp(commandNamed(rest[0]), width))
  const command = commandNamed(name)
  if (asksForHelp(rest)) return print(commandHelp(command, width))
  return command.run({ ...parsed(command, rest), ...surroundings })
}

/** Words after -- are not flags. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some(arg => arg === '--help' || arg === '-h')
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find(one => one.name === name)
  if (command !== undefined) return command
  const near = didYouMean(name, [...COMMANDS.map(one => one.name), 'help', 'version'])
  throw new UsageError(`There is no command "${name}".${near} "palimpsest help" lists the commands.`)
}

const optionsOf = ({ flags }: Command) =>
  Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )

function parsed(command: Command, args: readonly string[]): Pick<Invocation, 'args' | 'flags' | 'switches'> {
  try {
    const allowPositionals = command.args !== undefined
    const { values, positionals } = parseArgs({ args: [...args], options: optionsOf(command), allowPositionals })
    const flags: Record<string, string> = {}
    const switches = new Set<string>()
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string') flags[name] = value
      else if (value === true) switches.add(name)
    }
    return { args: counted(command, positionals), flags, switches }
  } catch (error) {
    if (!errorCode(error)?.startsWith('ERR_PARSE_ARGS')) throw error
    throw new UsageError(`${notUnderstood(command, error as Error)} "palimpsest help ${command.name}" explains it.`)
  }
}

/** The fault in the flags, from the error of parseArgs of Node. */
function notUnderstood({ name, flags, args }: Command, { message }: Error): string {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? ''
  const [flag = quoted] = quoted.split(/[ ,]/)
  if (message.startsWith('Unknown option')) {
    const near = didYouMean(
      flag,
      flags.map(one => `--${one.name}`),
    )
    return `${name} has no flag ${flag}.${near}`
  }
  if (message.startsWith('Unexpected argument')) return `${name} takes no argument, and "${quoted}" is one.`
  if (/does not take an argument/.test(message)) return `${flag} takes no value.`
  const value = flags.find(one => `--${one.name}` === flag)?.value ?? args?.[0]?.name ?? 'VALUE'
  const ambiguous = message.includes('ambiguous') ? `; one that begins with - is written ${flag}=${value}` : ''
  return `${flag} needs a value, ${value}${ambiguous}.`
}

function counted(command: Command, given: readonly string[]): readonly string[] {
  const taken = command.args ?? []
  const missing = taken[given.length]
  if (missing !== undefined && missing.optional !== true) {
    throw new UsageError(`${missing.name} is missing: ${missing.description} Usage: ${usageOf(command)}.`)
  }
  const extra = taken.at(-1)?.many === true ? undefined : given[taken.length]
  if (extra !== undefined) throw new UsageError(`"${extra}" is an extra argument. Usage: ${usageOf(command)}.`)
  return given
}

/** A fault of the store is recognised by name, because an error from another thread has lost its class. */
const isStoreFault = (error: Error): boolean => error.name === 'StoreFault'

/** Errors of the system about files: full or failing disks, missing rights. The person who runs the program can fix them. */
const FILE_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE'])
const isFileFault = (error: Error): boolean => FILE_FAULTS.has(errorCode(error) ?? '')

/** Prints the failure on standard error and returns the exit code. Prints nothing if the reader of the output has ended. */
function report(error: unknown, { stderr }: Surroundings, [name]: readonly string[]): number {
  if (error instanceof ReaderGoneError) return EXIT.ok
  stderr.write(`${visible(said(error))}\n`)
  return COMMANDS.find(one => one.name === name)?.alwaysSucceeds ? EXIT.ok : exitCodeOf(error)
}

function said(error: unknown): string {
  if (!(error instanceof Error)) return `An unexpected error: ${String(error)}`
  if (error instanceof OperatorError) return error.message
  if (isStoreFault(error)) return `${error.message.replace(/\.$/, '')}; run "palimpsest doctor" for details.`
  if (isFileFault(error))
    return `${(error as NodeJS.ErrnoException).path ?? 'A file'} failed (${systemFault(error)}); check that the disk works and has space, and that this user may write there.`
  return error.stack ?? error.message
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof CommandError) return error.exitCode
  if (error instanceof OperatorError) return EXIT.failed
  return error instanceof Error && (isStoreFault(error) || isFileFault(error)) ? EXIT.failed : EXIT.unexpected
}
