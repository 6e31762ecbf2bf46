import type { Migration } from './migration.ts'

/**
 * The public log of permanent records. `log` has the number of its records, the root of their tree as base64, and the history number of the
 * store: after a restoration or a failover the log does not grow until that is settled. A row of `log_bundle` has 256 leaves: a letter for
 * the kind of each, and their commitments (32 bytes each, base64). A row of `log_tile` has up to 256 hashes of a level above 0. All of that
 * can be made again from the records. `log_epoch` names the log that records from `number` on belong to, its public keys (a line each), and
 * the secret that their salts are made from. The first epoch has number 0; any other one begins with a record of its own, which names the
 * previous log, the size up to which both agree, and the last checkpoint of the previous log. `log_checkpoint` has signed notes.
 * `activity_record` finds the feed row of a revision, `moderation_target` the acts about a target.
 */
export const log: Migration = {
  number: 16,
  name: 'log',
  breaking: false,
  shared: `
CREATE TABLE log (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  size INTEGER NOT NULL,
  root TEXT NOT NULL,
  history INTEGER NOT NULL
) STRICT;
CREATE TABLE log_bundle (
  number INTEGER PRIMARY KEY,
  kinds TEXT NOT NULL,
  commitments TEXT NOT NULL
) STRICT;
CREATE TABLE log_tile (
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hashes TEXT NOT NULL,
  PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE log_epoch (
  number INTEGER PRIMARY KEY,
  origin TEXT NOT NULL UNIQUE,
  store_id TEXT NOT NULL,
  keys TEXT NOT NULL,
  secret TEXT NOT NULL,
  size INTEGER NOT NULL,
  checkpoint TEXT
) STRICT;
CREATE TABLE log_checkpoint (
  size INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL REFERENCES log_epoch,
  note TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  kept INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX moderation_target ON moderation (target_id, number);
CREATE INDEX activity_record ON activity (revision) WHERE subject IS NULL AND hour IS NULL;
INSERT INTO log (one, size, root, history) VALUES (1, 0, '', 0);
`,
}
