import type { Migration } from './migration.ts'

/**
 * The standing of the current text of an entry, stored on the entry as JSON. It can be rebuilt from the records at any time. `judgement`
 * has the latest public judgement of each actor about each text. `judged_text` has the distinct judged texts: `text` is the number of the
 * first judged revision with these words, `kept` the share of it that the text with the digest `against` retains, and `addressed` the
 * CORRECT revision that changed it, found among `steps` revisions up to the ordinal `walked`. `source_revision` and `target_revision` were
 * current when a relation was made. `origin_group` numbers, within an entry, the origins of a day that judged it, and `origins` counts
 * them: no address can be derived from it. `changed` is 0 for a revision that changes nothing, and `changes` counts the others. If the
 * latest revision changes nothing, `text_revision` is the latest one that did. A copy reads everything again, because only the original
 * knows the groups of origins.
 */
export const standing: Migration = {
  number: 11,
  name: 'standing',
  breaking: true,
  shared: `
ALTER TABLE entry ADD COLUMN changes INTEGER NOT NULL DEFAULT 1;
ALTER TABLE entry ADD COLUMN text_revision INTEGER;
ALTER TABLE entry ADD COLUMN origins INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN standing TEXT;
ALTER TABLE entry ADD COLUMN contest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE revision ADD COLUMN changed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE evidence ADD COLUMN origin_group INTEGER NOT NULL DEFAULT 0;
ALTER TABLE relation ADD COLUMN origin_group INTEGER NOT NULL DEFAULT 0;
ALTER TABLE relation ADD COLUMN source_revision INTEGER REFERENCES revision;
ALTER TABLE relation ADD COLUMN target_revision INTEGER REFERENCES revision;
DROP INDEX entry_evolution;
CREATE INDEX entry_evolution ON entry (changes, updated_at, id) WHERE withdrawn = 0;
CREATE INDEX entry_contest ON entry (contest, number) WHERE contest > 0 AND withdrawn = 0;
DROP INDEX evidence_actor;
DROP INDEX evidence_origin;
DROP INDEX relation_actor;
DROP INDEX relation_origin;
CREATE INDEX evidence_actor ON evidence (actor, entry);
CREATE INDEX evidence_origin ON evidence (origin, entry);
CREATE INDEX relation_actor ON relation (actor, target_entry);
CREATE INDEX relation_origin ON relation (origin, target_entry);
CREATE TABLE judged_text (
  entry INTEGER NOT NULL REFERENCES entry,
  text INTEGER NOT NULL REFERENCES revision,
  digest TEXT NOT NULL,
  kept REAL,
  against TEXT,
  walked INTEGER NOT NULL,
  steps INTEGER NOT NULL DEFAULT 0,
  addressed INTEGER REFERENCES revision,
  PRIMARY KEY (entry, text)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX judged_text_digest ON judged_text (entry, digest);
CREATE TABLE judgement (
  entry INTEGER NOT NULL REFERENCES entry,
  actor INTEGER NOT NULL REFERENCES actor,
  text INTEGER NOT NULL REFERENCES revision,
  record INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  own INTEGER NOT NULL,
  origin_group INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (entry, actor, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX judgement_voice ON judgement (entry, origin_group, verdict);
CREATE TABLE standing_progress (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  entry INTEGER
) STRICT;
UPDATE mirror SET next = 1;
`,
}
