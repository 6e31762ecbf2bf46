import type { Migration } from './migration.ts'

/** What all nodes admitted within the last minute: of each limiter key the bins of time and their counts in turn, oldest first. */
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
