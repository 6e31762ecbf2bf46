import type { Migration } from './migration.ts'

/**
 * `parted` names the tables that "palimpsest partition" divided in PostgreSQL: rows from number `first` on are in parts. `observed_hour`
 * has, for each clock hour, a lower bound of the sequences of its reads and searches. A trigger of the divided table writes it. An hour
 * without a row has no bound.
 */
export const parts: Migration = {
  number: 24,
  name: 'parts',
  breaking: false,
  shared: `
CREATE TABLE parted (
  name TEXT PRIMARY KEY,
  first INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE observed_hour (
  hour INTEGER PRIMARY KEY,
  first INTEGER NOT NULL
) STRICT;
`,
}
