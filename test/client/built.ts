import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atEnd } from '../support/at-end.ts'

export const ROOT = join(import.meta.dirname, '..', '..')
/** The sources of the package, without built files. */
const PARTS = ['package.json', 'tsconfig.json', 'scripts', 'src', 'bin', 'README.md', 'LICENSE', 'CHANGELOG.md']

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

/** A copy of the sources, to build and pack in: the working directory stays as it is. */
export async function copyOfPackage(): Promise<string> {
  const directory = await temporary()
  for (const part of PARTS) await cp(join(ROOT, part), join(directory, part), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  return directory
}
