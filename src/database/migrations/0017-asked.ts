import type { Migration } from './migration.ts'

/**
 * The topics of searches without an answer, by day. `digest` is of the topic and `voices` are of the callers, both under a key that is
 * deleted after the day. `term` is null until enough networks searched for it on its day. `asked` is the number of topics for which a
 * network is counted.
 */
export const asked: Migration = {
  number: 17,
  name: 'asked',
  breaking: false,
  shared: `
ALTER TABLE origin ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
CREATE TABLE asked_topic (
  day TEXT NOT NULL,
  digest TEXT NOT NULL,
  number INTEGER NOT NULL,
  voices TEXT NOT NULL,
  networks INTEGER NOT NULL,
  term TEXT,
  PRIMARY KEY (day, digest)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX asked_topic_day ON asked_topic (day, number);
CREATE INDEX asked_topic_secret ON asked_topic (day, number) WHERE term IS NULL;
CREATE INDEX asked_topic_public ON asked_topic (networks, day, number) WHERE term IS NOT NULL;
`,
}
