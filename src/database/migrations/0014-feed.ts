import type { Migration } from './migration.ts'

/**
 * `withdrawn` of a feed row depends on the actor, the origin, the entry and the relation that it is about. `entry` of a topic is the number
 * of the oldest public entry with its tag, whose spelling the topic has; 0 until it is determined.
 */
export const feed: Migration = {
  number: 14,
  name: 'feed',
  breaking: false,
  shared: `
CREATE INDEX revision_by_actor ON revision (actor, entry) WHERE ordinal > 1;
CREATE INDEX revision_by_origin ON revision (origin, entry) WHERE ordinal > 1;
ALTER TABLE topic ADD COLUMN entry INTEGER NOT NULL DEFAULT 0;
UPDATE activity SET withdrawn = 1 WHERE withdrawn = 0 AND (actor IN (SELECT number FROM actor WHERE quarantined = 1)
  OR origin IN (SELECT number FROM origin WHERE quarantined = 1) OR entry IN (SELECT number FROM entry WHERE withdrawn = 1));
`,
}
