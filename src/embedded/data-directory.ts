import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../database/sqlite.ts'
import { OperatorError, systemFault } from '../operator-error.ts'
import { makeDirectories, syncMade } from '../sync-path.ts'
import { lockFile, storeFile } from './files.ts'
import { assertOwnLog } from './marker.ts'

/**
 * Creates the data directory if it is missing, and checks that files can be written in it. Returns its absolute path. Throws OperatorError if
 * they cannot.
 */
export function prepareDataDirectory(directory: string): string {
  const path = resolve(directory)
  try {
    syncNewNames(path, makeDirectories(path))
    if (!statSync(path).isDirectory()) throw new Error('it is not a directory')
    const probe = join(path, `.probe-${process.pid}`)
    writeFileSync(probe, 'probe')
    rmSync(probe)
  } catch (error) {
    throw new OperatorError(
      `The data directory ${path} cannot be used (${systemFault(error)}); make it writable for this user or set DATA_DIR to another one.`,
    )
  }
  return path
}

/**
 * Syncs the parents of new directories, because a power cut can remove a directory whose name is not durable, with all its files. `made` is
 * the topmost new directory.
 */
function syncNewNames(path: string, made: string | undefined): void {
  for (let child = path; made !== undefined && child.length >= made.length; child = dirname(child)) {
    syncMade(dirname(child))
  }
}

/**
 * Returns the absolute path of a data directory that must already have a store. Throws OperatorError otherwise, and if the store has the
 * write-ahead log of another one.
 */
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
  if (file === storeFile) assertOwnLog(path)
  return path
}

/** How long a process waits for the lock of a directory, in milliseconds. `isServed` locks it for less time. */
const LOCK_TIMEOUT_MS = 500

/**
 * Locks the directory for this process. Returns the function that unlocks it. The lock belongs to the operating system, which releases it
 * when the process ends in any way.
 */
export function lockDataDirectory(path: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockFile(path), { timeout: LOCK_TIMEOUT_MS })
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    if (isBusy(error)) {
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

/** Whether a process has locked the directory. Takes no lock that could disturb a start at the same moment. */
export function isServed(directory: string): boolean {
  if (!existsSync(lockFile(directory))) return false
  const lock = new DatabaseSync(lockFile(directory), { readOnly: true, timeout: 0 })
  try {
    lock.prepare('PRAGMA schema_version').get()
    return false
  } catch {
    return true
  } finally {
    lock.close()
  }
}
