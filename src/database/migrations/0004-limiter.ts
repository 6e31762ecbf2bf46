import type { Migration } from './migration.ts'

/** The admissions of all nodes within the last minute: for each limiter key, bins of time alternating with counts, oldest first. */
export const limiter: Migration = {
  number: 4,
  name: 'limiter',
  breaking: false,
  postgres: `
CREATE TABLE limiter (
  key TEXT COLLATE "C" PRIMARY KEY,
  log BIGINT[] NOT NULL,
  at BIGINT NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
`,
}
