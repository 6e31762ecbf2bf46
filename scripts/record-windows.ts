import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { socketPath } from '../src/local-socket.ts'
import { percentile } from '../test/support/times.ts'
import { hasStoreOpen, Window } from '../test/support/windows.ts'
import { asciicast, drawing, type Row } from './terminal.ts'

/**
 * `npm run demo:windows`: records two windows that share a private memory, of which the first is killed during a write of the second. Writes
 * docs/windows.svg and docs/windows.cast (asciicast 2). Processes, kill, answers and times are real; between two writes the script pauses.
 * Needs /proc, to find the process that has the store open.
 */
const LAUNCHER = join(import.meta.dirname, '..', 'bin', 'palimpsest.js')
const START = '$ palimpsest mcp --data-dir memory'
const LIST = `palimpsest search --sort recent --json --data-dir memory | grep -o '"slug":"[^"]*"'`
type Note = readonly [title: string, content: string]
const NOTES: readonly Note[] = [
  ['Green tea', 'Water of 80 degrees; boiling water makes it bitter.'],
  ['fsync after rename', 'Sync the folder too, or a power cut can undo the new name.'],
  ['Exit code 137', 'The kernel killed the container, mostly for memory.'],
  ['git detached HEAD', 'Make a branch before you leave: git switch -c name.'],
  ['Port in use', 'Look for the owner of the socket: ss -ltnp.'],
  ['Locale of sort', 'LC_ALL=C compares bytes.'],
  ['Clock of a laptop', 'A monotonic clock may stop while the lid is closed.'],
  ['CSV from Excel', 'The first three bytes may be a byte order mark.'],
]
/** Writes before the first attempt to kill, which give the usual time of a write. */
const BEFORE = 3

/** Waits until one of the windows has the store open, and returns its letter. */
async function owner(windows: Readonly<Record<string, Window>>, directory: string): Promise<string> {
  for (;;) {
    const found = Object.entries(windows).find(([, { pid }]) => hasStoreOpen(pid, directory))
    if (found !== undefined) return found[0]
    await setTimeout(5)
  }
}

/** Runs the shell command that lists the slugs, in the folder with the memory. */
async function list(folder: string): Promise<string[]> {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'palimpsest'), `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`)
  chmodSync(join(bin, 'palimpsest'), 0o755)
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, XDG_CONFIG_HOME: folder }
  const { stdout } = await promisify(execFile)('sh', ['-c', LIST], { cwd: folder, env })
  return stdout.trimEnd().split('\n')
}

/** Two windows of one memory, and what a person sees of them. */
class Recorder {
  readonly rows: Row[] = []
  readonly #memory: string
  readonly #windows: Record<string, Window> = {}
  readonly #began = performance.now()
  readonly #times: number[] = []

  constructor(memory: string) {
    this.#memory = memory
  }

  show(column: Row['column'], text: string, style: Row['style'] = 'plain'): void {
    this.rows.push({ at: (performance.now() - this.#began) / 1_000, column, text, style })
  }

  async open(name: string, column: 'left' | 'right'): Promise<Window> {
    this.show(column, START, 'command')
    const window = new Window(this.#memory)
    await window.open()
    this.#windows[name] = window
    await this.showOwner(column, 'ready; ')
    return window
  }

  async showOwner(column: 'left' | 'right', before = ''): Promise<void> {
    this.show(column, `${before}window ${await owner(this.#windows, this.#memory)} has the store open`)
  }

  /** Publishes a note, and runs `interrupt` after half the usual time of a write, unless it was answered before. */
  async publish(window: Window, [title, content]: Note, interrupt?: () => void): Promise<void> {
    this.show('right', `publish "${title}"`, 'command')
    const sent = performance.now()
    let text: string | undefined
    const answered = window.call('publish', { title, summary: content, content }).then(answer => {
      text = answer ?? 'no answer'
    })
    if (interrupt !== undefined) {
      await Promise.race([answered, setTimeout(percentile(this.#times, 50) / 2)])
      if (text === undefined) interrupt()
    }
    await answered
    this.#times.push(performance.now() - sent)
    const [, line] = /^(Published entry [0-9a-f]{8})/.exec(text ?? '') ?? []
    if (line === undefined) throw new Error(`"${title}": ${text}`)
    this.show('right', `${line}…  ${Math.round(this.#times.at(-1) ?? 0)} ms`)
  }
}

/** Records the windows in a new folder. `pause` is the time between two writes, in milliseconds. Throws if a claim of the picture fails. */
export async function recordWindows(folder: string, pause: number): Promise<readonly Row[]> {
  const memory = join(folder, 'memory')
  const recorder = new Recorder(memory)
  const A = await recorder.open('A', 'left')
  const B = await recorder.open('B', 'right')
  let isKilled = false
  const kill = (): void => {
    A.kill()
    recorder.show('left', 'SIGKILL', 'fault')
    isKilled = true
  }
  for (const [index, note] of NOTES.entries()) {
    await setTimeout(pause)
    const isKillTried = !isKilled && index >= BEFORE
    await recorder.publish(B, note, isKillTried ? kill : undefined)
    if (isKillTried && isKilled) await recorder.showOwner('right')
  }
  if (!isKilled) throw new Error('Each write was answered before the kill. Run it again.')
  if ((await B.end()) !== 0 || existsSync(socketPath(memory))) throw new Error(`Window B left a socket. ${B.stderr}`)
  recorder.show('right', 'closed; no socket is left')
  recorder.show('both', `$ ${LIST}`, 'command')
  const slugs = await list(folder)
  for (const slug of slugs) recorder.show('both', slug)
  if (slugs.length !== NOTES.length || new Set(slugs).size !== slugs.length) throw new Error(slugs.join(' '))
  recorder.show('both', `${NOTES.length} writes, ${slugs.length} entries`)
  return recorder.rows
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-windows-'))
  try {
    const rows = await recordWindows(folder, 250)
    const title = 'Two windows share a private memory; the owner of the store is killed during a write of the other'
    const to = join(import.meta.dirname, '..', 'docs')
    writeFileSync(join(to, 'windows.cast'), asciicast(title, rows))
    writeFileSync(join(to, 'windows.svg'), drawing(title, rows))
    process.stdout.write('docs/windows.svg and docs/windows.cast show this run.\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
