import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isFull } from '../database/sqlite.ts'
import { OperatorError, systemFault } from '../operator-error.ts'
import { syncPath } from '../sync-path.ts'

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
/** What SQLite may leave beside a database file. */
const COMPANIONS = ['-journal', '-wal', '-shm']

/**
 * Makes a file wholly or not at all: `work` fills `file`.partial, which is synced and then renamed. Nothing is overwritten, and on an
 * error or a signal nothing is left.
 */
export async function makeWholeFile<T>(
  file: string,
  mode: number,
  work: (partial: string) => Promise<T>,
  onFailure = () => {},
): Promise<T> {
  const partial = `${file}.partial`
  assertFree(file)
  let named = false
  const clean = (): void => {
    for (const ending of ['', ...COMPANIONS]) rmSync(partial + ending, { force: true })
    // A name that is not known to be durable is not kept either.
    if (named) rmSync(file, { force: true })
    onFailure()
  }
  const heard = Object.entries(SIGNALS).map(([signal, code]) => {
    const listener = (): void => {
      clean()
      process.exit(code)
    }
    process.once(signal, listener)
    return () => process.removeListener(signal, listener)
  })
  const stopHearing = (): void => {
    for (const stop of heard) stop()
  }
  try {
    // Signals are heard before there is anything to leave behind.
    closeSync(openSync(partial, 'wx', mode))
  } catch (error) {
    stopHearing()
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
    stopHearing()
  }
}

function assertFree(file: string): void {
  if (existsSync(file)) throw new OperatorError(`${file} exists already and is not overwritten; name another file.`)
}

function refusal(partial: string, error: unknown): OperatorError {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
    ? new OperatorError(
        `${partial} is there: another run is writing it or was broken off; delete it if none is running.`,
      )
    : new OperatorError(
        `${partial} cannot be written (${systemFault(error)}); name a file in a directory that this user may write.`,
      )
}

/** What SQLite says when a file cannot be read, written or opened, or is not what was written: 8, 10, 11 and 14. */
const SQLITE_DISK: readonly number[] = [8, 10, 11, 14]

/** What fails because of the disk is said in a sentence; anything else is what it is. */
function faultOf(file: string, error: unknown): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string }
  const kind = (errcode ?? 0) & 0xff
  if (code === 'ENOSPC' || isFull(error))
    return new OperatorError(`There is no space left for ${file}; make some and run again.`)
  if (code === 'EIO' || SQLITE_DISK.includes(kind))
    return new OperatorError(`A disk failed while ${file} was made (${message}); see to it and run again.`)
  return error
}
