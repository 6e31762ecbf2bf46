import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { OperatorError } from '../operator-error.ts'
import { type Command, EXIT, type Invocation, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { commandHelp, helpText } from './help.ts'

/**
 * Runs one command line. A mistake of the operator is one sentence on standard error and exit code 1 or 2;
 * only an error nobody foresaw shows a stack, with exit code 70.
 */
export async function runCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  // Whatever is made here, stores, secrets and backups, is for its owner alone.
  process.umask(0o077)
  try {
    process.exitCode = await perform(args, env)
  } catch (error) {
    process.stderr.write(`${said(error)}\n`)
    // What was begun may still hold threads and timers; nothing of it is wanted any more.
    process.exit(exitCodeOf(error))
  }
}

async function perform(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined) {
    print(helpText())
    return EXIT.usage
  }
  if (name === '--help' || name === '-h') return print(helpText())
  if (name === '--version' || name === '-v') return print(`${version()}\n`)
  if (name === 'help') return print(rest[0] === undefined ? helpText() : commandHelp(commandNamed(rest[0])))
  const command = commandNamed(name)
  const invocation = parsed(command, rest, env)
  return invocation.switches.has('help') ? print(commandHelp(command)) : command.run(invocation)
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find(one => one.name === name)
  if (command === undefined) {
    const names = COMMANDS.map(one => one.name).join(', ')
    throw new UsageError(`There is no command "${name}"; the commands are ${names} and help.`)
  }
  return command
}

function parsed(command: Command, args: readonly string[], env: NodeJS.ProcessEnv): Invocation {
  const options = Object.fromEntries(
    command.flags.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  try {
    const { values } = parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean', short: 'h' } } })
    const flags: Record<string, string> = {}
    const switches = new Set<string>()
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string') flags[name] = value
      else if (value === true) switches.add(name)
    }
    return { flags, switches, env }
  } catch (error) {
    if (!(error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) throw error
    const reason = (error as Error).message.split(/\. |\n/)[0]?.replace(/\.$/, '')
    throw new UsageError(`${reason}; "palimpsest help ${command.name}" tells the flags.`)
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return EXIT.ok
}

const version = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version

/** A fault of the store comes by name: it may have crossed from another thread, where its class is lost. */
const isStoreFault = (error: Error): boolean => error.name === 'StoreFault'

function said(error: unknown): string {
  if (!(error instanceof Error)) return `An error nobody foresaw: ${String(error)}`
  if (error instanceof OperatorError) return error.message
  if (isStoreFault(error)) return `${error.message.replace(/\.$/, '')}; "palimpsest doctor" tells more.`
  return error.stack ?? error.message
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof OperatorError || (error instanceof Error && isStoreFault(error))
    ? EXIT.failed
    : EXIT.unexpected
}
