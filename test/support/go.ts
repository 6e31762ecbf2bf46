import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Where Debian’s golang-golang-x-mod-dev puts its sources. */
const GOPATH = '/usr/share/gocode'
const PACKAGES = join(GOPATH, 'src', 'golang.org', 'x', 'mod', 'sumdb')
const GO = ['/usr/bin/go', '/usr/local/go/bin/go'].find(path => existsSync(path))

/** Why programs in Go cannot run here; false where they can. */
export const NO_GO =
  GO !== undefined && existsSync(PACKAGES)
    ? false
    : 'SKIPPED: Go or its x/mod is missing (golang-go, golang-golang-x-mod-dev)'
if (NO_GO) process.stderr.write(`${NO_GO}\n`)

let built: Promise<string> | undefined
let directory: string | undefined

/** Builds the program once for this process. */
async function build(): Promise<string> {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-go-'))
  const program = join(directory, 'verify-log')
  const source = join(import.meta.dirname, 'go', 'verify-log.go')
  const env = { ...process.env, GO111MODULE: 'off', GOPATH, GOCACHE: join(directory, 'cache'), GOFLAGS: '' }
  await run(GO ?? 'go', ['build', '-o', program, source], { env })
  return program
}

/** Runs `go/verify-log.go` with these arguments. Returns its output or its error. */
export async function verifyWithGo(args: string[]): Promise<{ holds: boolean; text: string }> {
  built ??= build()
  try {
    const { stdout } = await run(await built, args)
    return { holds: true, text: stdout }
  } catch (error) {
    return { holds: false, text: (error as { stderr?: string }).stderr ?? String(error) }
  }
}

/** Removes the built program. The next test file of this process builds it again. */
export async function removeGo(): Promise<void> {
  await built?.catch(() => undefined)
  if (directory !== undefined) await rm(directory, { recursive: true, force: true })
  built = undefined
  directory = undefined
}
