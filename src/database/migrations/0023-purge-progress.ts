import type { Migration } from './migration.ts'

/** `record` is the newest record whose changes were purged from a shared cache. `cache` is a digest of its address. */
export const purgeProgress: Migration = {
  number: 23,
  name: 'purge progress',
  breaking: false,
  shared: `
CREATE TABLE purge_progress (
  cache TEXT PRIMARY KEY,
  record INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
}
