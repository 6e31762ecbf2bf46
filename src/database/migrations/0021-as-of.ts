import type { Migration } from './migration.ts'

/** What was written, in the order of the feed, without what was only read: the state as of a sequence is found by it. */
export const asOf: Migration = {
  number: 21,
  name: 'as of',
  breaking: false,
  shared: `
CREATE INDEX activity_all_written ON activity (sequence) WHERE hour IS NULL;
`,
}
