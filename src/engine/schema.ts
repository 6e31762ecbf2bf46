/**
 * The schema of both engines. One dialect: `ddl.ts` translates it to PostgreSQL. Times are milliseconds since 1970; sets and pairs are JSON
 * text.
 *
 * Records (revision, evidence, relation, moderation) share one dense number, taken from `head.record` in the order of commits. It is their
 * key, the order of changes, and their place in the public log.
 */

/** A step of the schema: statements for both engines, then statements of one engine alone, all in the dialect. */
export type Migration = { number: number; name: string; shared?: string; sqlite?: string; postgres?: string }

/** The numbers and totals of the store. `served` is how many milliseconds the service has run, by a monotonic clock, counted last at `served_at`. */
const HEAD = `
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
`

/** `asked` of an origin is the number of topics for which its network is counted. */
const ACTORS = `
CREATE TABLE origin_salt (day TEXT PRIMARY KEY, salt TEXT NOT NULL) STRICT, WITHOUT ROWID;

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
`

/**
 * Entries and revisions. `changed` is 0 for a revision that changes nothing, and `changes` counts the others. If the latest revision changes
 * nothing, `text_revision` is the latest one that did. `signals` are the signals of a revision, as bits. `moderated` is the sequence at which
 * an entry was last withdrawn or restored, and `evidence_moderated` the record number of the latest act of moderation that withdrew or
 * restored evidence about it.
 *
 * The standing of the current text is stored on the entry as JSON, with the check that the entry needs (`due`) and the last judgement of a
 * confirmed one (`confirmed_at`). `readers` is how many networks read the entry, each once a day; `entry_reader` has those of the last day
 * or two. `changed_by` is the newest actor that changed a supported text, as the standing names it. `origins` counts the groups of origins
 * that judged the entry.
 */
const ENTRIES = `
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
CREATE INDEX entry_recent ON entry (updated_at, id) WHERE withdrawn = 0;
CREATE INDEX entry_evolution ON entry (changes, updated_at, id) WHERE withdrawn = 0;
CREATE INDEX entry_change ON entry (change, number);
CREATE INDEX entry_actor ON entry (actor);
CREATE INDEX entry_origin ON entry (origin);
CREATE INDEX entry_moderated ON entry (moderated) WHERE moderated IS NOT NULL;
CREATE INDEX entry_contest ON entry (contest, number) WHERE contest > 0 AND withdrawn = 0;
CREATE INDEX entry_due ON entry (due, readers, number, confirmed_at) WHERE withdrawn = 0 AND blocked = 0;
CREATE INDEX entry_confirmed ON entry (confirmed_at, number, readers) WHERE confirmed_at IS NOT NULL AND withdrawn = 0 AND blocked = 0;
CREATE INDEX entry_disputed ON entry (contest, number, readers) WHERE contest > 0 AND withdrawn = 0 AND blocked = 0;

CREATE TABLE entry_reader (
  day TEXT NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry,
  origin INTEGER NOT NULL REFERENCES origin,
  PRIMARY KEY (day, entry, origin)
) STRICT, WITHOUT ROWID;

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
CREATE INDEX revision_by_actor ON revision (actor, entry) WHERE ordinal > 1;
CREATE INDEX revision_correction ON revision (entry, number, actor) WHERE change_type = 'CORRECT' AND changed = 1;
CREATE INDEX revision_by_origin ON revision (origin, entry) WHERE ordinal > 1;

CREATE TABLE topic (
  key TEXT PRIMARY KEY,
  spelling TEXT NOT NULL,
  entries INTEGER NOT NULL,
  entry INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_top ON topic (entries DESC, key) WHERE entries > 0;
`

/**
 * Evidence and relations. `source_revision` and `target_revision` were current when a relation was made. `origin_group` numbers, within an
 * entry, the networks of a day that judged it: no address can be derived from it. `entry_voice` has these numbers by the fingerprint of the
 * day. `own` is 1 if the author of a judgement, or its network on that day, wrote a part of the judged text.
 */
const EVIDENCE = `
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
CREATE INDEX evidence_id ON evidence (id);
CREATE INDEX evidence_actor ON evidence (actor, entry);
CREATE INDEX evidence_origin ON evidence (origin, entry);
CREATE INDEX evidence_revision ON evidence (revision, result) WHERE withdrawn = 0;
CREATE INDEX evidence_voice ON evidence (entry, origin_group, number) WHERE withdrawn = 0;

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
CREATE INDEX relation_actor ON relation (actor, target_entry);
CREATE INDEX relation_origin ON relation (origin, target_entry);
CREATE INDEX relation_objection ON relation (target_entry, origin_group, number)
  WHERE relation_type = 'CONTRADICTS' AND withdrawn = 0 AND target_revision IS NOT NULL;

CREATE TABLE relation_end (
  entry INTEGER NOT NULL REFERENCES entry,
  ordinal INTEGER NOT NULL,
  relation INTEGER NOT NULL REFERENCES relation,
  PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_voice (
  entry INTEGER NOT NULL REFERENCES entry,
  voice TEXT NOT NULL,
  origin_group INTEGER NOT NULL,
  PRIMARY KEY (entry, voice)
) STRICT, WITHOUT ROWID;
`

/**
 * The columns of activity after `sequence`. A read or a search has its clock hour in `hour`; a write has none. `subject` is the record number
 * of evidence or of a relation, and `target` the target entry of a relation. `withdrawn` depends on the actor, the origin, the entry and the
 * relation that the row is about.
 */
const ACTIVITY_COLUMNS = `
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
  withdrawn INTEGER NOT NULL DEFAULT 0`

const ACTIVITY_INDEXES = `
CREATE INDEX activity_written ON activity (sequence) WHERE data_class = 'EXTERNAL' AND withdrawn = 0 AND action NOT IN ('READ', 'SEARCH');
CREATE INDEX activity_read ON activity (sequence) WHERE data_class = 'EXTERNAL' AND withdrawn = 0 AND action IN ('READ', 'SEARCH');
CREATE INDEX activity_all_written ON activity (sequence) WHERE hour IS NULL;
CREATE INDEX activity_timeline ON activity (entry, (CASE action WHEN 'READ' THEN 1 ELSE 0 END), sequence) WHERE entry IS NOT NULL;
CREATE INDEX activity_actor ON activity (actor, sequence) WHERE hour IS NULL AND withdrawn = 0;
CREATE INDEX activity_record ON activity (revision) WHERE subject IS NULL AND hour IS NULL;
CREATE INDEX activity_subject ON activity (subject) WHERE subject IS NOT NULL;
CREATE INDEX activity_target ON activity (target, sequence) WHERE target IS NOT NULL;
`

const SQLITE_ACTIVITY = `
CREATE TABLE activity (
  sequence INTEGER PRIMARY KEY,${ACTIVITY_COLUMNS}
) STRICT;
CREATE UNIQUE INDEX activity_observed ON activity (hour, actor, action, coalesce(entry, 0)) WHERE hour IS NOT NULL;
${ACTIVITY_INDEXES}`

/** Writes are in one partition, reads and searches in one or more: `activity-parts.ts` creates and drops those of a busy store. */
const POSTGRES_ACTIVITY = `
CREATE TABLE activity (
  sequence INTEGER NOT NULL,${ACTIVITY_COLUMNS}
) PARTITION BY LIST (action);
CREATE TABLE activity_writes PARTITION OF activity (PRIMARY KEY (sequence), CHECK (hour IS NULL)) DEFAULT;
CREATE TABLE activity_reads PARTITION OF activity (CHECK (hour IS NOT NULL)) FOR VALUES IN ('READ', 'SEARCH') PARTITION BY RANGE (hour);
CREATE TABLE activity_reads_rest PARTITION OF activity_reads (hour NOT NULL, PRIMARY KEY (sequence)) DEFAULT;
CREATE UNIQUE INDEX activity_observed ON activity_reads (hour, actor, action, coalesce(entry, 0));
${ACTIVITY_INDEXES}`

/**
 * `affected` has the authors on whom an act of moderation had an effect, and `moderation_count` how often what happened in a year. `report`
 * is for administrators and who has its secret, and `appeal` for administrators and its author; `answer` is the act that answered it. Both
 * are no part of the permanent records.
 */
const MODERATION = `
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
CREATE INDEX moderation_target ON moderation (target_id, number);

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
CREATE INDEX appeal_open ON appeal (number) WHERE answer IS NULL;

CREATE TABLE moderation_count (
  year INTEGER NOT NULL,
  event TEXT NOT NULL,
  ground TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (year, event, ground)
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
CREATE INDEX report_open ON report (number) WHERE resolved_at IS NULL;
CREATE INDEX report_entry ON report (entry);
CREATE INDEX report_target ON report (target_id, origin) WHERE resolved_at IS NULL;
`

/**
 * Limits, and the answers to writes with an Idempotency-Key, until a retry is no longer recognised. `retry.id` is a digest of caller and key,
 * `request` a digest of the request; `answer` is encrypted under a key that is not stored; `served` is the value of `head.served` when the
 * answer was stored. `asked_topic` has the topics of searches without an answer, by day: `digest` is of the topic and `voices` are of the
 * callers, both under a key that is deleted after the day. `term` is null until enough networks searched for it on its day.
 */
const REQUESTS = `
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

CREATE TABLE retry (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  served INTEGER NOT NULL DEFAULT 0
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
CREATE UNIQUE INDEX asked_topic_day ON asked_topic (day, number);
CREATE INDEX asked_topic_secret ON asked_topic (day, number) WHERE term IS NULL;
CREATE INDEX asked_topic_public ON asked_topic (networks, day, number) WHERE term IS NOT NULL;
`

/**
 * The public log of permanent records. `log` has the number of its records, the root of their tree as base64, and the history number of the
 * store: after a restoration or a failover the log does not grow until that is settled. A row of `log_bundle` has 256 leaves: a letter for
 * the kind of each, and their commitments (32 bytes each, base64). A row of `log_tile` has up to 256 hashes of a level above 0. All of that
 * can be made again from the records and `salt`, which has 16 random bytes for each record of the log (base64). `log_epoch` names the log
 * that records from `number` on belong to, and its public keys (a line each). The first epoch has number 0; any other one begins with a
 * record of its own, which names the previous log, the size up to which both agree, and the last checkpoint of the previous log.
 * `log_checkpoint` has signed notes; a `permanent` one is not deleted when there is a newer one. `erasure` has the leaf of each erased record,
 * whose salt and texts are gone, and the act of moderation that erased it.
 */
const LOG = `
CREATE TABLE log (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  size INTEGER NOT NULL,
  root TEXT NOT NULL,
  history INTEGER NOT NULL
) STRICT;
INSERT INTO log (one, size, root, history) VALUES (1, 0, '', 0);

CREATE TABLE log_bundle (
  number INTEGER PRIMARY KEY,
  kinds TEXT NOT NULL,
  commitments TEXT NOT NULL
) STRICT;

CREATE TABLE log_tile (
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hashes TEXT NOT NULL,
  PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_epoch (
  number INTEGER PRIMARY KEY,
  origin TEXT NOT NULL UNIQUE,
  store_id TEXT NOT NULL,
  keys TEXT NOT NULL,
  size INTEGER NOT NULL,
  checkpoint TEXT
) STRICT;

CREATE TABLE salt (
  record INTEGER PRIMARY KEY,
  salt TEXT NOT NULL
) STRICT;

CREATE TABLE erasure (
  record INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  commitment TEXT NOT NULL,
  act INTEGER NOT NULL
) STRICT;
CREATE INDEX erasure_act ON erasure (act, kind);
CREATE INDEX erasure_kind ON erasure (kind);

CREATE TABLE log_checkpoint (
  size INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL REFERENCES log_epoch,
  note TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  permanent INTEGER NOT NULL DEFAULT 0
) STRICT;
`

/**
 * `export_change` says when moderation last changed a segment of the export. `mirror` is one row in a mirror: the server and the id of its
 * store, the next sequence, the last act of moderation that it has followed, and in `settled` the sequence up to which it has followed
 * moderation. `mirror_log` has the log of the original that a mirror verifies: `key` is the trusted verifier key, `note` the newest
 * checkpoint that it signed; every record up to `record`, and every record in `ahead` (a JSON array), has a line of the export or is an act.
 * `purge_progress` has the newest record whose changes were purged from a shared cache; `cache` is a digest of its address.
 */
const COPIES = `
CREATE TABLE export_change (
  segment INTEGER PRIMARY KEY,
  record INTEGER NOT NULL
) STRICT;
CREATE INDEX export_change_record ON export_change (record, segment);

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

CREATE TABLE purge_progress (
  cache TEXT PRIMARY KEY,
  record INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

/**
 * What the nodes of one PostgreSQL share, apart from the records: the identity of the database and the time of the newest commit; the last
 * group that each writer committed; secrets (exclude them from dumps); and in `limiter` the admissions of the last minute, for each key bins
 * of time alternating with counts, oldest first.
 */
const NODES = `
CREATE TABLE cluster (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  identity TEXT NOT NULL,
  committed_at INTEGER NOT NULL
);
CREATE TABLE writer (id TEXT PRIMARY KEY, committed TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE secret (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE limiter (key TEXT PRIMARY KEY, log INTEGER[] NOT NULL, at INTEGER NOT NULL)
  WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
DO $$ BEGIN
  ALTER TABLE revision ALTER COLUMN content SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
`

const initial: Migration = {
  number: 1,
  name: 'initial',
  shared: HEAD + ACTORS + ENTRIES + EVIDENCE + MODERATION + REQUESTS + LOG + COPIES,
  sqlite: SQLITE_ACTIVITY,
  postgres: POSTGRES_ACTIVITY + NODES,
}

/** All steps. From the first release on, a release that changes the schema adds one. */
export const MIGRATIONS: readonly Migration[] = [initial]
