import { homedir } from 'node:os'
import { join } from 'node:path'
import type { JsonEdit } from './json-edit.ts'
import { openCodePlugin, SKILL } from './texts.ts'

/** The memory to install: the commands of the tools and of the hook, and the address of a service. */
export type Memory = {
  /** The program and its arguments, without those of the memory. */
  program: readonly string[]
  /** The flags that name the memory. */
  flags: readonly string[]
  /** The endpoint of a service; undefined for a private memory. */
  endpoint: string | undefined
}

/** What is written into one file: members and items of JSON, a block of TOML, or a whole file. */
export type FilePlan = { path: string } & (
  | { kind: 'json'; edits: readonly JsonEdit[] }
  | { kind: 'toml'; table: string; block: string }
  | { kind: 'whole'; text: string }
)

export type Target = { name: string; files(memory: Memory, places: Places): FilePlan[] }
/** The folders of the user. */
export type Places = { home: string; config: string; env: NodeJS.ProcessEnv; platform: NodeJS.Platform }

export const placesOf = (env: NodeJS.ProcessEnv, platform = process.platform): Places => {
  const home = env.HOME ?? homedir()
  const { XDG_CONFIG_HOME: config = join(home, '.config') } = env
  return { home, config, env, platform }
}

const SERVER = 'palimpsest'
const mcpArguments = ({ program, flags }: Memory): string[] => [...program.slice(1), 'mcp', ...flags]
/** An argument for a shell, quoted if it needs it. */
const quoted = (argument: string): string => (/^[\w./:=@-]+$/.test(argument) ? argument : JSON.stringify(argument))
const hookWords = ({ program, flags }: Memory, host: string): string[] => [...program, 'hook', '--host', host, ...flags]
const hookCommand = (memory: Memory, host: string): string => hookWords(memory, host).map(quoted).join(' ')
/** A command for PowerShell, which takes a quoted program for a text unless `&` precedes it. */
const powershellCommand = (words: readonly string[]): string =>
  `& ${words.map(word => `'${word.replaceAll("'", "''")}'`).join(' ')}`
/** Whether an item of a list of hooks was written by "palimpsest install". */
export const isOurHook = (item: unknown): boolean =>
  / hook --host [a-z-]+ /.test(`${JSON.stringify(item)} `) && JSON.stringify(item).includes(SERVER)

const skillIn = (folder: string): FilePlan => ({
  path: join(folder, 'skills', SERVER, 'SKILL.md'),
  kind: 'whole',
  text: SKILL,
})
/** The skill for all hosts that read `~/.agents/skills`. In a folder of their own they would find it twice. */
const sharedSkill = ({ home }: Places): FilePlan => skillIn(join(home, '.agents'))

/** Hooks in the form of Claude Code: lists of groups with a matcher. `seconds` is the unit of the timeout. */
function grouped(command: string, timeout: number, events: Readonly<Record<string, string | undefined>>): JsonEdit[] {
  const hooks = [{ type: 'command', command, timeout }]
  return Object.entries(events).map(([event, matcher]) => ({
    path: ['hooks', event],
    value: matcher === undefined ? { hooks } : { matcher, hooks },
    isItem: true,
  }))
}

/** The longest time that a host waits for the hook. The hook itself waits 150 ms. */
const SECONDS = 5
const MILLISECONDS = 5_000

const mcpServer = (memory: Memory, remote: (url: string) => object): object =>
  memory.endpoint === undefined ? { command: memory.program[0], args: mcpArguments(memory) } : remote(memory.endpoint)

const tomlText = (text: string): string => JSON.stringify(text)
const codexBlock = (memory: Memory): string =>
  memory.endpoint === undefined
    ? `command = ${tomlText(memory.program[0] ?? '')}\nargs = [${mcpArguments(memory).map(tomlText).join(', ')}]`
    : `url = ${tomlText(memory.endpoint)}`

/** The folder of the settings of VS Code for a user. */
const codeFolder = ({ home, config, env, platform }: Places): string => {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Code', 'User')
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Code', 'User')
  return join(config, 'Code', 'User')
}

export const TARGETS: readonly Target[] = [
  {
    name: 'claude-code',
    files(memory, { home, env }) {
      const folder = env.CLAUDE_CONFIG_DIR ?? join(home, '.claude')
      const server = mcpServer(memory, url => ({ type: 'http', url }))
      const events = { PostToolUse: 'Bash', PostToolUseFailure: 'Bash', SessionStart: undefined, Stop: undefined }
      const edits = grouped(hookCommand(memory, 'claude-code'), SECONDS, events)
      return [
        {
          path: join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json'),
          kind: 'json',
          edits: [{ path: ['mcpServers', SERVER], value: server }],
        },
        { path: join(folder, 'settings.json'), kind: 'json', edits },
        skillIn(folder),
      ]
    },
  },
  {
    name: 'codex',
    files(memory, places) {
      const { home, env } = places
      const folder = env.CODEX_HOME ?? join(home, '.codex')
      const events = { PostToolUse: 'Bash', SessionStart: undefined, Stop: undefined }
      return [
        {
          path: join(folder, 'config.toml'),
          kind: 'toml',
          table: `mcp_servers.${SERVER}`,
          block: codexBlock(memory),
        },
        {
          path: join(folder, 'hooks.json'),
          kind: 'json',
          edits: grouped(hookCommand(memory, 'codex'), SECONDS, events),
        },
        sharedSkill(places),
      ]
    },
  },
  {
    name: 'gemini',
    files(memory, places) {
      const folder = join(places.home, '.gemini')
      const events = { AfterTool: 'run_shell_command', SessionStart: undefined, AfterAgent: undefined }
      const edits = [
        { path: ['mcpServers', SERVER], value: mcpServer(memory, httpUrl => ({ httpUrl })) },
        ...grouped(hookCommand(memory, 'gemini'), MILLISECONDS, events),
      ]
      return [{ path: join(folder, 'settings.json'), kind: 'json', edits }, sharedSkill(places)]
    },
  },
  {
    name: 'opencode',
    files(memory, places) {
      const folder = join(places.config, 'opencode')
      const server =
        memory.endpoint === undefined
          ? { type: 'local', command: [memory.program[0], ...mcpArguments(memory)], enabled: true }
          : { type: 'remote', url: memory.endpoint, enabled: true }
      return [
        { path: join(folder, 'opencode.json'), kind: 'json', edits: [{ path: ['mcp', SERVER], value: server }] },
        {
          path: join(folder, 'plugins', 'palimpsest.js'),
          kind: 'whole',
          text: openCodePlugin(hookWords(memory, 'opencode')),
        },
        sharedSkill(places),
      ]
    },
  },
  {
    name: 'cursor',
    files(memory, places) {
      const folder = join(places.home, '.cursor')
      const hook = { command: hookCommand(memory, 'cursor'), timeout: SECONDS }
      const events = ['postToolUse', 'postToolUseFailure', 'sessionStart', 'stop']
      return [
        {
          path: join(folder, 'mcp.json'),
          kind: 'json',
          edits: [{ path: ['mcpServers', SERVER], value: mcpServer(memory, url => ({ url })) }],
        },
        {
          path: join(folder, 'hooks.json'),
          kind: 'json',
          edits: [
            { path: ['version'], value: 1, isShared: true as const },
            ...events.map(event => ({ path: ['hooks', event], value: hook, isItem: true as const })),
          ],
        },
        sharedSkill(places),
      ]
    },
  },
  {
    name: 'vscode',
    files(memory, places) {
      const server =
        memory.endpoint === undefined
          ? { type: 'stdio', command: memory.program[0], args: mcpArguments(memory) }
          : { type: 'http', url: memory.endpoint }
      return [
        {
          path: join(codeFolder(places), 'mcp.json'),
          kind: 'json',
          edits: [{ path: ['servers', SERVER], value: server }],
        },
        sharedSkill(places),
      ]
    },
  },
  {
    name: 'copilot',
    files(memory, places) {
      const { COPILOT_HOME: folder = join(places.home, '.copilot') } = places.env
      const server = mcpServer(memory, url => ({ url }))
      const type = memory.endpoint === undefined ? 'local' : 'http'
      const hook = {
        type: 'command',
        bash: hookCommand(memory, 'copilot'),
        powershell: powershellCommand(hookWords(memory, 'copilot')),
        timeoutSec: SECONDS,
      }
      // The payload names its event only if the name of the event in this file begins with a capital.
      const hooks = {
        PostToolUse: { matcher: 'bash|powershell|read_bash|read_powershell', ...hook },
        SessionStart: hook,
        Stop: hook,
      }
      return [
        {
          path: join(folder, 'mcp-config.json'),
          kind: 'json',
          edits: [{ path: ['mcpServers', SERVER], value: { type, ...server, tools: ['*'] } }],
        },
        {
          path: join(folder, 'hooks', `${SERVER}.json`),
          kind: 'json',
          edits: [
            { path: ['version'], value: 1, isShared: true as const },
            ...Object.entries(hooks).map(([event, value]) => ({
              path: ['hooks', event],
              value,
              isItem: true as const,
            })),
          ],
        },
        sharedSkill(places),
      ]
    },
  },
  {
    name: 'openclaw',
    files(memory, places) {
      const { OPENCLAW_STATE_DIR: folder = join(places.home, '.openclaw'), OPENCLAW_CONFIG_PATH } = places.env
      const server = mcpServer(memory, url => ({ url, transport: 'streamable-http' }))
      return [
        {
          path: OPENCLAW_CONFIG_PATH ?? join(folder, 'openclaw.json'),
          kind: 'json',
          edits: [{ path: ['mcp', 'servers', SERVER], value: server }],
        },
        sharedSkill(places),
      ]
    },
  },
]
