import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

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

const OWNER_ONLY = 0o700

/**
 * Makes a directory and those above it that are missing, for this user alone; returns the topmost one that is new. Throws as the file system
 * does. `mkdirSync` of Node with `recursive` never returns where the file system says that a parent is missing that is there, as /proc does.
 */
export function makeDirectories(path: string): string | undefined {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const one of missing) {
    try {
      mkdirSync(one, OWNER_ONLY)
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
  }
  return missing[0]
}
