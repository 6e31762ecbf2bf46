import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Syncs a file, or the names in a directory, so that they survive a power cut. Throws the error of the file system. Windows syncs only files
 * that are open for writing, and no directories.
 */
export function syncPath(path: string, platform: NodeJS.Platform = process.platform): void {
  const isWindows = platform === 'win32'
  if (isWindows && statSync(path).isDirectory()) return
  const descriptor = openSync(path, isWindows ? 'r+' : 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Syncs a new file, or the names in a directory. Under Node's permission model only SQLite can sync: it syncs each of its files before it
 * relies on it, and a name survives if the file system orders the name of a new file before its content.
 */
export function syncMade(path: string): void {
  try {
    syncPath(path)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ACCESS_DENIED') throw error
  }
}

/** The mode of a file that only this user may read and write. */
export const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_DIRECTORY = 0o700

/**
 * Replaces a file completely or not at all; only this user may read it. `sync` makes the file and its name durable before this returns. Throws
 * the error of the file system.
 */
export function replaceFile(path: string, text: string, sync: (path: string) => void): void {
  const partial = `${path}.new`
  writeFileSync(partial, text, { mode: OWNER_ONLY_FILE })
  sync(partial)
  renameSync(partial, path)
  sync(dirname(path))
}

/**
 * Makes a directory and its missing parents, accessible to this user only. Returns the topmost new one. Throws the error of the file system.
 * Node's recursive `mkdirSync` does not return if the file system reports an existing parent as missing, as /proc does.
 */
export function makeDirectories(path: string): string | undefined {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const one of missing) {
    try {
      mkdirSync(one, OWNER_ONLY_DIRECTORY)
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
  }
  return missing[0]
}
