import type { Command } from '../command.ts'
import { READ_COMMANDS } from './read-commands.ts'
import { WRITE_COMMANDS } from './write-commands.ts'

/** The shells that `palimpsest completion` supports. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The commands for people, with any service. Each loads its modules when it runs. */
export const PEOPLE_COMMANDS: readonly Command[] = [
  ...READ_COMMANDS,
  ...WRITE_COMMANDS,
  {
    name: 'completion',
    summary: 'Write a script that completes command lines in a shell.',
    details:
      'In bash: source <(palimpsest completion bash). In zsh: source <(palimpsest completion zsh). In fish: palimpsest completion fish | source.',
    args: [{ name: 'SHELL', values: SHELLS, description: 'bash, zsh or fish.' }],
    flags: [],
    examples: ['completion bash > ~/.local/share/bash-completion/completions/palimpsest'],
    run: async invocation => (await import('./completion.ts')).complete(invocation),
  },
]
