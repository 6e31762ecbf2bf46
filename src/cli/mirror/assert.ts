import type { Reader } from '../../database/database.ts'
import { OperatorError } from '../../operator-error.ts'
import { findMirror } from '../../store/mirror.ts'

/** Throws OperatorError if a store is a copy of another server. `instead` is the remedy. */
export async function assertNoMirror(store: Reader, instead: string): Promise<void> {
  const mirror = await findMirror(store)
  if (mirror === undefined) return
  throw new OperatorError(`The directory is a read-only mirror of ${mirror.url}; ${instead}.`)
}
