import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ADMIN_TOKEN } from './app.ts'
import { spawn } from './children.ts'
import { engineSettings } from './engine.ts'

const COMMAND = join(import.meta.dirname, '../../bin/palimpsest.js')
/**
 * Maximum time for a process to end after a signal, in milliseconds. Above it, the process counts as hung. Less than the limit of a test.
 */
const PATIENCE = 100_000

export type End = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }
export type ServerProcess = {
  url: string
  dataDir: string
  pid: number
  /** Milliseconds from the start until the process announced that it is ready. */
  readyAfter: number
  stderr(): string
  kill(signal: NodeJS.Signals): void
  /** Sends SIGTERM, and resolves when the process has ended. */
  stop(): Promise<End>
  /** Resolves when the process has ended and its output is complete. */
  ended: Promise<End>
}
export type StartOptions = {
  env?: Record<string, string>
  /** A command that runs the service as its child or replaces itself with it. */
  wrap?: readonly string[]
  /** The command of the service; by default `serve`. */
  args?: readonly string[]
}

/** A temporary directory, and the function that removes it. */
export function makeDirectory(): { path: string; remove(): void } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-test-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  return { path, remove, [Symbol.dispose]: remove }
}

/** How often a file may be renamed while a directory is read. */
const RENAMES_MAX = 100

/**
 * All files below a directory, with their bytes. A service renames a new file over an old one, so the directory is read again if a file has
 * gone in the meantime.
 */
export function readFiles(path: string): { name: string; bytes: Buffer }[] {
  for (let renames = 0; ; renames++) {
    try {
      const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(file => file.isFile())
      const names = files.map(file => join(file.parentPath, file.name))
      return names.map(name => ({ name, bytes: readFileSync(name) }))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || renames === RENAMES_MAX) throw error
    }
  }
}

/** Runs a command of the service in another process, with high limits unless `env` sets other limits. */
export function spawnService(args: readonly string[], { env = {}, wrap = [] }: StartOptions = {}) {
  const [program = '', ...rest] = [...wrap, process.execPath, COMMAND, ...args]
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      ADMIN_TOKEN,
      READ_LIMIT_PER_MINUTE: '1000000000',
      WRITE_LIMIT_PER_MINUTE: '1000000000',
      COOLDOWN_SECONDS: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => {
    output.stdout += chunk
  })
  child.stderr.on('data', chunk => {
    output.stderr += chunk
  })
  const ended = new Promise<End>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      resolve({ code, signal, ...output })
    })
  })
  return { child, output, ended: within(ended, child) }
}

/** Starts the service on a free port and resolves once it is announced. Rejects with the output if the process ends before. */
export async function startServer(dataDir: string, options: StartOptions = {}): Promise<ServerProcess> {
  const began = performance.now()
  const env = { DATA_DIR: dataDir, ...(await engineSettings(dataDir)), ...options.env }
  const { child, output, ended } = spawnService(options.args ?? ['serve'], { ...options, env })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /ready at (http:\S+)/.exec(output.stdout)?.[1]
      if (found !== undefined) resolve(found)
    })
    ended.then(
      end => reject(new Error(`The service ended (${end.code ?? end.signal}): ${end.stderr}${end.stdout}`)),
      reject,
    )
  })
  return {
    url,
    dataDir,
    pid: child.pid ?? 0,
    readyAfter: performance.now() - began,
    stderr: () => output.stderr,
    kill: signal => child.kill(signal),
    stop() {
      child.kill('SIGTERM')
      return ended
    },
    ended,
  }
}

/** Asserts that a start is refused with one sentence. */
export async function assertRefused(
  dataDir: string,
  sentence: RegExp,
  env: Record<string, string> = {},
): Promise<void> {
  const { ended } = spawnService(['serve'], { env: { DATA_DIR: dataDir, ...env } })
  const { code, stdout, stderr } = await ended
  assert.ok(code !== 0 && code !== null, `ended with ${code}`)
  assert.equal(stdout, '')
  assert.match(stderr, sentence)
  assert.equal(stderr.trim().split('\n').length, 1, stderr)
  assert.ok(!stderr.includes('    at '), stderr)
}

async function within(ended: Promise<End>, child: ChildProcess): Promise<End> {
  // Long tests use a service for minutes, so only a requested end has a deadline.
  const asked = new Promise<void>(resolve => {
    const kill = child.kill.bind(child)
    child.kill = signal => {
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT' && signal !== 'SIGHUP') resolve()
      return kill(signal)
    }
  })
  const hung = asked.then(() => setTimeout(PATIENCE, undefined, { ref: false }))
  const end = await Promise.race([ended, hung])
  if (end !== undefined) return end
  child.kill('SIGKILL')
  throw new Error(`The service did not end within ${PATIENCE} ms.`)
}

/** The shortest and the longest pause between two polls, in milliseconds. */
const PAUSE_MIN = 10
const PAUSE_MAX = 100

/** Polls until `found` returns a value, for at most `deadline` milliseconds. The interval grows with the time waited. */
export async function eventually<T>(what: string, deadline: number, found: () => Promise<T | undefined>): Promise<T> {
  const since = performance.now()
  for (;;) {
    const value = await found()
    if (value !== undefined) return value
    const waited = performance.now() - since
    if (waited > deadline) throw new Error(`Not within ${deadline} ms: ${what}.`)
    await setTimeout(Math.min(PAUSE_MAX, PAUSE_MIN + waited / 20))
  }
}
