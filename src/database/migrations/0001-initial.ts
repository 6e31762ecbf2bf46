import type { Migration } from './migration.ts'

/**
 * Records (revision, evidence, relation, moderation) share one dense number, taken from `head.record` in the order of commits. It is their
 * key, the order of changes, and their place in the public log. Times are milliseconds since 1970; sets and pairs are JSON text.
 */
export const initial: Migration = {
  number: 1,
  name: 'initial',
  breaking: true,
  shared: `
CREATE TABLE head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  store_id TEXT NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0,
  record INTEGER NOT NULL DEFAULT 0,
  entries INTEGER NOT NULL DEFAULT 0,
  revisions INTEGER NOT NULL DEFAULT 0,
  verifications INTEGER NOT NULL DEFAULT 0,
  contradictions INTEGER NOT NULL DEFAULT 0,
  relations INTEGER NOT NULL DEFAULT 0,
  interactions INTEGER NOT NULL DEFAULT 0,
  observed_actors INTEGER NOT NULL DEFAULT 0,
  recurrent_actors INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE origin_salt (day TEXT PRIMARY KEY, salt TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE origin (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  day TEXT NOT NULL,
  network_key TEXT,
  anonymous_actors INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  blocked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX origin_alive ON origin (day) WHERE network_key IS NOT NULL;

CREATE TABLE origin_block (
  network_key TEXT NOT NULL,
  origin INTEGER NOT NULL REFERENCES origin,
  PRIMARY KEY (network_key, origin)
) STRICT, WITHOUT ROWID;
CREATE INDEX origin_block_origin ON origin_block (origin);

CREATE TABLE actor (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  actor_type TEXT NOT NULL,
  name TEXT,
  model TEXT,
  provider TEXT,
  data_class TEXT NOT NULL,
  token_hash TEXT UNIQUE,
  anonymous_key TEXT UNIQUE,
  origin INTEGER REFERENCES origin,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  observations INTEGER NOT NULL DEFAULT 0,
  hidden INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  blocked INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE entry (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  tags TEXT NOT NULL,
  actor INTEGER NOT NULL REFERENCES actor,
  origin INTEGER REFERENCES origin,
  data_class TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  revisions INTEGER NOT NULL DEFAULT 1,
  evidence INTEGER NOT NULL DEFAULT 0,
  relations INTEGER NOT NULL DEFAULT 0,
  hidden INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  blocked INTEGER NOT NULL DEFAULT 0,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  change INTEGER NOT NULL
) STRICT;
CREATE INDEX entry_recent ON entry (updated_at, id) WHERE withdrawn = 0;
CREATE INDEX entry_evolution ON entry (revisions, updated_at, id) WHERE withdrawn = 0;
CREATE INDEX entry_change ON entry (change, number);
CREATE INDEX entry_actor ON entry (actor);
CREATE INDEX entry_origin ON entry (origin);

CREATE TABLE revision (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  entry INTEGER NOT NULL REFERENCES entry DEFERRABLE INITIALLY DEFERRED,
  ordinal INTEGER NOT NULL,
  actor INTEGER NOT NULL REFERENCES actor,
  origin INTEGER REFERENCES origin,
  change_type TEXT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  content TEXT NOT NULL,
  rationale TEXT NOT NULL,
  sources TEXT NOT NULL,
  evidence_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (entry, ordinal)
) STRICT;

CREATE TABLE evidence (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('VERIFY', 'CONTRADICT')),
  entry INTEGER NOT NULL REFERENCES entry,
  ordinal INTEGER NOT NULL,
  revision INTEGER NOT NULL REFERENCES revision,
  actor INTEGER NOT NULL REFERENCES actor,
  origin INTEGER REFERENCES origin,
  result TEXT,
  confidence REAL,
  rationale TEXT NOT NULL,
  source_entry INTEGER REFERENCES entry,
  created_at INTEGER NOT NULL,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  UNIQUE (entry, ordinal)
) STRICT;
CREATE INDEX evidence_actor ON evidence (actor);
CREATE INDEX evidence_origin ON evidence (origin);

CREATE TABLE relation (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  source_entry INTEGER NOT NULL REFERENCES entry,
  target_entry INTEGER NOT NULL REFERENCES entry,
  relation_type TEXT NOT NULL,
  actor INTEGER NOT NULL REFERENCES actor,
  origin INTEGER REFERENCES origin,
  rationale TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  withdrawn INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX relation_actor ON relation (actor);
CREATE INDEX relation_origin ON relation (origin);

CREATE TABLE relation_end (
  entry INTEGER NOT NULL REFERENCES entry,
  ordinal INTEGER NOT NULL,
  relation INTEGER NOT NULL REFERENCES relation,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity (
  sequence INTEGER PRIMARY KEY,
  actor INTEGER NOT NULL REFERENCES actor,
  origin INTEGER REFERENCES origin,
  action TEXT NOT NULL,
  entry INTEGER REFERENCES entry,
  revision INTEGER REFERENCES revision,
  subject INTEGER,
  request_id TEXT NOT NULL,
  metadata TEXT,
  data_class TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  hour INTEGER,
  withdrawn INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX activity_feed ON activity (sequence) WHERE data_class = 'EXTERNAL' AND withdrawn = 0;
CREATE INDEX activity_timeline ON activity (entry, sequence) WHERE entry IS NOT NULL;
CREATE INDEX activity_subject ON activity (subject) WHERE subject IS NOT NULL;
CREATE UNIQUE INDEX activity_observed ON activity (hour, actor, action, coalesce(entry, 0)) WHERE hour IS NOT NULL;

CREATE TABLE topic (
  key TEXT PRIMARY KEY,
  spelling TEXT NOT NULL,
  entries INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_top ON topic (entries DESC, key) WHERE entries > 0;

CREATE TABLE cooldown (
  subject TEXT NOT NULL,
  action TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  PRIMARY KEY (subject, action)
) STRICT, WITHOUT ROWID;
CREATE INDEX cooldown_began ON cooldown (began_at);

CREATE TABLE admission (
  bin INTEGER NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (bin, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE moderation (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  previous_state TEXT NOT NULL,
  state TEXT NOT NULL,
  changed INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  actors INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
`,
}
