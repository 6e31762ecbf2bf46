import type { Migration } from './migration.ts'

/**
 * When moderation last changed a segment of the export, for mirrors. `mirror` is one row in a mirror: the server and the id of its store,
 * the next sequence, and the last act of moderation that it has followed.
 */
export const exports: Migration = {
  number: 7,
  name: 'export',
  breaking: false,
  shared: `
CREATE TABLE export_change (
  segment INTEGER PRIMARY KEY,
  record INTEGER NOT NULL
) STRICT;
CREATE INDEX export_change_record ON export_change (record, segment);
CREATE TABLE mirror (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  url TEXT NOT NULL,
  store_id TEXT NOT NULL,
  next INTEGER NOT NULL,
  change INTEGER NOT NULL
) STRICT;
`,
}
