import { randomInt } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreFault } from '../../engine/database.ts'
import { isBusy, type SqliteConnection, takeInLog } from '../../engine/sqlite.ts'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { makeDirectories, replaceFile, syncMade } from '../../sync-path.ts'

/** The files of a data directory. */
export const storeFile = (directory: string): string => join(directory, 'palimpsest.db')
/** The store while "palimpsest copy" or "palimpsest restore" fills it. */
export const partialStoreFile = (directory: string): string => `${storeFile(directory)}.partial`
/** Derived from the store. If it is deleted, the next start rebuilds it. */
export const indexFile = (directory: string): string => join(directory, 'search.db')
/** The search index of a node over PostgreSQL, separate from that of a store in the same directory. */
export const nodeIndexFile = (directory: string): string => join(directory, 'search-node.db')
/** Locked by the process that serves the directory. */
export const lockFile = (directory: string): string => join(directory, 'palimpsest.lock')

/** Created with the store and never deleted. It proves that the directory had a store. */
export const markerFile = (directory: string): string => join(directory, 'palimpsest.marker')

/**
 * The marker of a data directory: it has a store, and this store was opened for writing here last. `stamps` are the numbers that the header
 * of the store may have, `store` and `log` the identities of `palimpsest.db` and `palimpsest.db-wal`, `originKey` a digest of the origin key.
 */
type Marker = { stamps?: number[]; store?: string; log?: string; originKey?: string }

const TEXT = `This directory has a Palimpsest store, the file palimpsest.db. Without that file the service does not start here:
restore a backup, or delete this file to begin an empty store.
`

/** Reads the marker. A marker that is missing, or that has no facts, names no store. */
function readMarker(directory: string): Marker {
  const path = markerFile(directory)
  const line = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) : undefined
  return line?.startsWith('{') ? (JSON.parse(line) as Marker) : {}
}

function writeMarker(directory: string, changes: Marker): void {
  const marker = { ...readMarker(directory), ...changes }
  replaceFile(markerFile(directory), `${TEXT}${JSON.stringify(marker)}\n`, syncMade)
}

/** The identity of a file on its file system, also after a rename; undefined if it does not exist. Inodes alone are used again. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.ino} ${found.birthtimeNs}`
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Throws OperatorError if the directory has the marker but no store, or a store that is not complete. */
export function assertStoreNotLost(directory: string): void {
  const [store, marker] = [storeFile(directory), markerFile(directory)]
  if (sizeOf(store) > 0) return
  if (existsSync(partialStoreFile(directory)))
    throw new OperatorError(
      `The store in ${directory} is not complete, because "palimpsest copy" or "palimpsest restore" was interrupted; run the same command again, or delete ${partialStoreFile(directory)} to begin an empty store.`,
    )
  if (!existsSync(marker)) return
  throw new OperatorError(
    `There was a store in ${directory}, and ${store} is ${existsSync(store) ? 'empty' : 'missing'}; restore a backup with "palimpsest restore", or delete ${marker} to begin an empty store.`,
  )
}

/** The part of the header of a SQLite file with the application id, in which a store has its stamp. */
const HEADER_BYTES = 72
const STAMP_OFFSET = 68

/** The stamp in the header of a file, without the write-ahead log; undefined if the file has no whole header. */
function stampOf(path: string): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    return readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? header.readInt32BE(STAMP_OFFSET) : undefined
  } finally {
    closeSync(file)
  }
}

/**
 * The relation of a leftover write-ahead log to the store: its own one, that of a store that was replaced, or unknown because both files
 * were replaced. SQLite writes any log into any store, and destroys it if the log belongs to another one.
 */
function originOfLog(directory: string): 'own' | 'replaced' | 'unknown' {
  const store = storeFile(directory)
  const log = `${store}-wal`
  const marker = readMarker(directory)
  if (marker.stamps === undefined || sizeOf(store) === 0 || sizeOf(log) === 0) return 'own'
  const isServedLog = marker.log === identityOf(log)
  const stamp = stampOf(store)
  const hasStamp = stamp !== undefined && marker.stamps.includes(stamp)
  // In a copied directory both files have another identity.
  if (hasStamp && (marker.store === identityOf(store) || !isServedLog)) return 'own'
  return isServedLog ? 'replaced' : 'unknown'
}

const NOT_OWN = 'was replaced since it was last opened here'

/** Throws OperatorError if a leftover write-ahead log is not known to belong to the store. */
export function assertOwnLog(directory: string): void {
  const origin = originOfLog(directory)
  if (origin === 'own') return
  const store = storeFile(directory)
  const remedy =
    origin === 'replaced'
      ? `start the service, which renames ${store}-wal, or rename it yourself`
      : `rename ${store}-wal if it belongs to another store, or delete ${markerFile(directory)} if it belongs to this one`
  throw new OperatorError(`${store} ${NOT_OWN}, and ${store}-wal is not its write-ahead log; ${remedy}.`)
}

/**
 * Renames the leftover `-wal` and `-shm` of a store that was replaced, and returns a sentence that names them; undefined if there are none.
 * Call it before SQLite opens the store. Throws OperatorError if the files may belong to either store.
 */
export function setOldLogAside(directory: string): string | undefined {
  if (originOfLog(directory) !== 'replaced') {
    assertOwnLog(directory)
    return undefined
  }
  const store = storeFile(directory)
  const ending = `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  const aside = [`${store}-wal`, `${store}-shm`].filter(path => existsSync(path))
  for (const path of aside) renameSync(path, `${path}.${ending}`)
  syncMade(directory)
  const names = aside.map(path => `${path}.${ending}`).join(' and ')
  return `${store} ${NOT_OWN}: the write-ahead log of the earlier store is now ${names}, and its last writes are not in this store`
}

const STAMP_MAX = 2 ** 31 - 1

/**
 * Gives an open store a new stamp, and notes it in the marker with the identities of the store and of its write-ahead log. Until the stamp is in
 * the file itself, the marker has the earlier stamp too.
 */
export function stampStore(directory: string, connection: SqliteConnection): void {
  const store = storeFile(directory)
  const files = { store: identityOf(store) ?? '', log: identityOf(`${store}-wal`) ?? '' }
  takeInLog(connection)
  const earlier = stampOf(store)
  const stamp = randomInt(1, STAMP_MAX)
  writeMarker(directory, { ...files, stamps: earlier === undefined ? [stamp] : [earlier, stamp] })
  connection.exec(`PRAGMA application_id = ${stamp}`)
  if (takeInLog(connection)) writeMarker(directory, { stamps: [stamp] })
}

/** The digest of the origin key of the last start; undefined before the first one. */
export const knownOriginKey = (directory: string): string | undefined => readMarker(directory).originKey

/** Notes the digest of the origin key in the marker. Returns the digest that it had before, if there was one. */
export function noteOriginKey(directory: string, digest: string): string | undefined {
  const { originKey } = readMarker(directory)
  if (originKey !== digest) writeMarker(directory, { originKey: digest })
  return originKey
}

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

/** How long a process waits for the lock of a directory by default, in milliseconds. `isServed` locks it for less time. */
const LOCK_TIMEOUT_MS = 500

/** Another process has locked the directory. */
export class DirectoryInUse extends OperatorError {}

/**
 * Locks the directory for this process, until the lock is disposed. The lock belongs to the operating system, which releases it when the
 * process ends in any way. Throws DirectoryInUse if another process has the lock for longer than `timeout` milliseconds.
 */
export function lockDataDirectory(path: string, timeout = LOCK_TIMEOUT_MS): Disposable {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockFile(path), { timeout })
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    if (isBusy(error)) {
      throw new DirectoryInUse(
        `The data directory ${path} is in use by another palimpsest process; stop that one first or set DATA_DIR to another directory.`,
      )
    }
    throw new OperatorError(
      `The lock ${lockFile(path)} cannot be taken (${(error as Error).message}); delete that file and start again.`,
    )
  }
}

/** Whether a process has locked the directory. Takes no lock that could disturb a start at the same moment. */
export function isServed(directory: string): boolean {
  if (!existsSync(lockFile(directory))) return false
  using lock = new DatabaseSync(lockFile(directory), { readOnly: true, timeout: 0 })
  try {
    lock.prepare('PRAGMA schema_version').get()
    return false
  } catch {
    return true
  }
}

/** Interval in milliseconds at which the files of an idle store are checked. */
const LOOK_INTERVAL_MS = 1_000

/**
 * Checks that commits go to the files that the next start opens. `assertSame` is called before a commit is acknowledged, and once a second by
 * a timer. It throws StoreFault('broken') if the store, its `-wal` or `-shm`, or the lock was deleted or replaced. If only the `-wal` is
 * missing, its content is first written into the store.
 */
export function watchServedFiles(directory: string, connection: SqliteConnection) {
  const store = storeFile(directory)
  const log = `${store}-wal`
  const opened = [store, log, `${store}-shm`, lockFile(directory)].map(path => ({ path, identity: identityOf(path) }))
  const isSame = ({ path, identity }: (typeof opened)[number]): boolean =>
    identity !== undefined && identityOf(path) === identity

  const assertSame = (): void => {
    const changed = opened.filter(one => !isSame(one)).map(({ path }) => path)
    const [first] = changed
    if (first === undefined) return
    const isWhole = !changed.includes(store) && (!changed.includes(log) || takeInLog(connection))
    const remedy = isWhole
      ? 'nothing that was acknowledged is lost: start again, and change nothing in the data directory of a running service'
      : 'restore a backup, or start again if another store was put there'
    throw new StoreFault('broken', new Error(`${first} was deleted or replaced while it was served; ${remedy}.`))
  }
  assertSame()
  const timer = setInterval(assertSame, LOOK_INTERVAL_MS)
  return { assertSame, stop: () => clearInterval(timer) }
}
