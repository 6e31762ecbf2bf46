import type { Sink } from '../progress.ts'
import { type Argument, type Command, EXIT, type Flag } from './command.ts'
import { COMMANDS, OPERATOR_COMMANDS } from './commands.ts'
import { PEOPLE_COMMANDS } from './people/commands.ts'
import { wrapText } from './words.ts'

/** The maximum number of columns of a line. A narrower terminal has its own width. */
const WIDTH = 100
const NARROWEST = 40
/** The minimum number of columns for the text of a list, for any length of the names before it. */
const TEXT_LEAST = 24

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'success',
  failed: 'failure or finding: a sentence names it',
  usage: 'the command line is invalid',
  notFound: 'the entry or revision does not exist or was withdrawn',
  conflict: 'another revision was committed first',
  refused: 'the service refused: over a limit, blocked, locked, or unknown token',
  noAnswer: 'the service is unreachable or not ready; try again later',
  unexpected: 'a fault of the program: it prints a stack trace',
}
/** The exit codes of all commands. */
const ALWAYS: readonly (keyof typeof EXIT)[] = ['ok', 'failed', 'usage', 'unexpected']

/** The width of help on a stream. */
export const helpWidth = ({ isTTY, columns }: Sink): number =>
  isTTY === true && columns !== undefined ? Math.min(WIDTH, Math.max(NARROWEST, columns)) : WIDTH

const OF_ALL = [
  { left: 'help', right: 'Explain a command: palimpsest help <command>.' },
  { left: 'version', right: 'Print the version.' },
]

/** The output of `palimpsest help`. */
export function helpText(width = WIDTH): string {
  const names = ['palimpsest: a public memory that agents and people share', 'Usage: palimpsest <command> [flags]']
  const column = widest(COMMANDS.map(({ name }) => name))
  const rows = (commands: readonly Command[]): Row[] =>
    commands.map(({ name, summary }) => ({ left: name, right: summary }))
  return `${[
    ...names,
    list('Use any memory', rows(PEOPLE_COMMANDS), width, column),
    list('Serve and operate a memory', rows(OPERATOR_COMMANDS), width, column),
    list('', OF_ALL, width, column),
    exitCodes(Object.keys(EXIT) as (keyof typeof EXIT)[], width),
  ].join('\n\n')}\n`
}

const argumentOf = ({ name, optional, many }: Argument): string => {
  const shown = many === true ? `${name} ...` : name
  return optional === true ? `[${shown}]` : shown
}

/** The usage line of a command. */
export const usageOf = ({ name, args = [], flags }: Command): string =>
  ['palimpsest', name, ...args.map(argumentOf), ...(flags.length > 0 ? ['[flags]'] : [])].join(' ')

/** The output of `palimpsest help <command>` and `palimpsest <command> --help`. */
export function commandHelp(command: Command, width = WIDTH): string {
  const { name, summary, details, args = [], flags, examples = [], exits = [] } = command
  const rows = {
    args: args.map(({ name: left, description: right }) => ({ left, right })),
    flags: flags.map(flag => ({ left: leftOf(flag), right: rightOf(flag) })),
  }
  const parts = [
    wrapped(`palimpsest ${name}: ${summary}`, width),
    `Usage: ${usageOf(command)}`,
    ...(details === undefined ? [] : [wrapped(details, width)]),
    ...(args.length === 0 ? [] : [list('Arguments', rows.args, width)]),
    ...(flags.length === 0 ? [] : [list('Flags', rows.flags, width)]),
    ...(examples.length === 0 ? [] : [`Examples\n${examples.map(one => `  palimpsest ${one}`).join('\n')}`]),
    exitCodes([...ALWAYS, ...exits], width),
  ]
  return `${parts.join('\n\n')}\n`
}

function exitCodes(names: readonly (keyof typeof EXIT)[], width: number): string {
  const rows = names.map(name => ({ code: EXIT[name], right: MEANINGS[name] })).sort((a, b) => a.code - b.code)
  const shown = rows.map(({ code, right }) => ({ left: String(code), right }))
  return list('Exit codes', shown, width)
}

type Row = { left: string; right: string }

function list(
  title: string,
  rows: readonly Row[],
  width: number,
  column = widest(rows.map(({ left }) => left)),
): string {
  const indent = ' '.repeat(Math.min(column, width - TEXT_LEAST))
  const lines = rows.map(({ left, right }) => {
    const text = wrapped(right, width - indent.length).replaceAll('\n', `\n${indent}`)
    const head = `  ${left}`
    return head.length < indent.length ? head.padEnd(indent.length) + text : `${head}\n${indent}${text}`
  })
  return [...(title === '' ? [] : [title]), ...lines].join('\n')
}

/** The first column of the text of a list: two spaces, the longest name, two spaces. */
const widest = (names: readonly string[]): number => Math.max(...names.map(({ length }) => length)) + 4

const leftOf = ({ name, value }: Flag): string => `--${name}${value === undefined ? '' : ` ${value}`}`

function rightOf({ description, values, byDefault }: Flag): string {
  const known = values === undefined ? '' : ` One of ${values.join(', ')}.`
  return `${description}${known}${byDefault === undefined ? '' : ` Default: ${byDefault}.`}`
}

/** Wraps text at words. */
const wrapped = (text: string, width: number): string => wrapText(text, width)
