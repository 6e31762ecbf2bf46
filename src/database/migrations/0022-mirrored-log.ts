import type { Migration } from './migration.ts'

/**
 * The public log of the original in a mirror that verifies it, with the tables of the log itself. `key` is the trusted verifier key, and
 * `note` the newest checkpoint that it signed. Every record up to `record`, and every record in `ahead` (a JSON array), has a line of the
 * export or is an act. `mirror_salt` has the salts of the records that the mirror shows, because it has no secret to compute them from.
 */
export const mirroredLog: Migration = {
  number: 22,
  name: 'mirrored log',
  breaking: false,
  shared: `
CREATE TABLE mirror_log (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key TEXT NOT NULL,
  note TEXT,
  record INTEGER NOT NULL DEFAULT 0,
  ahead TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE TABLE mirror_salt (
  record INTEGER PRIMARY KEY,
  salt TEXT NOT NULL
) STRICT;
`,
}
