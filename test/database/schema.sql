CREATE TABLE activity (
  sequence INTEGER PRIMARY KEY,
  actor INTEGER NOT NULL REFERENCES actor,
  origin INTEGER REFERENCES origin,
  action TEXT NOT NULL,
  entry INTEGER REFERENCES entry,
  revision INTEGER REFERENCES revision,
  subject INTEGER,
  target INTEGER REFERENCES entry,
  request_id TEXT NOT NULL,
  metadata TEXT,
  data_class TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  hour INTEGER,
  withdrawn INTEGER NOT NULL DEFAULT 0
) STRICT;

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

CREATE TABLE admission (
  bin INTEGER NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (bin, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE affected (
  actor INTEGER NOT NULL REFERENCES actor,
  act INTEGER NOT NULL,
  PRIMARY KEY (actor, act)
) STRICT, WITHOUT ROWID;

CREATE TABLE appeal (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  act INTEGER NOT NULL,
  actor INTEGER NOT NULL REFERENCES actor,
  rationale TEXT NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  answer INTEGER,
  UNIQUE (act, actor)
) STRICT;

CREATE TABLE asked_topic (
  day TEXT NOT NULL,
  digest TEXT NOT NULL,
  number INTEGER NOT NULL,
  voices TEXT NOT NULL,
  networks INTEGER NOT NULL,
  term TEXT,
  PRIMARY KEY (day, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE cooldown (
  subject TEXT NOT NULL,
  action TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  PRIMARY KEY (subject, action)
) STRICT, WITHOUT ROWID;

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
  changes INTEGER NOT NULL DEFAULT 1,
  text_revision INTEGER,
  evidence INTEGER NOT NULL DEFAULT 0,
  relations INTEGER NOT NULL DEFAULT 0,
  hidden INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  blocked INTEGER NOT NULL DEFAULT 0,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  change INTEGER NOT NULL,
  moderated INTEGER,
  evidence_moderated INTEGER,
  origins INTEGER NOT NULL DEFAULT 0,
  standing TEXT,
  changed_by INTEGER,
  contest INTEGER NOT NULL DEFAULT 0,
  due TEXT NOT NULL DEFAULT 'UNCHECKED',
  confirmed_at INTEGER,
  readers INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE entry_reader (
  day TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry,
  origin INTEGER NOT NULL REFERENCES origin,
  PRIMARY KEY (day, entry, origin)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_voice (
  entry INTEGER NOT NULL REFERENCES entry,
  voice TEXT NOT NULL,
  origin_group INTEGER NOT NULL,
  PRIMARY KEY (entry, voice)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasure (
  record INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  commitment TEXT NOT NULL,
  act INTEGER NOT NULL
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
  origin_group INTEGER NOT NULL DEFAULT 0,
  own INTEGER NOT NULL DEFAULT 0,
  quote TEXT,
  observed_on TEXT,
  UNIQUE (entry, ordinal)
) STRICT;

CREATE TABLE export_change (
  segment INTEGER PRIMARY KEY,
  record INTEGER NOT NULL
) STRICT;

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
  recurrent_actors INTEGER NOT NULL DEFAULT 0,
  served INTEGER NOT NULL DEFAULT 0,
  served_at INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE log (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  size INTEGER NOT NULL,
  root TEXT NOT NULL,
  history INTEGER NOT NULL
) STRICT;

CREATE TABLE log_bundle (
  number INTEGER PRIMARY KEY,
  kinds TEXT NOT NULL,
  commitments TEXT NOT NULL
) STRICT;

CREATE TABLE log_checkpoint (
  size INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL REFERENCES log_epoch,
  note TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  permanent INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE log_epoch (
  number INTEGER PRIMARY KEY,
  origin TEXT NOT NULL UNIQUE,
  store_id TEXT NOT NULL,
  keys TEXT NOT NULL,
  size INTEGER NOT NULL,
  checkpoint TEXT
) STRICT;

CREATE TABLE log_tile (
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hashes TEXT NOT NULL,
  PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);

CREATE TABLE mirror (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  url TEXT NOT NULL,
  store_id TEXT NOT NULL,
  next INTEGER NOT NULL,
  change INTEGER NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE mirror_log (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key TEXT NOT NULL,
  note TEXT,
  record INTEGER NOT NULL DEFAULT 0,
  ahead TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE TABLE moderation (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  action TEXT NOT NULL,
  ground TEXT NOT NULL,
  reason TEXT NOT NULL,
  previous_state TEXT NOT NULL,
  state TEXT NOT NULL,
  changed INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  actors INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE moderation_count (
  year INTEGER NOT NULL,
  event TEXT NOT NULL,
  ground TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (year, event, ground)
) STRICT, WITHOUT ROWID;

CREATE TABLE origin (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  day TEXT NOT NULL,
  network_key TEXT,
  anonymous_actors INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  blocked INTEGER NOT NULL DEFAULT 0,
  asked INTEGER NOT NULL DEFAULT 0,
  voice TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE origin_block (
  network_key TEXT NOT NULL,
  origin INTEGER NOT NULL REFERENCES origin,
  PRIMARY KEY (network_key, origin)
) STRICT, WITHOUT ROWID;

CREATE TABLE origin_salt (day TEXT PRIMARY KEY, salt TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE purge_progress (
  cache TEXT PRIMARY KEY,
  record INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
  withdrawn INTEGER NOT NULL DEFAULT 0,
  origin_group INTEGER NOT NULL DEFAULT 0,
  own INTEGER NOT NULL DEFAULT 0,
  source_revision INTEGER REFERENCES revision,
  target_revision INTEGER REFERENCES revision
) STRICT;

CREATE TABLE relation_end (
  entry INTEGER NOT NULL REFERENCES entry,
  ordinal INTEGER NOT NULL,
  relation INTEGER NOT NULL REFERENCES relation,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE report (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry,
  secret_hash TEXT NOT NULL,
  reason TEXT NOT NULL,
  details TEXT,
  actor INTEGER REFERENCES actor,
  origin INTEGER REFERENCES origin,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  resolution TEXT,
  note TEXT,
  resolved_at INTEGER
) STRICT;

CREATE TABLE retry (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  served INTEGER NOT NULL DEFAULT 0
) STRICT;

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
  changed INTEGER NOT NULL DEFAULT 1,
  signals INTEGER NOT NULL DEFAULT 0,
  UNIQUE (entry, ordinal)
) STRICT;

CREATE TABLE salt (
  record INTEGER PRIMARY KEY,
  salt TEXT NOT NULL
) STRICT;

CREATE TABLE topic (
  key TEXT PRIMARY KEY,
  spelling TEXT NOT NULL,
  entries INTEGER NOT NULL,
  entry INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX activity_actor ON activity (actor, sequence) WHERE hour IS NULL AND withdrawn = 0;

CREATE INDEX activity_all_written ON activity (sequence) WHERE hour IS NULL;

CREATE UNIQUE INDEX activity_observed ON activity (hour, actor, action, coalesce(entry, 0)) WHERE hour IS NOT NULL;

CREATE INDEX activity_read ON activity (sequence) WHERE data_class = 'EXTERNAL' AND withdrawn = 0 AND action IN ('READ', 'SEARCH');

CREATE INDEX activity_record ON activity (revision) WHERE subject IS NULL AND hour IS NULL;

CREATE INDEX activity_subject ON activity (subject) WHERE subject IS NOT NULL;

CREATE INDEX activity_target ON activity (target, sequence) WHERE target IS NOT NULL;

CREATE INDEX activity_timeline ON activity (entry, (CASE action WHEN 'READ' THEN 1 ELSE 0 END), sequence) WHERE entry IS NOT NULL;

CREATE INDEX activity_written ON activity (sequence) WHERE data_class = 'EXTERNAL' AND withdrawn = 0 AND action NOT IN ('READ', 'SEARCH');

CREATE INDEX appeal_open ON appeal (number) WHERE answer IS NULL;

CREATE UNIQUE INDEX asked_topic_day ON asked_topic (day, number);

CREATE INDEX asked_topic_public ON asked_topic (networks, day, number) WHERE term IS NOT NULL;

CREATE INDEX asked_topic_secret ON asked_topic (day, number) WHERE term IS NULL;

CREATE INDEX cooldown_began ON cooldown (began_at);

CREATE INDEX entry_actor ON entry (actor);

CREATE INDEX entry_change ON entry (change, number);

CREATE INDEX entry_confirmed ON entry (confirmed_at, number, readers) WHERE confirmed_at IS NOT NULL AND withdrawn = 0 AND blocked = 0;

CREATE INDEX entry_contest ON entry (contest, number) WHERE contest > 0 AND withdrawn = 0;

CREATE INDEX entry_disputed ON entry (contest, number, readers) WHERE contest > 0 AND withdrawn = 0 AND blocked = 0;

CREATE INDEX entry_due ON entry (due, readers, number, confirmed_at) WHERE withdrawn = 0 AND blocked = 0;

CREATE INDEX entry_evolution ON entry (changes, updated_at, id) WHERE withdrawn = 0;

CREATE INDEX entry_moderated ON entry (moderated) WHERE moderated IS NOT NULL;

CREATE INDEX entry_origin ON entry (origin);

CREATE INDEX entry_recent ON entry (updated_at, id) WHERE withdrawn = 0;

CREATE INDEX erasure_act ON erasure (act, kind);

CREATE INDEX erasure_kind ON erasure (kind);

CREATE INDEX evidence_actor ON evidence (actor, entry);

CREATE INDEX evidence_id ON evidence (id);

CREATE INDEX evidence_origin ON evidence (origin, entry);

CREATE INDEX evidence_revision ON evidence (revision, result) WHERE withdrawn = 0;

CREATE INDEX evidence_voice ON evidence (entry, origin_group, number) WHERE withdrawn = 0;

CREATE INDEX export_change_record ON export_change (record, segment);

CREATE INDEX moderation_target ON moderation (target_id, number);

CREATE INDEX origin_alive ON origin (day) WHERE network_key IS NOT NULL;

CREATE INDEX origin_block_origin ON origin_block (origin);

CREATE INDEX relation_actor ON relation (actor, target_entry);

CREATE INDEX relation_objection ON relation (target_entry, origin_group, number)
  WHERE relation_type = 'CONTRADICTS' AND withdrawn = 0 AND target_revision IS NOT NULL;

CREATE INDEX relation_origin ON relation (origin, target_entry);

CREATE INDEX report_entry ON report (entry);

CREATE INDEX report_open ON report (number) WHERE resolved_at IS NULL;

CREATE INDEX report_target ON report (target_id, origin) WHERE resolved_at IS NULL;

CREATE INDEX revision_by_actor ON revision (actor, entry) WHERE ordinal > 1;

CREATE INDEX revision_by_origin ON revision (origin, entry) WHERE ordinal > 1;

CREATE INDEX revision_correction ON revision (entry, number, actor) WHERE change_type = 'CORRECT' AND changed = 1;

CREATE INDEX topic_top ON topic (entries DESC, key) WHERE entries > 0;
