import { StoreFault } from './database.ts'
import { ddlFor } from './ddl.ts'
import { initial } from './migrations/0001-initial.ts'
import { nodes } from './migrations/0002-nodes.ts'
import { search } from './migrations/0003-search.ts'
import { limiter } from './migrations/0004-limiter.ts'
import { retry } from './migrations/0005-retry.ts'
import { reports } from './migrations/0006-reports.ts'
import { exports } from './migrations/0007-export.ts'
import { searchSegments } from './migrations/0008-search-segments.ts'
import { searchGathering } from './migrations/0009-search-gathering.ts'
import { served } from './migrations/0010-served.ts'
import { standing } from './migrations/0011-standing.ts'
import { nodeSearch } from './migrations/0012-node-search.ts'
import { contributions } from './migrations/0013-contributions.ts'
import { feed } from './migrations/0014-feed.ts'
import { work } from './migrations/0015-work.ts'
import { log } from './migrations/0016-log.ts'
import { asked } from './migrations/0017-asked.ts'
import { signals } from './migrations/0018-signals.ts'
import { changes } from './migrations/0019-changes.ts'
import { workIndexes } from './migrations/0020-work-indexes.ts'
import { asOf } from './migrations/0021-as-of.ts'
import { mirroredLog } from './migrations/0022-mirrored-log.ts'
import { purgeProgress } from './migrations/0023-purge-progress.ts'
import { parts } from './migrations/0024-parts.ts'
import { moderatedEvidence } from './migrations/0025-moderated-evidence.ts'
import type { Migration } from './migrations/migration.ts'
import { sql } from './sql.ts'
import { beginWriting, type SqliteConnection } from './sqlite.ts'

export const MIGRATIONS: readonly Migration[] = [
  initial,
  nodes,
  search,
  limiter,
  retry,
  reports,
  exports,
  searchSegments,
  searchGathering,
  served,
  standing,
  nodeSearch,
  contributions,
  feed,
  work,
  log,
  asked,
  signals,
  changes,
  workIndexes,
  asOf,
  mirroredLog,
  purgeProgress,
  parts,
  moderatedEvidence,
]

/** The number of the newest step. */
export const NEWEST_MIGRATION = Math.max(...MIGRATIONS.map(({ number }) => number))

type Applied = { number: number; name: string; breaking: number }

/** The steps that the store has; none if it is empty. */
export function appliedMigrations(connection: SqliteConnection): Applied[] {
  const known = connection.one(sql`SELECT name FROM sqlite_schema WHERE name = 'migration'`)
  return known === undefined
    ? []
    : connection.all<Applied>(sql`SELECT number, name, breaking FROM migration ORDER BY number`)
}

/**
 * Applies all missing steps, each in a transaction of its own. Returns the names of the applied steps. Safe when several processes start at
 * once: the write lock admits one at a time, and a process waits while others apply steps. Throws StoreFault('unavailable') if another
 * process keeps the store locked and applies no step, and StoreFault('broken') if a newer version migrated the store in a way that this
 * version cannot read.
 */
export function migrate(connection: SqliteConnection, at: number, migrations = MIGRATIONS): string[] {
  const taken: string[] = []
  for (const step of migrations) {
    beginStep(connection)
    try {
      const applied = appliedMigrations(connection)
      assertKnown(applied, migrations)
      if (!applied.some(({ number }) => number === step.number)) {
        if (applied.length === 0) {
          connection.exec(
            'CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at INTEGER NOT NULL) STRICT',
          )
        }
        connection.exec(ddlFor(step, 'sqlite'))
        connection.run(
          sql`INSERT INTO migration (number, name, breaking, applied_at) VALUES (${step.number}, ${step.name}, ${step.breaking ? 1 : 0}, ${at})`,
        )
        taken.push(step.name)
      }
      connection.exec('COMMIT')
    } catch (error) {
      if (connection.raw.isTransaction) connection.exec('ROLLBACK')
      throw error
    }
  }
  return taken
}

/** Begins a transaction that writes. Waits as long as other processes apply steps. */
function beginStep(connection: SqliteConnection): void {
  for (let known = -1; ; ) {
    try {
      beginWriting(connection)
      return
    } catch (error) {
      const applied = appliedMigrations(connection).length
      if (!(error instanceof StoreFault && error.kind === 'unavailable') || applied <= known) throw error
      known = applied
    }
  }
}

/** Throws StoreFault('broken') when a breaking step was applied that `migrations` does not know. */
export function assertKnown(applied: readonly Applied[], migrations: readonly Migration[] = MIGRATIONS): void {
  const strange = applied.find(
    ({ number, breaking }) => breaking === 1 && !migrations.some(step => step.number === number),
  )
  if (strange !== undefined) {
    throw new StoreFault(
      'broken',
      new Error(
        `its schema has step ${strange.number} (${strange.name}), which this version does not know; run the newer version that made it`,
      ),
    )
  }
}
