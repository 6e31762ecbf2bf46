import { backup } from 'node:sqlite'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { type Progress, percent } from '../progress.ts'

/** Pages that are copied in one turn of the event loop. */
const PAGES_PER_STEP = 1_024

/** Copies the state that a connection reads to a new file. The connection is in a transaction, so that a writer does not restart the copy. */
export async function copyDatabase(source: SqliteConnection, target: string, progress: Progress): Promise<void> {
  await backup(source.raw, target, {
    rate: PAGES_PER_STEP,
    progress: ({ totalPages, remainingPages }) =>
      progress.update(() => `Copied ${percent(totalPages - remainingPages, totalPages)}`),
  })
}
