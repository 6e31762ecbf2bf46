import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError, systemFault } from '../operator-error.ts'
import { makeDirectories, syncMade } from '../sync-path.ts'
import { lockFile, markerFile, storeFile } from './files.ts'

/** Makes the data directory if it is not there, and makes sure that files can be written in it. Gives its absolute path. */
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

const MARKER = `This directory has a Palimpsest store, the file palimpsest.db. Without that file the service does not start here:
restore a backup, or delete this file to begin an empty store.
`

/** Notes in a directory that it has a store, so that the loss of the store is noticed. */
export function markStore(directory: string): void {
  const path = markerFile(directory)
  if (existsSync(path)) return
  writeFileSync(path, MARKER, { mode: 0o600 })
  syncMade(path)
  syncMade(directory)
}

/** Throws OperatorError where a directory had a store and has none. */
export function assertStoreNotLost(directory: string): void {
  const [store, marker] = [storeFile(directory), markerFile(directory)]
  const size = statSync(store, { throwIfNoEntry: false })?.size ?? 0
  if (size > 0 || !existsSync(marker)) return
  throw new OperatorError(
    `There was a store in ${directory}, and ${store} is ${existsSync(store) ? 'empty' : 'missing'}; restore a backup with "palimpsest restore", or delete ${marker} to begin an empty store.`,
  )
}

const SQLITE_BUSY = 5
/** How long a process waits for the lock of a directory, in milliseconds: longer than `isServed` looks at it. */
const LOCK_TIMEOUT = 500

/**
 * Takes the directory for this process alone and gives the function that lets it go. The lock is the operating system's:
 * it frees itself when the process ends, however it ends.
 */
export function lockDataDirectory(path: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockFile(path), { timeout: LOCK_TIMEOUT })
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

/** Whether a process has the lock of a directory. Looks without taking it, so that a start at this moment goes on. */
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
