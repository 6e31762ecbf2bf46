import type { Migration } from './migration.ts'

/**
 * Drops the tables of the shared search index: each node has an index in a file of its own. The extension btree_gin stays, because others
 * may use it.
 */
export const nodeSearch: Migration = {
  number: 12,
  name: 'node search',
  breaking: true,
  postgres: `
DROP INDEX search_document_words;
DROP FUNCTION search_words(search_document);
DROP TABLE search_document;
DROP TABLE search_word;
DROP TABLE search_progress;
`,
}
