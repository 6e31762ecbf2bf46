import type { Migration } from './migration.ts'

/**
 * How many milliseconds the service has run, by a monotonic clock, and when that was counted last. Stored answers for retries expire by it:
 * `retry.served` is its value when the answer was stored.
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
