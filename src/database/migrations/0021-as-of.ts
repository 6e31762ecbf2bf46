import type { Migration } from './migration.ts'

/** The writes of the feed in its order, without the reads. Reads as of a sequence use it. */
export const asOf: Migration = {
  number: 21,
  name: 'as of',
  breaking: false,
  shared: `
CREATE INDEX activity_all_written ON activity (sequence) WHERE hour IS NULL;
`,
}
