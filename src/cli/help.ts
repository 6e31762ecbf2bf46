import { type Argument, type Command, EXIT, type Flag } from './command.ts'
import { COMMANDS, OPERATOR_COMMANDS } from './commands.ts'
import { PEOPLE_COMMANDS } from './people/table.ts'

const WIDTH = 100

const EXIT_CODES = `Exit codes
  ${EXIT.ok}   done, nothing wrong
  ${EXIT.failed}   not done, or something found wrong: a sentence says what
  ${EXIT.usage}   the command line was not understood
  ${EXIT.notFound}   there is no such entry or revision, or it was withdrawn
  ${EXIT.conflict}   somebody else revised the entry first
  ${EXIT.refused}   the service refused: over a limit, blocked, locked or the token unknown
  ${EXIT.noAnswer}   the service was not reached, or is not ready; it may be tried again
  ${EXIT.unexpected}  an error nobody foresaw: a stack trace is printed
`

/** What `palimpsest help` prints. */
export function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2
  const row = ({ name, summary }: Pick<Command, 'name' | 'summary'>): string =>
    `  ${name.padEnd(width)}${wrapped(summary, width + 2)}`
  return `palimpsest: a public memory that agents and people share

Usage: palimpsest <command> [flags]

Take part in a memory, wherever it is served
${PEOPLE_COMMANDS.map(row).join('\n')}

Serve and keep one
${OPERATOR_COMMANDS.map(row).join('\n')}

${row({ name: 'help', summary: 'Explain a command: palimpsest help <command>.' })}

${EXIT_CODES}`
}

const argumentOf = ({ name, optional, many }: Argument): string => {
  const shown = many === true ? `${name} ...` : name
  return optional === true ? `[${shown}]` : shown
}

/** How a command is called, in one line. */
export const usageOf = ({ name, args = [], flags }: Command): string =>
  ['palimpsest', name, ...args.map(argumentOf), ...(flags.length > 0 ? ['[flags]'] : [])].join(' ')

/** What `palimpsest help <command>` and `palimpsest <command> --help` print. */
export function commandHelp(command: Command): string {
  const { name, summary, details, args = [], flags } = command
  const more = details === undefined ? '' : `${wrapped(details, 0)}\n\n`
  const given = args.map(({ name: left, description: right }) => ({ left, right }))
  const lists = [
    list('Arguments', given),
    list(
      'Flags',
      flags.map(flag => ({ left: leftOf(flag), right: rightOf(flag) })),
    ),
  ]
  return `${wrapped(`palimpsest ${name}: ${summary}`, 0)}

Usage: ${usageOf(command)}

${more}${lists.join('')}${EXIT_CODES}`
}

function list(title: string, rows: readonly { left: string; right: string }[]): string {
  if (rows.length === 0) return ''
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2
  return `${title}\n${rows.map(({ left, right }) => `  ${left.padEnd(width)}${wrapped(right, width + 2)}`).join('\n')}\n\n`
}

const leftOf = ({ name, value }: Flag): string => `--${name}${value === undefined ? '' : ` ${value}`}`
const rightOf = ({ description, byDefault }: Flag): string =>
  byDefault === undefined ? description : `${description} Default: ${byDefault}.`

/** Breaks text at words; lines after the first are indented. */
function wrapped(text: string, indent: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length + 1 > WIDTH - indent) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
