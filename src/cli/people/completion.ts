import { type Command, EXIT, type Invocation, UsageError } from '../command.ts'

type Word = { name: string; summary: string; flags: { name: string; value: boolean; description: string }[] }

/** The scripts by shell. */
const SHELLS: Readonly<Record<string, (words: readonly Word[]) => string>> = { bash, zsh, fish }

/** Writes the script that completes command lines in a shell, made from the table of commands. */
export async function complete({ args, stdout }: Invocation): Promise<number> {
  // The table holds this command too.
  const { COMMANDS } = await import('../commands.ts')
  const script = SHELLS[args[0] ?? '']
  if (script === undefined) throw new UsageError(`SHELL is one of ${Object.keys(SHELLS).join(', ')}, not "${args[0]}".`)
  stdout.write(script(wordsOf(COMMANDS)))
  return EXIT.ok
}

/** Commands of one name are one word with the flags of both. */
function wordsOf(commands: readonly Command[]): Word[] {
  const words = new Map<string, Word>()
  for (const { name, summary, flags } of commands) {
    const word = words.get(name) ?? { name, summary, flags: [] }
    for (const flag of flags) {
      if (word.flags.some(one => one.name === flag.name)) continue
      word.flags.push({ name: flag.name, value: flag.value !== undefined, description: flag.description })
    }
    words.set(name, word)
  }
  return [...words.values(), { name: 'help', summary: 'Explain a command.', flags: [] }]
}

const namesOf = (words: readonly Word[]): string => words.map(({ name }) => name).join(' ')
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function bash(words: readonly Word[]): string {
  const cases = words.map(
    ({ name, flags }) => `    ${name}) words="${['--help', ...flags.map(flag => `--${flag.name}`)].join(' ')}" ;;`,
  )
  return `# Completes palimpsest in bash: source <(palimpsest completion bash)
_palimpsest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "\${COMP_WORDS[1]}" = help ]; }; then
    COMPREPLY=($(compgen -W "${namesOf(words)}" -- "$current"))
    return
  fi
  [[ "$current" == -* ]] || return
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _palimpsest palimpsest
`
}

/** What a description may not hold in a specification of _arguments. */
const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, '\\$&')

function zsh(words: readonly Word[]): string {
  const commands = words.map(({ name, summary }) => `    ${quoted(`${name}:${zshText(summary)}`)}`)
  const cases = words.map(({ name, flags }) => {
    const specs = flags.map(flag =>
      quoted(
        `--${flag.name}${flag.value ? '=' : ''}[${zshText(flag.description)}]${flag.value ? ':value:_files' : ''}`,
      ),
    )
    return `    ${name}) _arguments ${[quoted('--help[Explain the command.]'), ...specs, quoted('*:argument:_files')].join(' ')} ;;`
  })
  return `#compdef palimpsest
_palimpsest() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )) || [[ $CURRENT -eq 3 && \${words[2]} == help ]]; then
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
  const lines = words.flatMap(({ name, summary, flags }) => [
    `complete -c palimpsest -n __fish_use_subcommand -f -a ${name} -d ${fishText(summary)}`,
    ...flags.map(
      flag =>
        `complete -c palimpsest -n '__fish_seen_subcommand_from ${name}' -l ${flag.name}${flag.value ? ' -r' : ''} -d ${fishText(flag.description)}`,
    ),
  ])
  return `# Completes palimpsest in fish.\n${lines.join('\n')}\n`
}
