import type { Migration } from './migration.ts'

/** Reports of abuse: for administrators only, and no part of the permanent records. */
export const reports: Migration = {
  number: 6,
  name: 'reports',
  breaking: false,
  shared: `
CREATE TABLE report (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry,
  reason TEXT NOT NULL,
  details TEXT,
  actor INTEGER REFERENCES actor,
  origin INTEGER REFERENCES origin,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  resolution TEXT,
  note TEXT,
  resolved_at INTEGER
) STRICT;
CREATE INDEX report_open ON report (number) WHERE resolved_at IS NULL;
CREATE INDEX report_target ON report (target_id, origin) WHERE resolved_at IS NULL;
CREATE INDEX evidence_id ON evidence (id);
`,
}
