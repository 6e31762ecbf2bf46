import type { Migration } from './migration.ts'

/**
 * Entries are gathered before they are put into the index of PostgreSQL, unless a search waits: `wanted` is the newest record that a search
 * of any node waits for. The session that follows sets the size of the pending list of GIN.
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
