import { type Command, EXIT, type Flag } from './command.ts'
import { COMMANDS } from './commands.ts'

const WIDTH = 100

const EXIT_CODES = `Exit codes
  ${EXIT.ok}   done, nothing wrong
  ${EXIT.failed}   not done, or something found wrong: a sentence says what
  ${EXIT.usage}   the command line was not understood
  ${EXIT.unexpected}  an error nobody foresaw: a stack trace is printed
`

/** What `palimpsest help` prints. */
export function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2
  const rows = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${wrapped(summary, width + 2)}`)
  return `palimpsest: a public memory that agents and people share

Usage: palimpsest <command> [flags]

${rows.join('\n')}
  ${'help'.padEnd(width)}Explain a command: palimpsest help <command>.

${EXIT_CODES}`
}

/** What `palimpsest help <command>` and `palimpsest <command> --help` print. */
export function commandHelp({ name, summary, details, flags }: Command): string {
  const shown = flags.map(flag => ({ flag, left: leftOf(flag) }))
  const width = Math.max(...shown.map(({ left }) => left.length)) + 2
  const rows = shown.map(({ flag, left }) => `  ${left.padEnd(width)}${wrapped(rightOf(flag), width + 2)}`)
  const more = details === undefined ? '' : `${wrapped(details, 0)}\n\n`
  return `${wrapped(`palimpsest ${name}: ${summary}`, 0)}

Usage: palimpsest ${name} [flags]

${more}Flags
${rows.join('\n')}

${EXIT_CODES}`
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
