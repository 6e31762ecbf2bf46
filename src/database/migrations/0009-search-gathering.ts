import type { Migration } from './migration.ts'

/**
 * Entries are gathered before they are put into the index of PostgreSQL, unless a search waits: `wanted` is the newest record
 * that one waits for, of whatever node. How much GIN only lists before it sorts it in is said by the session that follows.
 */
export const searchGathering: Migration = {
  number: 9,
  name: 'search gathering',
  breaking: false,
  postgres: `
ALTER TABLE search_progress ADD COLUMN wanted BIGINT NOT NULL DEFAULT 0;
ALTER INDEX search_document_words RESET (gin_pending_list_limit);
`,
}
