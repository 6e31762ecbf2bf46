import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { parsedJson } from '../read.ts'

/** What happened in a host. */
export type Moment =
  | { kind: 'failed'; command: string; text: string }
  | { kind: 'succeeded'; command: string }
  | { kind: 'start' | 'end' }
  | { kind: 'other'; why: string }

/** What the hook says: one line for the person, and text for the model. Either may be missing. */
export type Message = { line?: string; context?: string }

/** One host: where its payload has the facts, and the form of its answer. */
export type Host = {
  name: string
  /** The meaning of each event: a call of a tool that ended, one that failed, the start of a session, the end of a turn. */
  events: Readonly<Record<string, 'call' | 'failure' | 'start' | 'end'>>
  /** The tools that run a command in a shell. */
  shells: readonly string[]
  /** Paths in the payload, as names of members joined by dots. The first one that exists is used. */
  paths: Readonly<Record<'event' | 'tool' | 'session' | 'folder' | 'command' | 'text' | 'exit', readonly string[]>>
  /** Members that, with this value, mark a failure as no failure of the command: the person stopped it, or it was not permitted. */
  excused?: Readonly<Record<string, readonly unknown[]>>
  /** Finds the exit status in the text, where the host itself writes it. */
  exitInText?: RegExp
  /** The host reports failures alone: a call of which it reports no exit status succeeded. */
  reportsFailuresOnly?: true
  /** Finds the file in which the host put a long output, in the text that it then gives instead. */
  outputFile?: RegExp
  /**
   * The host's own record of the session, one JSON text per line, for a payload without an exit status: the members of the payload that name
   * the file and the call, and the members of a line with the call and its exit status.
   */
  record?: Readonly<Record<'file' | 'call' | 'recordedCall' | 'recordedExit', string>>
  /** The JSON texts of the answer, one per line; none if the host would show nothing. */
  answer(event: string, message: Message): readonly object[]
}

/** The form that Claude Code introduced and others adopted. Only some events take text for the model. */
const hookSpecific =
  (takesContext: readonly string[]) =>
  (event: string, { line, context }: Message): object[] => [
    {
      ...(line === undefined ? {} : { systemMessage: line }),
      ...(context === undefined || !takesContext.includes(event)
        ? {}
        : { hookSpecificOutput: { hookEventName: event, additionalContext: context } }),
    },
  ]

const COMMON = { event: ['hook_event_name'], tool: ['tool_name'], folder: ['cwd'], command: ['tool_input.command'] }
const EXIT_MEMBERS = ['exit_code', 'exitCode', 'metadata.exit_code', 'metadata.exit']
const within = (member: string): string[] => EXIT_MEMBERS.map(one => `${member}.${one}`)

export const HOSTS: readonly Host[] = [
  {
    name: 'claude-code',
    events: { PostToolUse: 'call', PostToolUseFailure: 'failure', SessionStart: 'start', Stop: 'end' },
    shells: ['Bash', 'PowerShell'],
    paths: { ...COMMON, session: ['session_id'], text: ['error', 'tool_response'], exit: within('tool_response') },
    excused: { is_interrupt: [true] },
    reportsFailuresOnly: true,
    answer: hookSpecific(['PostToolUse', 'PostToolUseFailure', 'SessionStart']),
  },
  {
    // The answer of its shell is often a bare text. The record of the session then has the exit status.
    name: 'codex',
    events: { PostToolUse: 'call', SessionStart: 'start', Stop: 'end' },
    shells: ['Bash', 'shell', 'exec_command', 'local_shell'],
    paths: {
      ...COMMON,
      session: ['session_id'],
      text: ['tool_response.output', 'tool_response.stderr', 'tool_response'],
      exit: within('tool_response'),
    },
    record: {
      file: 'transcript_path',
      call: 'tool_use_id',
      recordedCall: 'payload.item.id',
      recordedExit: 'payload.item.exit_code',
    },
    answer: hookSpecific(['PostToolUse', 'SessionStart']),
  },
  {
    name: 'gemini',
    events: { AfterTool: 'call', SessionStart: 'start', AfterAgent: 'end' },
    shells: ['run_shell_command'],
    paths: {
      ...COMMON,
      session: ['session_id'],
      text: ['tool_response.llmContent'],
      exit: within('tool_response'),
    },
    // The host writes these lines after the output of the command, and may put all into an element.
    exitInText:
      /\nExit Code: (\d{1,3})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*(?:\n<\/untrusted_context>)?\s*$/,
    reportsFailuresOnly: true,
    answer: hookSpecific(['AfterTool', 'SessionStart']),
  },
  {
    // Its plugin, which "palimpsest install" writes, sends these members.
    name: 'opencode',
    events: { 'tool.execute.after': 'call', 'session.created': 'start', 'session.idle': 'end' },
    shells: ['bash'],
    paths: {
      event: ['event'],
      tool: ['tool'],
      session: ['sessionID'],
      folder: ['directory'],
      command: ['args.command'],
      text: ['output'],
      exit: ['metadata.exit'],
    },
    answer: (_event, message) => [message],
  },
  {
    name: 'cursor',
    events: { postToolUse: 'call', postToolUseFailure: 'failure', sessionStart: 'start', stop: 'end' },
    shells: ['Shell'],
    paths: {
      ...COMMON,
      session: ['conversation_id', 'session_id'],
      folder: ['cwd', 'workspace_roots.0'],
      text: ['error_message', 'tool_output.stderr', 'tool_output.output', 'tool_output'],
      exit: within('tool_output'),
    },
    excused: { failure_type: ['permission_denied', 'timeout'], is_interrupt: [true] },
    reportsFailuresOnly: true,
    answer: (event, { context }) =>
      context === undefined || event === 'stop' ? [] : [{ additional_context: context }],
  },
  {
    // It reports a command that ran as a success, whatever its exit status, and PostToolUseFailure only for one that did not run.
    name: 'copilot',
    events: { PostToolUse: 'call', SessionStart: 'start', Stop: 'end' },
    shells: ['Bash', 'read_bash', 'read_powershell'],
    paths: { ...COMMON, session: ['session_id'], text: ['tool_result.text_result_for_llm'], exit: [] },
    // The host writes this line after the output of each command that has ended.
    exitInText: /\n<shellId: [^\n]+ completed with exit code (-?\d+)>\s*$/,
    outputFile: /^Output too large to read at once \([^)]*\)\. Saved to: (.+-copilot-tool-output-[\w-]+\.txt)\n/,
    answer: (_event, { line, context }) => [
      ...(line === undefined ? [] : [{ type: 'progress', message: line }]),
      ...(context === undefined ? [] : [{ additionalContext: context }]),
    ],
  },
]

/** The value at a path of members. A text in between is read as JSON, because some hosts nest it so. */
function valueAt(payload: unknown, path: string): unknown {
  let value = payload
  for (const name of path.split('.')) {
    if (typeof value === 'string' && value.trimStart().startsWith('{')) value = parsedJson(value)
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  }
  return value
}

const first = (payload: unknown, paths: readonly string[]): unknown =>
  paths.map(path => valueAt(payload, path)).find(value => value !== undefined && value !== null && value !== '')

export const textOf = (payload: unknown, paths: readonly string[]): string => {
  const value = first(payload, paths)
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

/** The bytes at the end of a record in which a call is looked for. */
const RECORD_BYTES = 1_048_576

/** The exit status of a call in the record of its host; undefined if there is none, or the record cannot be read. */
function recordedExit({ record }: Host, payload: unknown): unknown {
  const [file, call] = [record && valueAt(payload, record.file), record && valueAt(payload, record.call)]
  if (record === undefined || typeof file !== 'string' || typeof call !== 'string') return undefined
  for (const line of lastLines(file).reverse()) {
    if (!line.includes(call)) continue
    const recorded = parsedJson(line)
    if (valueAt(recorded, record.recordedCall) === call) return valueAt(recorded, record.recordedExit)
  }
  return undefined
}

/** The lines within the last RECORD_BYTES of a regular file; none if it cannot be read. */
function lastLines(file: string): string[] {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return []
  const opened = openSync(file, 'r')
  try {
    const { size } = fstatSync(opened)
    const bytes = Buffer.alloc(Math.min(size, RECORD_BYTES))
    const read = readSync(opened, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8', 0, read).split('\n')
  } finally {
    closeSync(opened)
  }
}

/** The output of a command: of a long one, the end of the file in which the host put it. */
function outputOf({ outputFile }: Host, text: string): string {
  const file = outputFile?.exec(text)?.[1]
  const output = file === undefined ? '' : lastLines(file).join('\n')
  return output === '' ? text : output
}

/** What a payload of a host says. The exit status alone decides whether a command failed. */
export function momentOf(host: Host, payload: unknown): Moment {
  const { events, paths, shells, excused = {}, exitInText, reportsFailuresOnly } = host
  const event = textOf(payload, paths.event)
  const kind = Object.hasOwn(events, event) ? events[event] : undefined
  if (kind === undefined) return { kind: 'other', why: 'the event is not used' }
  if (kind === 'start' || kind === 'end') return { kind }
  if (!shells.includes(textOf(payload, paths.tool))) return { kind: 'other', why: 'the tool runs no command' }
  const command = textOf(payload, paths.command)
  const text = textOf(payload, paths.text)
  if (kind === 'failure') {
    const isExcused = Object.entries(excused).some(([name, values]) => values.includes(valueAt(payload, name)))
    return isExcused ? { kind: 'other', why: 'the command was stopped' } : { kind: 'failed', command, text }
  }
  const exit = first(payload, paths.exit) ?? exitInText?.exec(text)?.[1] ?? recordedExit(host, payload)
  if (exit === undefined && !reportsFailuresOnly) return { kind: 'other', why: 'the host reports no exit status' }
  return Number(exit ?? 0) === 0
    ? { kind: 'succeeded', command }
    : { kind: 'failed', command, text: outputOf(host, text) }
}
