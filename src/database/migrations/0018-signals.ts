import type { Migration } from './migration.ts'

/**
 * `signals` are the signals of a revision, as bits. `signals_progress` has the version of the patterns that computed them, and the last
 * computed revision: null if all are computed. An older program would insert revisions without them.
 */
export const signals: Migration = {
  number: 18,
  name: 'signals',
  breaking: true,
  shared: `
ALTER TABLE revision ADD COLUMN signals INTEGER NOT NULL DEFAULT 0;
CREATE TABLE signals_progress (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  revision INTEGER
) STRICT;
`,
}
