import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atEnd } from '../support/at-end.ts'

export const ROOT = join(import.meta.dirname, '..', '..')
export const run = promisify(execFile)
export const TSC = join(ROOT, 'node_modules', '.bin', 'tsc')

const made: string[] = []
atEnd(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true })
})

/** A directory that is gone after the tests of this process. */
export async function temporary(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-client-'))
  made.push(directory)
  return directory
}
