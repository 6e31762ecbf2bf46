import { shellQuoted } from '../../web/take-part/form.ts'
import { type Argument, argument, type Command, EXIT, type Flag, type Invocation, UsageError } from '../command.ts'
import { didYouMean } from '../words.ts'
import { SHELLS } from './commands.ts'

type Word = Pick<Command, 'name' | 'summary' | 'flags'> & { first: Argument | undefined }

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (words: readonly Word[]) => string>> = { bash, zsh, fish }

/** Writes the completion script of a shell, made from the table of commands. */
export async function complete(invocation: Invocation): Promise<number> {
  // The table contains this command too.
  const { COMMANDS } = await import('../commands.ts')
  const given = argument(invocation, 0)
  const shell = SHELLS.find(one => one === given)
  if (shell === undefined) {
    throw new UsageError(`SHELL is one of ${SHELLS.join(', ')}, not "${given}".${didYouMean(given, SHELLS)}`)
  }
  const words = COMMANDS.map(({ name, summary, flags, args: [first] = [] }) => ({ name, summary, flags, first }))
  const help = { name: 'help', values: COMMANDS.map(({ name }) => name), description: 'The command to explain.' }
  invocation.stdout.write(
    SCRIPTS[shell]([...words, { name: 'help', summary: 'Explain a command.', flags: [], first: help }]),
  )
  return EXIT.ok
}

const namesOf = (words: readonly Word[]): string => words.map(({ name }) => name).join(' ')

/** Flags with known values, as cases of a shell: `--flag) words="a b" ;;`. */
const valueCases = (words: readonly Word[]): string[] => {
  const flags = new Map(words.flatMap(({ flags: all }) => all.map(flag => [flag.name, flag])))
  return [...flags.values()].flatMap(({ name, values }) =>
    values === undefined ? [] : [`    --${name}) words="${values.join(' ')}" ;;`],
  )
}

function bash(words: readonly Word[]): string {
  const firsts = words.flatMap(({ name, first }) =>
    first?.values === undefined ? [] : [`      ${name}) words="${first.values.join(' ')}" ;;`],
  )
  const flags = words.map(
    ({ name, flags: all }) => `      ${name}) words="${['--help', ...all.map(flag => `--${flag.name}`)].join(' ')}" ;;`,
  )
  const files = [...new Set(words.flatMap(word => word.flags.filter(takesFile).map(({ name }) => `--${name}`)))]
  return `# Completes palimpsest in bash: source <(palimpsest completion bash)
_palimpsest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  # --flag=value is three words.
  [ "$current" = = ] && current=""
  [ "$before" = = ] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  case "$before" in
${valueCases(words).join('\n')}
    ${files.join('|')}) return ;;
  esac
  if [ -n "$words" ]; then
    :
  elif [ "$COMP_CWORD" -eq 1 ]; then
    words="${namesOf(words)}"
  elif [[ "$current" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${flags.join('\n')}
    esac
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${firsts.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _palimpsest palimpsest
`
}

/** The value of a flag is a path. */
const takesFile = ({ value = '' }: Pick<Flag, 'value'>): boolean => /FILE|DIR/.test(value)

/** Characters that a description in a specification of _arguments may not have. */
const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, '\\$&')

/** The completion of zsh for a value. */
const zshAction = ({ value = '', values }: Pick<Flag, 'value' | 'values'>): string =>
  values !== undefined ? `(${values.join(' ')})` : value === 'DIR' ? '_files -/' : takesFile({ value }) ? '_files' : ' '

function zsh(words: readonly Word[]): string {
  const commands = words.map(({ name, summary }) => `    ${shellQuoted(`${name}:${zshText(summary)}`)}`)
  const cases = words.map(({ name, flags, first }) => {
    const specs = flags.map(flag => {
      const value = flag.value === undefined ? '' : `:${flag.value}:${zshAction(flag)}`
      return shellQuoted(`--${flag.name}${value === '' ? '' : '='}[${zshText(flag.description)}]${value}`)
    })
    const position = first?.values === undefined ? '*:argument:_files' : `1:${first.name}:(${first.values.join(' ')})`
    return `    ${name}) _arguments ${[shellQuoted('--help[Explain the command.]'), ...specs, shellQuoted(position)].join(' ')} ;;`
  })
  return `#compdef palimpsest
_palimpsest() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name=\${words[2]}
  shift words
  (( CURRENT-- ))
  case $name in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _palimpsest ]; then _palimpsest "$@"; else compdef _palimpsest palimpsest; fi
`
}

/** fish knows two escapes within single quotes. */
const fishText = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`

function fish(words: readonly Word[]): string {
  const lines = words.flatMap(({ name, summary, flags, first }) => {
    const within = `complete -c palimpsest -n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c palimpsest -n __fish_use_subcommand -f -a ${name} -d ${fishText(summary)}`,
      ...(first?.values === undefined ? [] : [`${within} -f -a ${fishText(first.values.join(' '))}`]),
      ...flags.map(flag => `${within} -l ${flag.name}${fishValue(flag)} -d ${fishText(flag.description)}`),
    ]
  })
  return `# Completes palimpsest in fish.\n${lines.join('\n')}\n`
}

function fishValue({ value, values }: Flag): string {
  if (value === undefined) return ''
  if (values !== undefined) return ` -x -a ${fishText(values.join(' '))}`
  return takesFile({ value }) ? ' -r' : ' -x'
}
