import { closeSync, existsSync, openSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { isFull } from '../../engine/sqlite.ts'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { syncPath } from '../../sync-path.ts'

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
/** Files that SQLite may leave beside a database file. */
const COMPANIONS = ['-journal', '-wal', '-shm']

/** Removes a partial database. */
export function removePartial(partial: string): void {
  for (const ending of ['', ...COMPANIONS]) rmSync(partial + ending, { force: true })
}

/** Empties a partial database, which keeps its mode. */
export function emptyPartial(partial: string): void {
  for (const ending of COMPANIONS) rmSync(partial + ending, { force: true })
  truncateSync(partial)
}

/** `onFailure` runs after a failure. With `resumes`, a partial file stays after a failure or a kill, and the next run gets it. */
type WholeFileOptions = { onFailure?: () => void; resumes?: boolean }

/**
 * Creates a file completely or not at all: `work` fills `file`.partial, which is synced and then renamed. Overwrites no file. After an
 * error or a signal no file is left, unless the work resumes.
 */
export async function makeWholeFile<T>(
  file: string,
  mode: number,
  work: (partial: string) => Promise<T>,
  { onFailure = () => {}, resumes = false }: WholeFileOptions = {},
): Promise<T> {
  const partial = `${file}.partial`
  assertFree(file)
  let named = false
  const clean = (): void => {
    if (!resumes) removePartial(partial)
    // A name that may not be durable is removed too.
    if (named) rmSync(file, { force: true })
    onFailure()
  }
  const removeListeners = exitOnSignals(clean)
  try {
    // Signals are handled before a file exists.
    closeSync(openSync(partial, resumes ? 'a' : 'wx', mode))
  } catch (error) {
    removeListeners()
    throw refusal(partial, error)
  }
  try {
    const result = await work(partial)
    syncPath(partial)
    assertFree(file)
    renameSync(partial, file)
    named = true
    syncPath(dirname(file))
    return result
  } catch (error) {
    clean()
    throw faultOf(file, error)
  } finally {
    removeListeners()
  }
}

/** Ends the process on a signal, after `clean`. Returns the function that removes the listeners. */
function exitOnSignals(clean: () => void): () => void {
  const listeners = Object.entries(SIGNALS).map(([signal, code]) => {
    const listener = (): void => {
      clean()
      process.exit(code)
    }
    process.once(signal, listener)
    return { signal, listener }
  })
  return () => {
    for (const { signal, listener } of listeners) process.removeListener(signal, listener)
  }
}

function assertFree(file: string): void {
  if (existsSync(file)) throw new OperatorError(`${file} exists already and is not overwritten; name another file.`)
}

function refusal(partial: string, error: unknown): OperatorError {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
    ? new OperatorError(
        `${partial} exists: another run is writing it or was interrupted; delete it if none is running.`,
      )
    : new OperatorError(
        `${partial} cannot be written (${systemFault(error)}); name a file in a directory that this user may write.`,
      )
}

/** Codes of SQLite for a file that cannot be read, written or opened, or is corrupt: 8, 10, 11 and 14. */
const SQLITE_DISK: readonly number[] = [8, 10, 11, 14]

/** Converts errors of the disk to one sentence. Returns other errors unchanged. */
function faultOf(file: string, error: unknown): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string }
  const kind = (errcode ?? 0) & 0xff
  if (code === 'ENOSPC' || isFull(error))
    return new OperatorError(`There is no space left for ${file}; free some and run again.`)
  if (code === 'EIO' || SQLITE_DISK.includes(kind))
    return new OperatorError(`A disk failed while ${file} was created (${message}); repair it and run again.`)
  return error
}
