import type { Migration } from './migration.ts'

/**
 * Rebuilds the full-text index of PostgreSQL. A key is a word, prefixed with the number of its segment of 8,192 revision numbers. Lists of
 * matches stay short and new rows are adjacent, because GIN rewrites a list when it grows. Matches are sorted by `id`, which must be stored
 * in its row. The documents are rebuilt from the entries. `slice` is dropped, and the extension that indexed it may be dropped.
 */
export const searchSegments: Migration = {
  number: 8,
  name: 'search segments',
  breaking: true,
  postgres: `
DROP INDEX search_document_words;
DROP FUNCTION search_words(search_document);
TRUNCATE search_document;
ALTER TABLE search_document DROP COLUMN slice;
ALTER TABLE search_document ALTER COLUMN id SET STORAGE PLAIN;
CREATE FUNCTION search_words(search_document) RETURNS TSVECTOR LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(array_remove(string_to_array(($1.number / 8192)::text || '/' || replace(
    $1.title || ' ' || $1.summary || ' ' || $1.tags || ' ' || $1.content || ' ' || $1.tag_words,
    ' ', ' ' || ($1.number / 8192)::text || '/'), ' '), ($1.number / 8192)::text || '/'))
$$;
CREATE INDEX search_document_words ON search_document USING GIN (search_words(search_document)) WITH (fastupdate = on, gin_pending_list_limit = 1024);
UPDATE search_progress SET version = 0;
`,
}
