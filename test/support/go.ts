import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { spawn } from './children.ts'
import { missing, pathOf } from './programs.ts'

const run = promisify(execFile)
/** The directory of the sources of Debian's package golang-golang-x-mod-dev. */
const GOPATH = '/usr/share/gocode'
const GO = pathOf('go')

/** The reason to skip a test that needs Go; false if Go programs can run here. */
export const NO_GO = missing('go')

type Program = 'verify-log' | 'witness'

/**
 * The directory of built programs, shared by all processes of a run. The first build takes seconds, later builds a fraction of a second.
 */
function directory(): string {
  if (process.env.TEST_GO_DIRECTORY === undefined) {
    const own = mkdtempSync(join(tmpdir(), 'palimpsest-go-'))
    process.env.TEST_GO_DIRECTORY = own
    process.once('exit', () => rmSync(own, { recursive: true, force: true }))
  }
  return process.env.TEST_GO_DIRECTORY
}

const built = new Map<Program, Promise<string>>()

async function build(name: Program): Promise<string> {
  const program = join(directory(), name)
  if (existsSync(program)) return program
  // Several processes may build the program at the same time. Each writes a complete file and renames it.
  const partial = `${program}.${process.pid}`
  const env = { ...process.env, GO111MODULE: 'off', GOPATH, GOCACHE: join(directory(), 'cache'), GOFLAGS: '' }
  await run(GO ?? 'go', ['build', '-o', partial, join(import.meta.dirname, 'go', `${name}.go`)], { env })
  renameSync(partial, program)
  return program
}

/** Builds a program once for this process, unless another process built it. Returns its path. */
function programOf(name: Program): Promise<string> {
  const building = built.get(name) ?? build(name)
  built.set(name, building)
  return building
}

/** Runs `go/verify-log.go` with these arguments. Returns its output or its error. */
export async function verifyWithGo(args: string[]): Promise<{ holds: boolean; text: string }> {
  try {
    const { stdout } = await run(await programOf('verify-log'), args)
    return { holds: true, text: stdout }
  } catch (error) {
    return { holds: false, text: (error as { stderr?: string }).stderr ?? String(error) }
  }
}

/** Asserts that `go/verify-log.go` accepts the log of a service, and that the log extends each of these older checkpoints. */
export async function assertAcceptedByGo(url: string, older: readonly string[]): Promise<void> {
  assert.ok(older.length > 0, 'a log is compared with one older checkpoint at least')
  const [key = ''] = (await (await fetch(`${url}/log/keys`)).text()).split('\n')
  const file = join(directory(), `older-${process.pid}`)
  for (const note of older) {
    writeFileSync(file, note)
    const [, size] = note.split('\n')
    const { holds, text } = await verifyWithGo(['-key', key, '-older', file, `${url}/log`])
    assert.ok(holds && text.startsWith(`begins with the ${size} records of the older checkpoint\n`), text)
  }
}

export type GoWitness = { url: string; vkey: string; stop(): void }

/** Starts `go/witness.go`, which cosigns the log with this key. */
export async function startGoWitness(vkey: string): Promise<GoWitness> {
  const child = spawn(await programOf('witness'), ['-key', vkey], {})
  const [url = '', key = ''] = await new Promise<string[]>((resolve, reject) => {
    let output = ''
    child.stderr.on('data', chunk => reject(new Error(String(chunk))))
    child.stdout.setEncoding('utf8').on('data', chunk => {
      output += chunk
      const found = /listens at (\S+)\n {2}key {2}(\S+)\n/.exec(output)
      if (found !== null) resolve(found.slice(1))
    })
  })
  return { url, vkey: key, stop: () => void child.kill() }
}
