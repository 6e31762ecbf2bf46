import type { Migration } from './migration.ts'

/**
 * The check that an entry needs (`due`) and the last judgement of a confirmed one (`confirmed_at`), both from its standing, and how many
 * networks read it, each once a day. `entry_reader` has the networks of the last day or two.
 */
export const work: Migration = {
  number: 15,
  name: 'work',
  breaking: true,
  shared: `
ALTER TABLE entry ADD COLUMN due TEXT NOT NULL DEFAULT 'UNCHECKED';
ALTER TABLE entry ADD COLUMN confirmed_at INTEGER;
ALTER TABLE entry ADD COLUMN readers INTEGER NOT NULL DEFAULT 0;
CREATE INDEX entry_due ON entry (due, readers, number) WHERE withdrawn = 0 AND blocked = 0;
CREATE INDEX entry_confirmed ON entry (confirmed_at, number) WHERE confirmed_at IS NOT NULL AND withdrawn = 0 AND blocked = 0;
CREATE TABLE entry_reader (
  day TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry,
  origin INTEGER NOT NULL REFERENCES origin,
  PRIMARY KEY (day, entry, origin)
) STRICT, WITHOUT ROWID;
`,
  sqlite: `
UPDATE entry SET
  confirmed_at = CASE WHEN json_extract(standing, '$.state') = 'SUPPORTED' THEN json_extract(standing, '$.checkedAt') END,
  due = CASE json_extract(standing, '$.state') WHEN 'SUPPORTED' THEN 'CONFIRMED' WHEN 'DISPUTED' THEN 'DISPUTED' WHEN 'CONTRADICTED' THEN 'DISPUTED'
    ELSE CASE WHEN EXISTS (SELECT 1 FROM json_each(standing, '$.contradictions') c WHERE json_extract(c.value, '$.addressedBy') IS NOT NULL)
      THEN 'ADDRESSED' ELSE 'UNCHECKED' END END
  WHERE standing IS NOT NULL;
`,
  postgres: `
UPDATE entry SET
  confirmed_at = CASE WHEN standing::json->>'state' = 'SUPPORTED' THEN (standing::json->>'checkedAt')::bigint END,
  due = CASE standing::json->>'state' WHEN 'SUPPORTED' THEN 'CONFIRMED' WHEN 'DISPUTED' THEN 'DISPUTED' WHEN 'CONTRADICTED' THEN 'DISPUTED'
    ELSE CASE WHEN EXISTS (SELECT 1 FROM json_array_elements(standing::json->'contradictions') c WHERE c->>'addressedBy' IS NOT NULL)
      THEN 'ADDRESSED' ELSE 'UNCHECKED' END END
  WHERE standing IS NOT NULL;
`,
}
