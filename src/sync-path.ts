import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Has what was written to a file, or the names in a directory, survive a power cut. Throws as the file system does. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Has a file that a start made, or the names in a directory, survive a power cut. Under Node's permission model nothing can be synced but by SQLite,
 * which syncs each file of its own before it is relied on; file systems that order a new file's name before its content keep it then.
 */
export function syncMade(path: string): void {
  try {
    syncPath(path)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ACCESS_DENIED') throw error
  }
}
