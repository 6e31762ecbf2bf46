import type { Migration } from './migration.ts'

/**
 * The answers to writes with an Idempotency-Key, for as long as a retry is recognised. `id` is a digest of caller and key, `request` a
 * digest of the request; `answer` is sealed under a key that is not stored. `number` is the order of commits.
 */
export const retry: Migration = {
  number: 5,
  name: 'retry',
  breaking: false,
  shared: `
CREATE TABLE retry (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
`,
}
