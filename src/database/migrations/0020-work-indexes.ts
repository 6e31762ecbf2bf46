import type { Migration } from './migration.ts'

/** Covering indexes of the entries that wait for a check: of hundreds of entries, only a few rows are read. */
export const workIndexes: Migration = {
  number: 20,
  name: 'work indexes',
  breaking: false,
  shared: `
DROP INDEX entry_due;
DROP INDEX entry_confirmed;
CREATE INDEX entry_due ON entry (due, readers, number, confirmed_at) WHERE withdrawn = 0 AND blocked = 0;
CREATE INDEX entry_confirmed ON entry (confirmed_at, number, readers) WHERE confirmed_at IS NOT NULL AND withdrawn = 0 AND blocked = 0;
CREATE INDEX entry_disputed ON entry (contest, number, readers) WHERE contest > 0 AND withdrawn = 0 AND blocked = 0;
`,
}
