import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Reader, StoreFault } from '../engine/database.ts'
import { findDue, type LedgerRow, listLedger } from '../memory/moderation/erase-rows.ts'
import type { Store } from '../memory/store.ts'
import { errorCode, OperatorError, systemFault } from '../operator-error.ts'
import { replaceFile, syncMade } from '../sync-path.ts'

/** The ledger of erasures in a directory: it is beside the backups and in the data directory. */
const ledgerFile = (directory: string): string => join(directory, 'erasures')

const HEADING =
  '# Erased records of Palimpsest: record number and id of the request that wrote it. Keep this file with the backups; "palimpsest restore" applies it.\n'
const LINE = /^([1-9]\d{0,14}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The rows of the ledger in a directory; none if there is no ledger. Throws OperatorError for a line that it cannot read. */
export function readLedger(directory: string): LedgerRow[] {
  const file = ledgerFile(directory)
  return textOf(file)
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [, record = '', requestId = ''] = LINE.exec(line) ?? []
      if (record === '')
        throw new OperatorError(
          `${file} has an invalid line; restore the file, because it names the texts that must stay erased.`,
        )
      return { record: Number(record), requestId }
    })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw new OperatorError(`${file} cannot be read (${systemFault(error)}); make it readable for this user.`)
  }
}

/** A row as the text of its line. */
const nameOf = ({ record, requestId }: LedgerRow): string => `${record} ${requestId}`

/** Adds the erasures of a store to the ledgers of directories, durably. */
export async function saveLedgers(directories: readonly string[], reader: Reader): Promise<void> {
  const erased = await listLedger(reader)
  for (const directory of directories) {
    if (erased.length === 0 || !existsSync(directory)) continue
    const rows = new Map([...readLedger(directory), ...erased].map(row => [nameOf(row), row.record]))
    const lines = [...rows].sort(([, one], [, other]) => one - other).map(([line]) => `${line}\n`)
    replaceFile(ledgerFile(directory), HEADING + lines.join(''), syncMade)
  }
}

/** Saves the ledgers after an erasure. Throws StoreFault, so that the act is repeated. */
export async function saveErased(directories: readonly string[], reader: Reader): Promise<void> {
  try {
    await saveLedgers(directories, reader)
  } catch (error) {
    throw new StoreFault(
      'unavailable',
      new Error(`the ledger of erasures was not written (${(error as Error).message})`),
    )
  }
}

/** Logged when the texts of erased records are in no answer, and their bytes still in the files. */
export const ERASED_BYTES_LEFT =
  'erased texts may remain in the files of the store; free space, end what reads the store, such as a backup, and start again or repeat the erasure'

/**
 * Erases in an open store what the ledgers of directories name and the store still has, because it was restored. Then adds the erasures of
 * the store to the ledgers. Completes an erasure that was interrupted. If only the bytes of erased records cannot be removed from the files
 * now, calls `onLeft` and leaves them to the next start or act. Returns how many records were erased.
 */
export async function applyLedgers(
  directories: readonly string[],
  store: Store,
  at: number,
  onLeft: (fault: StoreFault) => void,
): Promise<number> {
  const ledger = directories.flatMap(readLedger)
  // A mirror erases what its original names. Only the removal of the bytes can be unfinished.
  const due = store.original === undefined ? await findDue(store.reader, ledger) : []
  const named = new Set(ledger.map(nameOf))
  // The ledger is written last. Without a line there, the process ended before the bytes of the record were gone from all files.
  const isUnfinished = (await listLedger(store.reader)).some(row => !named.has(nameOf(row)))
  const environment = { at, cooldown: 0, dataClass: 'INTERNAL' } as const
  try {
    const erased = due.length > 0 || isUnfinished ? await store.maintain('applyErasures', due, environment) : 0
    await saveLedgers(directories, store.reader)
    return erased
  } catch (error) {
    const isLeft =
      error instanceof StoreFault && error.kind !== 'broken' && (await findDue(store.reader, due)).length === 0
    if (!isLeft) throw error
    onLeft(error)
    return due.length
  }
}
