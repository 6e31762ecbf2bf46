import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile, syncMade } from '../sync-path.ts'

/** The file of a data directory with the last checkpoint that was published from there. */
export const logHeadFile = (directory: string): string => join(directory, 'log-head')

/** The last note in the file; undefined if there is none. */
export const readLogHeadFile = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

/** Writes a note to the file atomically. The note survives a power cut once this returns. */
export const writeLogHeadFile = (path: string, note: string): void => replaceFile(path, note, syncMade)
