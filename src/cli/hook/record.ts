import { hash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { configDirectory } from '../people/credentials.ts'
import { parsedJson } from '../read.ts'

/** Half of the bytes that the log may have: a full file becomes the previous one. */
const LOG_BYTES = 512 * 1_024
/** The maximum number of entries and of commands that a session remembers. */
const SEEN_MAX = 200
const STEPS_MAX = 10

/** What the hook did at one event. */
export type LogLine = {
  at: string
  host: string
  event: string
  /** The masked text that was sent. */
  sent?: string
  /** The slug of the best entry. */
  found?: string
  /** "shown", "proposed", or why nothing was. */
  outcome: string
  ms: number
}

/** An entry that was shown in a session. */
export type Shown = { slug: string; revisionId: string }

/** What the hook remembers of one session. All texts are masked. */
export type SessionNotes = {
  seen: string[]
  /** The failure that was not followed by a success yet. */
  failure?: { command: string; text: string; shown?: Shown; steps: string[] } | undefined
  /** The failure that was followed by a success of the same program. */
  solved?: { command: string; text: string; shown?: Shown; steps: string[] } | undefined
}

/** The local files of the hook: a log, the notes of each session, drafts, and the switch. */
export class HookFiles {
  readonly #folder: string

  constructor(env: NodeJS.ProcessEnv) {
    this.#folder = join(configDirectory(env), 'hook')
  }

  get isOff(): boolean {
    return existsSync(this.#path('off'))
  }

  turn(on: boolean): void {
    if (on) rmSync(this.#path('off'), { force: true })
    else this.#write('off', 'The hook is off; "palimpsest hook --on" turns it on.\n')
  }

  notesOf(host: string, session: string): SessionNotes {
    const notes = parsedJson(this.#read(this.#nameOf(host, session)) ?? '') as Partial<SessionNotes> | undefined
    return { ...notes, seen: Array.isArray(notes?.seen) ? notes.seen : [] }
  }

  keep(host: string, session: string, notes: SessionNotes): void {
    const { seen, failure, solved } = notes
    const bounded = failure === undefined ? undefined : { ...failure, steps: failure.steps.slice(-STEPS_MAX) }
    const name = this.#nameOf(host, session)
    this.#write(`${name}.${process.pid}`, JSON.stringify({ seen: seen.slice(-SEEN_MAX), failure: bounded, solved }))
    renameSync(this.#path(`${name}.${process.pid}`), this.#path(name))
  }

  /** Writes a draft, and returns its path. */
  draft(text: string): string {
    const name = `draft-${hash('sha256', text, 'hex').slice(0, 8)}.md`
    this.#write(name, text)
    return this.#path(name)
  }

  log(line: LogLine): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#path('log')
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, this.#path('log.1'))
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }

  /** The last lines of the log, oldest first. */
  last(count: number): LogLine[] {
    return ['log.1', 'log']
      .flatMap(name => (this.#read(name) ?? '').split('\n'))
      .flatMap(line => (parsedJson(line) as LogLine | undefined) ?? [])
      .slice(-count)
  }

  #nameOf = (host: string, session: string): string =>
    `session-${hash('sha256', `${host} ${session}`, 'hex').slice(0, 16)}`

  #path = (name: string): string => join(this.#folder, name)

  #read(name: string): string | undefined {
    try {
      return readFileSync(this.#path(name), 'utf8')
    } catch {
      return undefined
    }
  }

  #write(name: string, text: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(this.#path(name), text, { mode: 0o600 })
  }
}
