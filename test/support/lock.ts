import { DatabaseSync } from 'node:sqlite'

/** Locks a SQLite file as an open `sqlite3` does, so that nobody else writes it until the function that is given back is called. */
export function lockFile(path: string): () => void {
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  return () => {
    other.exec('ROLLBACK')
    other.close()
  }
}
