import type { Migration } from './migration.ts'

/**
 * `signals` are the bits of what is noticed in the text of a revision. `signals_progress` says by which version of the patterns they were
 * computed, and up to which revision: null where all were. An older program would insert revisions without them.
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
