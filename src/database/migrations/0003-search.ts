import type { Migration } from './migration.ts'

/**
 * The full-text index of PostgreSQL, derived from entries and revisions: a row for each public entry, keyed by the number of its latest
 * revision. `search_progress` has the record up to which it is complete, and the change and entry after which it continues. `slice` groups
 * rows by age: a search begins with the newest. `search_word` has every word once: a prefix is searched as the words that begin with it.
 * Contents are stored outside of their rows: most searches do not need them, and a page then has five times as many rows.
 */
export const search: Migration = {
  number: 3,
  name: 'search',
  breaking: false,
  postgres: `
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE TABLE search_progress (
  one BIGINT PRIMARY KEY CHECK (one = 1),
  version BIGINT NOT NULL,
  record BIGINT NOT NULL,
  change BIGINT NOT NULL,
  entry BIGINT NOT NULL
);
INSERT INTO search_progress (one, version, record, change, entry) VALUES (1, 0, 0, 0, 0);
CREATE TABLE search_document (
  number BIGINT PRIMARY KEY,
  entry BIGINT NOT NULL UNIQUE,
  id TEXT COLLATE "C" NOT NULL,
  updated_at BIGINT NOT NULL,
  revisions BIGINT NOT NULL,
  slice BIGINT NOT NULL,
  title TEXT COLLATE "C" NOT NULL,
  summary TEXT COLLATE "C" NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  content TEXT COLLATE "C" NOT NULL,
  content_length BIGINT NOT NULL,
  tag_words TEXT COLLATE "C" NOT NULL
);
ALTER TABLE search_document SET (toast_tuple_target = 256);
ALTER TABLE search_document
  ALTER COLUMN title SET STORAGE MAIN, ALTER COLUMN summary SET STORAGE MAIN, ALTER COLUMN tags SET STORAGE MAIN,
  ALTER COLUMN tag_words SET STORAGE MAIN, ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE search_word (word TEXT COLLATE "C" PRIMARY KEY);
CREATE FUNCTION search_words(search_document) RETURNS TSVECTOR LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(array_remove(string_to_array(
    $1.title || ' ' || $1.summary || ' ' || $1.tags || ' ' || $1.content || ' ' || $1.tag_words, ' '), ''))
$$;
CREATE INDEX search_document_words ON search_document USING GIN (slice, search_words(search_document)) WITH (fastupdate = on, gin_pending_list_limit = 1024);
`,
}
