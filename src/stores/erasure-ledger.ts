import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Reader, StoreFault } from '../engine/database.ts'
import { findDue, type LedgerRow, listLedger } from '../memory/moderation/erase-rows.ts'
import type { Store } from '../memory/store.ts'
import { errorCode, OperatorError, systemFault } from '../operator-error.ts'
import { replaceFile, syncMade } from '../sync-path.ts'

/** The ledger of erasures in a directory: it is beside the backups and in the data directory. */
export const ledgerFile = (directory: string): string => join(directory, 'erasures')

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
          `${file} has a line that is no erasure; restore the file, because it names the texts that must stay erased.`,
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

/** Adds the erasures of a store to the ledgers of directories, durably. */
export async function saveLedgers(directories: readonly string[], reader: Reader): Promise<void> {
  const erased = await listLedger(reader)
  for (const directory of directories) {
    if (erased.length === 0 || !existsSync(directory)) continue
    const rows = new Map(
      [...readLedger(directory), ...erased].map(row => [`${row.record} ${row.requestId}`, row.record]),
    )
    const lines = [...rows].sort(([, one], [, other]) => one - other).map(([line]) => `${line}\n`)
    replaceFile(ledgerFile(directory), HEADING + lines.join(''), syncMade)
  }
}

/** The same after an act. Throws StoreFault, so that the act is repeated. */
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

/**
 * Erases in an open store what the ledgers of directories name and the store still has, because it was restored. Then adds the erasures of
 * the store to the ledgers. Completes an erasure that a crash interrupted. Returns how many records were erased.
 */
export async function applyLedgers(directories: readonly string[], store: Store, at: number): Promise<number> {
  if (store.original !== undefined) return 0
  const ledger = directories.flatMap(readLedger)
  const due = await findDue(store.reader, ledger)
  const named = new Set(ledger.map(({ record }) => record))
  // The ledger is written last. Without a line there, the process ended before the bytes of the record were gone from all files.
  const isUnfinished = (await listLedger(store.reader)).some(({ record }) => !named.has(record))
  const environment = { at, cooldown: 0, dataClass: 'INTERNAL' } as const
  const erased = due.length > 0 || isUnfinished ? await store.maintain('applyErasures', due, environment) : 0
  await saveLedgers(directories, store.reader)
  return erased
}
