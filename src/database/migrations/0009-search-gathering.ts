import type { Migration } from './migration.ts'

/**
 * Entries are collected before they are put into the index of PostgreSQL, unless a search waits: `wanted` is the newest record for which a
 * search of any node waits. The session that updates the index sets the size of GIN's pending list.
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
