import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../operator-error.ts'
import { syncMade } from '../sync-path.ts'
import { lockFile } from './files.ts'

/** Makes the data directory if it is not there, and makes sure that files can be written in it. Gives its absolute path. */
export function prepareDataDirectory(directory: string): string {
  const path = resolve(directory)
  try {
    syncNewNames(path, mkdirSync(path, { recursive: true, mode: 0o700 }))
    if (!statSync(path).isDirectory()) throw new Error('it is not a directory')
    const probe = join(path, `.probe-${process.pid}`)
    writeFileSync(probe, 'probe')
    rmSync(probe)
  } catch (error) {
    throw new OperatorError(
      `The data directory ${path} cannot be used (${(error as Error).message}); make it writable for this user or set DATA_DIR to another one.`,
    )
  }
  return path
}

/** A directory whose name is lost in a power cut is lost with all that was synced in it; `made` is the topmost one that is new. */
function syncNewNames(path: string, made: string | undefined): void {
  for (let child = path; made !== undefined && child.length >= made.length; child = dirname(child)) {
    syncMade(dirname(child))
  }
}

/** Gives the absolute path of a data directory that must hold a store already. */
export function findDataDirectory(directory: string, file: (directory: string) => string): string {
  const path = resolve(directory)
  if (!existsSync(file(path))) {
    throw new OperatorError(
      `There is no store in ${path}; set DATA_DIR (or --data-dir) to the directory that holds palimpsest.db.`,
    )
  }
  try {
    accessSync(file(path), constants.R_OK)
  } catch {
    throw new OperatorError(`The store in ${path} cannot be read by this user; run as the user that serves it.`)
  }
  return path
}

const SQLITE_BUSY = 5

/**
 * Takes the directory for this process alone and gives the function that lets it go. The lock is the operating system's:
 * it frees itself when the process ends, however it ends.
 */
export function lockDataDirectory(path: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockFile(path), { timeout: 0 })
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new OperatorError(
        `The data directory ${path} is in use by another palimpsest process; stop that one first or set DATA_DIR to another directory.`,
      )
    }
    throw new OperatorError(
      `The lock ${lockFile(path)} cannot be taken (${(error as Error).message}); delete that file and start again.`,
    )
  }
  const held = lock
  return () => held.close()
}

/** Whether a process holds the store of a directory. */
export function isServed(directory: string): boolean {
  if (!existsSync(lockFile(directory))) return false
  try {
    lockDataDirectory(directory)()
    return false
  } catch (error) {
    if (error instanceof OperatorError) return true
    throw error
  }
}
