import type { Migration } from './migration.ts'

/** Each node has a search index in a file of its own: the tables of the shared one go. The extension btree_gin may be used by others and stays. */
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
