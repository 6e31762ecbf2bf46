import { parseArgs } from 'node:util'
import { VERSION } from '../contract/version.ts'
import { errorCode, OperatorError, systemFault } from '../operator-error.ts'
import { type Command, CommandError, EXIT, type Invocation, type Surroundings, UsageError } from './command.ts'
import { HOST_COMMANDS } from './host-commands.ts'
import { guardStandardError } from './log-file.ts'

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
    process.exit(await report(error, surroundings, args))
  }
}

/** Runs one command line with the given streams and environment, and returns the exit code. */
export async function runIn(surroundings: Surroundings, args: readonly string[]): Promise<number> {
  try {
    return await perform(args, surroundings)
  } catch (error) {
    return await report(error, surroundings, args)
  }
}

async function perform(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout } = surroundings
  const [name, ...rest] = args
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    const about = name === 'help' && rest[0] !== undefined ? await commandNamed(rest[0]) : undefined
    stdout.write(await helpOf(about, stdout))
    return name === undefined ? EXIT.usage : EXIT.ok
  }
  if (['version', '--version', '-v', '-V'].includes(name)) {
    stdout.write(`${VERSION}\n`)
    return EXIT.ok
  }
  const command = await commandNamed(name)
  if (!asksForHelp(rest)) return command.run({ ...(await parsed(command, rest)), ...surroundings })
  stdout.write(await helpOf(command, stdout))
  return EXIT.ok
}

/** The help of a command, or of all. */
async function helpOf(command: Command | undefined, stdout: Surroundings['stdout']): Promise<string> {
  const { commandHelp, helpText, helpWidth } = await import('./help.ts')
  const width = helpWidth(stdout)
  return command === undefined ? helpText(width) : commandHelp(command, width)
}

/** Words after -- are not flags. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some(arg => arg === '--help' || arg === '-h')
}

async function commandNamed(name: string): Promise<Command> {
  const started = HOST_COMMANDS.find(one => one.name === name)
  if (started !== undefined) return started
  const { COMMANDS } = await import('./commands.ts')
  const command = COMMANDS.find(one => one.name === name)
  if (command !== undefined) return command
  const { didYouMean } = await import('./words.ts')
  const near = didYouMean(name, [...COMMANDS.map(one => one.name), 'help', 'version'])
  throw new UsageError(`There is no command "${name}".${near} "palimpsest help" lists the commands.`)
}

const optionsOf = ({ flags }: Command) =>
  Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )

async function parsed(
  command: Command,
  args: readonly string[],
): Promise<Pick<Invocation, 'args' | 'flags' | 'switches'>> {
  try {
    const allowPositionals = command.args !== undefined
    const { values, positionals } = parseArgs({ args: [...args], options: optionsOf(command), allowPositionals })
    const flags: Record<string, string> = {}
    const switches = new Set<string>()
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string') flags[name] = value
      else if (value === true) switches.add(name)
    }
    return { args: await counted(command, positionals), flags, switches }
  } catch (error) {
    if (!errorCode(error)?.startsWith('ERR_PARSE_ARGS')) throw error
    throw new UsageError(
      `${await notUnderstood(command, error as Error)} "palimpsest help ${command.name}" explains it.`,
    )
  }
}

/** The fault in the flags, from the error of parseArgs of Node. */
async function notUnderstood({ name, flags, args }: Command, { message }: Error): Promise<string> {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? ''
  const [flag = quoted] = quoted.split(/[ ,]/)
  if (message.startsWith('Unknown option')) {
    const { didYouMean } = await import('./words.ts')
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

async function counted(command: Command, given: readonly string[]): Promise<readonly string[]> {
  const taken = command.args ?? []
  const missing = taken[given.length]
  if (missing !== undefined && missing.optional !== true) {
    const { usageOf } = await import('./help.ts')
    throw new UsageError(`${missing.name} is missing: ${missing.description} Usage: ${usageOf(command)}.`)
  }
  const extra = taken.at(-1)?.many === true ? undefined : given[taken.length]
  if (extra === undefined) return given
  const { usageOf } = await import('./help.ts')
  throw new UsageError(`"${extra}" is an extra argument. Usage: ${usageOf(command)}.`)
}

/** A fault of the store is recognised by name, because an error from another thread has lost its class. */
const isStoreFault = (error: Error): boolean => error.name === 'StoreFault'

/** Errors of the system about files: full or failing disks, missing rights. The person who runs the program can fix them. */
const FILE_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE'])
const isFileFault = (error: Error): boolean => FILE_FAULTS.has(errorCode(error) ?? '')

/** Prints the failure on standard error and returns the exit code. Prints nothing if the reader of the output has ended. */
async function report(error: unknown, { stderr }: Surroundings, [name]: readonly string[]): Promise<number> {
  const { ReaderGoneError, visible } = await import('./people/output.ts')
  if (error instanceof ReaderGoneError) return EXIT.ok
  stderr.write(`${visible(said(error))}\n`)
  return HOST_COMMANDS.find(one => one.name === name)?.alwaysSucceeds ? EXIT.ok : exitCodeOf(error)
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
