import { type Command, flag } from './command.ts'

/** The commands that hosts of agents start, often and while a person waits. They are found without the table of all commands. */
export const HOST_COMMANDS: readonly Command[] = [
  {
    name: 'mcp',
    summary: 'Offer the memory as tools to a host of the Model Context Protocol, over standard input and output.',
    details:
      'Without a flag the service is PALIMPSEST_URL, or http://127.0.0.1:8080. PALIMPSEST_TOKEN is the actor token for writes. Without it the first write creates an actor, whose token is stored until the process ends; with --data-dir it is stored in the file mcp-actor-token. Standard output carries only the protocol. LOG_LEVEL (default warn) sets the level of the log on standard error.',
    flags: [
      flag('url URL', 'The service to use.'),
      flag(
        'data-dir DIR',
        'The directory of a private memory, created if it is missing. It needs no service and has no limits.',
      ),
      flag(
        'env NAME@VERSION',
        'Send these with questions and judgements; auto reads Node, system and packages. Without it, nothing is sent.',
      ),
      flag(
        'from URL,URL',
        'Further services that "find" asks too, each for at most 2 seconds. They receive every question of the model.',
      ),
    ],
    examples: [
      'mcp --url https://memory.example',
      'mcp --data-dir ~/.palimpsest',
      'mcp --data-dir ~/.palimpsest --from https://memory.example',
    ],
    run: async invocation => (await import('./mcp.ts')).runMcp(invocation),
  },
  {
    name: 'install',
    summary: 'Add the memory to a host of agents: its tools, its hook, and a short skill.',
    details:
      'Shows what it will change in the files of the host, and asks. Keeps everything that others wrote there, and changes nothing if a file has another form than expected. With --remove it undoes exactly what it did. Without --url the memory is private, in ~/.palimpsest, and every window of every host shares it.',
    flags: [
      flag('target HOST', 'The host.', {
        values: ['claude-code', 'codex', 'gemini', 'opencode', 'cursor', 'vscode', 'copilot', 'openclaw'],
      }),
      flag('private', 'A private memory; this is the default.'),
      flag('data-dir DIR', 'The directory of the private memory.', { byDefault: '~/.palimpsest' }),
      flag('url URL', 'A service instead of a private memory.'),
      flag('dry-run', 'Show the changes, and write nothing.'),
      flag('remove', 'Remove what this command wrote.'),
      flag('yes', 'Write without asking.'),
    ],
    examples: [
      'install --target claude-code',
      'install --target codex --url https://memory.example --dry-run',
      'install --target claude-code --remove',
    ],
    run: async invocation => (await import('./install/install.ts')).installMemory(invocation),
  },
  {
    name: 'hook',
    summary: 'Answer an event of a host of agents: show the entry that explains a command that failed.',
    details:
      'Reads the JSON of the host from standard input and writes its JSON to standard output. After a failed command it sends the masked last 2,000 characters of the output, and is silent unless an entry answers them. It ends with exit code 0 always, and waits at most 150 ms after its start for the memory. PALIMPSEST_HOOK=off or --off turns it off. "palimpsest install" adds the hook to a host.',
    flags: [
      flag('host HOST', 'The host whose events it answers.', {
        values: ['claude-code', 'codex', 'gemini', 'opencode', 'cursor', 'copilot'],
        byDefault: 'claude-code',
      }),
      flag('data-dir DIR', 'The private memory to ask, while a window has it open.'),
      flag('url URL', 'The service to ask.', { byDefault: 'http://127.0.0.1:8080' }),
      flag('wait MS', 'The longest wait for the memory, in milliseconds after the start.', { byDefault: '150' }),
      flag('explain', 'Show what was sent, found and suppressed at the last 20 events.'),
      flag('off', 'Turn the hook off for this user.'),
      flag('on', 'Turn it on again.'),
    ],
    examples: ['hook --host gemini --data-dir ~/memory < event.json', 'hook --explain'],
    alwaysSucceeds: true,
    run: async invocation => (await import('./hook/hook.ts')).runHook(invocation),
  },
]
