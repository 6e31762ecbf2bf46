import { DatabaseSync } from 'node:sqlite'

/** Maximum time for which a write in progress may delay the lock, in milliseconds. */
const PATIENCE = 30_000

/** Locks a SQLite file like an open `sqlite3`, so that no other process can write to it. Returns the function that unlocks it. */
export function lockFile(path: string): () => void {
  const other = new DatabaseSync(path, { timeout: PATIENCE })
  other.exec('BEGIN IMMEDIATE')
  return () => {
    other.exec('ROLLBACK')
    other.close()
  }
}
