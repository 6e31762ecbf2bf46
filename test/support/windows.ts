import assert from 'node:assert/strict'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { sql } from '../../src/engine/database.ts'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { connectLocally, socketPath } from '../../src/local-socket.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { spawn } from './children.ts'
import { percentile } from './times.ts'

const LAUNCHER = join(import.meta.dirname, '../../bin/palimpsest.js')

type Answer = { result?: { isError?: boolean; content: { text: string }[] }; error?: unknown }

const OPENING = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } }

/** A window of a host: one `palimpsest mcp --data-dir` with its standard input and output. */
export class Window {
  readonly #child
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>()
  #calls = 0
  /** The exit code, once the process has ended; null after a signal. */
  readonly ended: Promise<number | null>
  stderr = ''

  constructor(directory: string, ...flags: string[]) {
    const options = { env: { PATH: process.env.PATH } }
    this.#child = spawn(process.execPath, [LAUNCHER, 'mcp', '--data-dir', directory, ...flags], options)
    this.#child.stdin.on('error', () => {})
    this.#child.stderr.on('data', chunk => {
      this.stderr += chunk
    })
    createInterface({ input: this.#child.stdout }).on('line', line => {
      const { id, ...answer } = JSON.parse(line) as Answer & { id: number }
      const resolveCall = this.#waiting.get(id)
      assert.ok(resolveCall, `a second answer to message ${id}: ${line}`)
      resolveCall(answer)
      this.#waiting.delete(id)
    })
    this.ended = new Promise(resolve => {
      this.#child.once('close', code => {
        for (const resolveCall of this.#waiting.values()) resolveCall(undefined)
        this.#waiting.clear()
        resolve(code)
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Sends a message. Resolves with its answer, or with undefined if the process ended before it. */
  #ask(method: string, params: object): Promise<Answer | undefined> {
    this.#calls += 1
    const id = this.#calls
    return new Promise(resolve => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return resolve(undefined)
      this.#waiting.set(id, resolve)
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  }

  /** Performs the handshake and lists the tools. Returns both answers; undefined if the process ended before. */
  async open(): Promise<object[] | undefined> {
    const answers = [await this.#ask('initialize', OPENING), await this.#ask('tools/list', {})]
    return answers.every(answer => answer !== undefined) ? answers : undefined
  }

  /** Reads no answer after the handshake, and goes on to ask. Returns the exit code. */
  async leave(): Promise<number | null> {
    await this.#ask('initialize', OPENING)
    this.#child.stdout.destroy()
    for (let asked = 0; asked < 20 && this.#child.exitCode === null; asked++) {
      void this.#ask('tools/list', {})
      await setTimeout(200)
    }
    return this.ended
  }

  /** Calls a tool. Returns its text, or undefined if the process ended before the answer. Throws for a refusal. */
  async call(name: string, args: object): Promise<string | undefined> {
    const answer = await this.#ask('tools/call', { name, arguments: args })
    if (answer === undefined) return undefined
    const text = answer.result?.content.map(one => one.text).join('\n') ?? JSON.stringify(answer)
    assert.ok(answer.result !== undefined && answer.result.isError !== true, text)
    return text
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  end(): Promise<number | null> {
    this.#child.stdin.end()
    return this.ended
  }
}

/** Resolves when a process answers at the socket of a directory, with the milliseconds that this took. */
async function isServed(directory: string): Promise<number> {
  const began = performance.now()
  for (;;) {
    const socket = await connectLocally(socketPath(directory))
    if (socket !== undefined) {
      socket.destroy()
      return Math.round(performance.now() - began)
    }
    await setTimeout(5)
  }
}

/** Whether a process has opened the store of a directory. */
export function hasStoreOpen(pid: number, directory: string): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some(name => readlinkSync(join(folder, name)) === join(directory, 'palimpsest.db'))
  } catch {
    // The process or one of its files has just gone.
    return false
  }
}

export const canFindOwner = existsSync('/proc/self/fd')

export type WindowRounds = { windows: number; writes: number; killEvery: number; kills: number }

/**
 * Several windows each publish `writes` entries, one after another, while each process that owns the store is killed `killEvery` milliseconds
 * after it began to serve, at most `kills` times. A new window continues the work of a killed one. Returns what was counted, after it has asserted that no acknowledged write is lost and none is
 * doubled.
 */
export async function windowRounds(directory: string, { windows, writes, killEvery, kills }: WindowRounds) {
  const titles = new Map<string, 'acknowledged' | 'unknown'>()
  const open = new Set<Window>()
  const work = async (worker: number): Promise<void> => {
    let window: Window | undefined
    for (let write = 0; write < writes; ) {
      if (window === undefined) {
        window = new Window(directory)
        open.add(window)
        if ((await window.open()) === undefined) window = undefined
        continue
      }
      const title = `Worker ${worker} wrote ${write}`
      titles.set(title, 'unknown')
      const args = { title, summary: 'One of many.', content: `${title}, and nothing else.`, anyway: true }
      const text = await window.call('publish', args)
      // A host that lost its window cannot know whether the write was stored.
      if (text === undefined) window = undefined
      else titles.set(title, 'acknowledged')
      write += 1
    }
  }
  const working = Array.from({ length: windows }, (_, worker) => work(worker))
  let isDone = false
  const done = Promise.all(working).then(() => {
    isDone = true
  })
  let killed = 0
  const takeovers: number[] = []
  while (!isDone && killed < kills) {
    const served = await Promise.race([done, isServed(directory)])
    if (served !== undefined && killed > 0) takeovers.push(served)
    await Promise.race([done, setTimeout(killEvery)])
    for (const window of open) {
      if (isDone || !hasStoreOpen(window.pid, directory)) continue
      window.kill()
      await window.ended
      killed += 1
    }
  }
  await done
  const codes = await Promise.all([...open].map(window => window.end()))
  assert.deepEqual(
    codes.filter(code => code !== 0 && code !== null),
    [],
    [...open].map(({ stderr }) => stderr).join(''),
  )
  assert.equal(existsSync(socketPath(directory)), false, 'a socket is left')
  const stored = titlesIn(directory)
  for (const [title, state] of titles) {
    const count = stored.get(title) ?? 0
    assert.ok(count === 1 || (count === 0 && state === 'unknown'), `"${title}" (${state}) is stored ${count} times`)
  }
  const acknowledged = [...titles.values()].filter(state => state === 'acknowledged').length
  const takeover = { median: percentile(takeovers, 50), slowest: Math.max(0, ...takeovers) }
  return { killed, acknowledged, unknown: titles.size - acknowledged, stored: stored.size, takeover }
}

/** The number of revisions with each title. */
function titlesIn(directory: string): Map<string, number> {
  const store = openSqlite(storeFile(directory), 'read')
  const rows = store.all<{ title: string; count: number }>(
    sql`SELECT title, count(*) AS count FROM revision GROUP BY title`,
  )
  store.close()
  return new Map(rows.map(({ title, count }) => [title, count]))
}
