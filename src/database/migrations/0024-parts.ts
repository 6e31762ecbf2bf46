import type { Migration } from './migration.ts'

/**
 * `parted` names the tables that "palimpsest partition" divided in PostgreSQL: rows from number `first` on are in parts. `observed_hour` has
 * a sequence for each clock hour that is not above those of its reads and searches. A trigger of the divided table writes it; without a row,
 * they may have any sequence.
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
