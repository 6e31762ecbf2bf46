import type { Migration } from './migration.ts'

/**
 * How many milliseconds the service has run, counted by a clock that nobody sets, and when that was counted last. The answers kept for retries
 * expire by it: `retry.served` is what it was when the answer was kept.
 */
export const served: Migration = {
  number: 10,
  name: 'served',
  breaking: false,
  shared: `
ALTER TABLE head ADD COLUMN served INTEGER NOT NULL DEFAULT 0;
ALTER TABLE head ADD COLUMN served_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE retry ADD COLUMN served INTEGER NOT NULL DEFAULT 0;
`,
}
