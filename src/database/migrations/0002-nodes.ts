import type { Migration } from './migration.ts'

/**
 * Tables that several nodes of one PostgreSQL share, apart from the records: the identity of the database and the time of the newest
 * commit, the last group that each writer committed, and secrets (exclude them from dumps).
 */
export const nodes: Migration = {
  number: 2,
  name: 'nodes',
  breaking: false,
  postgres: `
CREATE TABLE cluster (
  one BIGINT PRIMARY KEY CHECK (one = 1),
  identity TEXT COLLATE "C" NOT NULL,
  committed_at BIGINT NOT NULL
);
CREATE TABLE writer (
  id TEXT COLLATE "C" PRIMARY KEY,
  committed TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL
);
CREATE TABLE secret (name TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL);
DO $$ BEGIN
  ALTER TABLE revision ALTER COLUMN content SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
`,
}
