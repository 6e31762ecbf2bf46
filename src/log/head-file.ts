import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncMade } from '../sync-path.ts'

const OWNER_ONLY = 0o600

/** The file of a data directory with the last checkpoint that was published from there. */
export const logHeadFile = (directory: string): string => join(directory, 'log-head')

/** The last note in the file; undefined where there is none. */
export const readLogHeadFile = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

/** Writes a note to the file, completely or not at all. It survives a power cut once this returns. */
export function writeLogHeadFile(path: string, note: string): void {
  const partial = `${path}.new`
  const file = openSync(partial, 'w', OWNER_ONLY)
  try {
    writeSync(file, note)
    syncOpen(file)
  } finally {
    closeSync(file)
  }
  renameSync(partial, path)
  syncMade(dirname(path))
}

/** Node's permission model forbids fsync, except within SQLite. */
function syncOpen(file: number): void {
  try {
    fsyncSync(file)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ACCESS_DENIED') throw error
  }
}
