import { statSync } from 'node:fs'
import { StoreFault } from '../database/database.ts'
import { type SqliteConnection, takeInLog } from '../database/sqlite.ts'
import { lockFile, storeFile } from './files.ts'

/** Interval in milliseconds at which the files of an idle store are checked. */
const LOOK_INTERVAL_MS = 1_000

/** Device and inode of a file; undefined if it does not exist. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

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
