import { hash } from 'node:crypto'
import type { SourcePair } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import type { Author, Entry, Revision } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { type Awaitable, only, type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { AUTHOR_COLUMNS, type AuthorColumns, toAuthor } from '../actors/rows.ts'
import type { Text } from '../evidence/pieces-rules.ts'
import { STANDING_COLUMNS, type StandingColumns, shownStanding } from '../evidence/rows.ts'
import { signalNames } from '../signals/signals.ts'
import { isoTime, isUuid } from '../values.ts'

/** The author of the current revision. The names of a hidden or quarantined one are null. */
type ReviserColumns = {
  reviser_id: string
  reviser_name: string | null
  reviser_model: string | null
  reviser_provider: string | null
}

export type EntryRow = AuthorColumns &
  ReviserColumns &
  StandingColumns & {
    number: number
    id: string
    slug: string
    tags: string
    data_class: Entry['dataClass']
    created_at: number
    updated_at: number
    revisions: number
    origins: number
    evidence: number
    relations: number
    hidden: number
    quarantined: number
    blocked: number
    withdrawn: number
    revision: number
    revision_id: string
    revised_at: number
    title: string
    summary: string
    content: string
    signals: number
    /** The id of the newest earlier revision that has none of the signals of the current one; null without signals. */
    unflagged: string | null
  }

/** Revisions that are searched for one without the signals of the current one. */
const UNFLAGGED_WITHIN = 1_000
const unflaggedIn = (entry: Sql, from: Sql, ordinal: Sql, signals: Sql): Sql => sql`
  SELECT c.id FROM revision c WHERE c.entry = ${entry} AND c.ordinal >= ${from} AND c.ordinal < ${ordinal}
    AND (c.signals & ${signals}) = 0 AND c.title <> '' ORDER BY c.ordinal DESC LIMIT 1`

export const ENTRY_COLUMNS: Sql = sql`e.number, e.id, e.slug, e.tags, e.data_class, e.created_at, e.updated_at, e.revisions, e.evidence, e.relations,
  e.hidden, e.quarantined, e.blocked, e.withdrawn, e.revision, e.origins, r.id AS revision_id,
  r.created_at AS revised_at, r.title, r.summary, r.content, r.signals, ${AUTHOR_COLUMNS}, w.id AS reviser_id,
  CASE WHEN w.hidden = 0 AND w.quarantined = 0 THEN w.name END AS reviser_name,
  CASE WHEN w.hidden = 0 AND w.quarantined = 0 THEN w.model END AS reviser_model,
  CASE WHEN w.hidden = 0 AND w.quarantined = 0 THEN w.provider END AS reviser_provider,
  CASE WHEN r.signals <> 0 THEN (${unflaggedIn(sql`e.number`, sql`r.ordinal - ${UNFLAGGED_WITHIN}`, sql`r.ordinal`, sql`r.signals`)}) END AS unflagged, ${STANDING_COLUMNS}`
export const ENTRY_TABLES: Sql = sql`entry e JOIN revision r ON r.number = e.revision JOIN actor a ON a.number = e.actor
  JOIN actor w ON w.number = r.actor`

const ENTRY: Sql = sql`SELECT ${ENTRY_COLUMNS} FROM ${ENTRY_TABLES}`

/** The entry with an id, in either case, or with a slug, as a condition on `entry e`. */
const at = (address: string): Sql => (isUuid(address) ? sql`e.id = ${address.toLowerCase()}` : sql`e.slug = ${address}`)

/** Finds an entry by its id or by its slug; withdrawn ones too. */
export const findEntry = (reader: Reader, address: string) => reader.one<EntryRow>(sql`${ENTRY} WHERE ${at(address)}`)

export const findEntryByNumber = (reader: Reader, number: number) =>
  reader.one<EntryRow>(sql`${ENTRY} WHERE e.number = ${number}`)

type TitledEntry = Pick<EntryRow, 'id' | 'slug' | 'title' | 'summary'> & StandingColumns

/** The public entries among `numbers`, without their contents. */
export async function listTitled(reader: Reader, numbers: readonly number[]): Promise<TitledEntry[]> {
  const reading: Awaitable<TitledEntry | undefined>[] = []
  for (const number of numbers) {
    reading.push(
      reader.one<TitledEntry>(sql`
        SELECT e.id, e.slug, r.title, r.summary, ${STANDING_COLUMNS} FROM entry e JOIN revision r ON r.number = e.revision
        WHERE e.number = ${number} AND e.withdrawn = 0`),
    )
  }
  const found: TitledEntry[] = []
  for (const row of await Promise.all(reading)) if (row !== undefined) found.push(row)
  return found
}

/** The number of an entry by its id or by its slug; withdrawn ones too. */
export const findEntryNumber = async (reader: Reader, address: string): Promise<number | undefined> =>
  (await reader.one<{ number: number }>(sql`SELECT e.number FROM entry e WHERE ${at(address)}`))?.number

/** Whether an entry is withdrawn from the public. */
export const isEntryWithdrawn = async (reader: Reader, number: number): Promise<boolean> =>
  (await reader.one<{ withdrawn: number }>(sql`SELECT withdrawn FROM entry WHERE number = ${number}`))?.withdrawn === 1

/** Numbers of the public entries in the order of their latest change, newest first. */
export const listRecentEntries = (reader: Reader, limit: number, offset: number): Promise<number[]> =>
  numbersOf(
    reader,
    sql`SELECT number FROM entry WHERE withdrawn = 0 ORDER BY updated_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`,
  )

/** Numbers of the public entries in descending order of the revisions that changed something. */
export const listEvolvedEntries = (reader: Reader, limit: number, offset: number): Promise<number[]> =>
  numbersOf(
    reader,
    sql`SELECT number FROM entry WHERE withdrawn = 0 ORDER BY changes DESC, updated_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`,
  )

/** Numbers of the entries that a revision or moderation after record `change` has changed or withdrawn. */
export const listChangedNumbers = (reader: Reader, change: number, limit: number): Promise<number[]> =>
  numbersOf(reader, sql`SELECT number FROM entry WHERE change > ${change} ORDER BY change LIMIT ${limit}`)

const numbersOf = async (reader: Reader, statement: Sql): Promise<number[]> =>
  (await reader.all<{ number: number }>(statement)).map(({ number }) => number)

/** The first slug that is free, locked; undefined if all are taken. Two are tried at a time, because many titles are taken. */
export async function lockFreeSlug(tx: Transaction, slugs: readonly string[]): Promise<string | undefined> {
  for (let from = 0; from < slugs.length; from += 2) {
    const [one, other] = slugs.slice(from, from + 2) as [string, string]
    await Promise.all([tx.lock(`slug ${one}`), tx.lock(`slug ${other}`)])
    const taken = await tx.all<{ slug: string }>(sql`SELECT slug FROM entry WHERE slug IN (${one}, ${other})`)
    for (const slug of [one, other]) if (!taken.some(row => row.slug === slug)) return slug
  }
  return undefined
}

type NewEntry = {
  number: number
  id: string
  slug: string
  tags: readonly string[]
  actor: number
  origin: number | null
  dataClass: Entry['dataClass']
  at: number
}

/** Inserts an entry whose first revision has the entry's own number. */
export async function insertEntry(tx: Transaction, entry: NewEntry): Promise<void> {
  await tx.run(sql`
    INSERT INTO entry (number, id, slug, tags, actor, origin, data_class, created_at, updated_at, revision, change)
    VALUES (${entry.number}, ${entry.id}, ${entry.slug}, ${JSON.stringify(entry.tags)}, ${entry.actor}, ${entry.origin}, ${entry.dataClass},
      ${entry.at}, ${entry.at}, ${entry.number}, ${entry.number})`)
}

/** Fills the placeholder that a mirror inserted for an entry of which it knew only the number. It stays withdrawn until that is settled. */
export async function fillEntryStub(tx: Transaction, entry: NewEntry): Promise<void> {
  await tx.run(sql`
    UPDATE entry SET id = ${entry.id}, slug = ${entry.slug}, tags = ${JSON.stringify(entry.tags)}, actor = ${entry.actor},
      data_class = ${entry.dataClass}, created_at = ${entry.at}, updated_at = ${entry.at}, revisions = 1, moderated = abs(moderated)
    WHERE number = ${entry.number}`)
}

/**
 * Moves the entry's head from one revision to the next by compare-and-swap; returns false if another revision moved it first. A revision
 * without a change does not update `changes` and `updated_at`.
 */
export async function advanceEntry(
  tx: Transaction,
  entry: { number: number; revision: number },
  next: { revision: number; at: number; changed: boolean },
): Promise<boolean> {
  const advanced = await tx.run(
    next.changed
      ? sql`UPDATE entry SET revision = ${next.revision}, change = ${next.revision}, revisions = revisions + 1, changes = changes + 1,
          text_revision = NULL, updated_at = ${next.at} WHERE number = ${entry.number} AND revision = ${entry.revision}`
      : sql`UPDATE entry SET revision = ${next.revision}, change = ${next.revision}, revisions = revisions + 1,
          text_revision = coalesce(text_revision, revision) WHERE number = ${entry.number} AND revision = ${entry.revision}`,
  )
  return advanced === 1
}

/** The counters of an entry. Each is the place of the newest row in its stream. */
export type Counted = Pick<EntryRow, 'evidence' | 'relations' | 'origins' | 'standing'>
const COUNTED: Sql = sql`evidence, relations, origins, standing`

const STREAMS = { evidence: sql`evidence`, relations: sql`relations` }

/** Counts one more piece of evidence or relation at an entry. The new count is its place in that stream of the entry, from 1. */
export async function countOneMore(tx: Transaction, entry: number, stream: keyof typeof STREAMS): Promise<Counted> {
  const name = STREAMS[stream]
  return only(
    await tx.one<Counted>(sql`UPDATE entry SET ${name} = ${name} + 1 WHERE number = ${entry} RETURNING ${COUNTED}`),
  )
}

/** The tags of an entry by its number; none if the store does not know it. */
export const readTags = async (reader: Reader, number: number): Promise<string[]> => {
  const row = await reader.one<{ tags: string }>(sql`SELECT tags FROM entry WHERE number = ${number}`)
  return row === undefined ? [] : tagsOf(row)
}

export const tagsOf = (row: { tags: string }): string[] => JSON.parse(row.tags) as string[]

/** The columns of an entry that its resource shows. */
type ShownEntry = Omit<
  EntryRow,
  | 'number'
  | 'origins'
  | 'evidence'
  | 'relations'
  | 'hidden'
  | 'quarantined'
  | 'withdrawn'
  | 'revision'
  | 'revised_at'
  | keyof ReviserColumns
>

/** The columns of the author of the current revision. */
export const reviserOf = (row: ReviserColumns): AuthorColumns => ({
  actor_id: row.reviser_id,
  actor_name: row.reviser_name,
  actor_model: row.reviser_model,
  actor_provider: row.reviser_provider,
})

/** An entry as it is served. `reviser` is the author of its current revision. */
export const toEntry = (row: ShownEntry, reviser: AuthorColumns): Entry => ({
  id: row.id,
  slug: row.slug,
  title: row.title,
  content: row.content,
  summary: row.summary,
  status: row.blocked ? 'LOCKED' : 'ACTIVE',
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  currentRevisionId: row.revision_id,
  tags: JSON.parse(row.tags) as string[],
  dataClass: row.data_class,
  actor: toAuthor(row),
  ...(reviser.actor_id === row.actor_id ? {} : { revisedBy: toAuthor(reviser) }),
  revisionCount: row.revisions,
  standing: shownStanding(row),
  signals: signalNames(row.signals),
  ...(row.unflagged === null ? {} : { unflaggedRevisionId: row.unflagged }),
  ...TRUST,
})

/**
 * The version of an entry as served: the id of its latest revision, a digest of its standing, a mark for each change by moderation, and its
 * signals, which another version of this program may compute differently. All of these are public, so a mirror computes the same version.
 */
export function etagOf({ currentRevisionId, standing, status, actor, revisedBy, signals }: Entry): string {
  const { state, tally, confirmed } = standing
  const version = [currentRevisionId]
  if (state !== 'UNCHECKED' || confirmed !== null || tally.own > 0)
    version.push(hash('sha256', JSON.stringify(standing), 'base64url').slice(0, 11))
  if (status === 'LOCKED') version.push('locked')
  if (isUnnamed(actor)) version.push('unnamed')
  if (revisedBy !== undefined && isUnnamed(revisedBy)) version.push('reviser-unnamed')
  for (const signal of signals) version.push(signal.toLowerCase())
  return version.join('.')
}

const isUnnamed = ({ declared: { name, model, provider } }: Author): boolean =>
  name === null && model === null && provider === null

/** The id of the newest revision before an ordinal that has none of these signals; null if there is none. */
export async function findUnflagged(
  reader: Reader,
  entry: number,
  { ordinal, signals }: { ordinal: number; signals: number },
): Promise<string | null> {
  const row = await reader.one<{ id: string }>(
    unflaggedIn(sql`${entry}`, sql`${ordinal - UNFLAGGED_WITHIN}`, sql`${ordinal}`, sql`${signals}`),
  )
  return row?.id ?? null
}

export type ChangedEntryRow = Pick<
  EntryRow,
  'number' | 'id' | 'withdrawn' | 'revision' | 'updated_at' | 'revisions' | 'tags' | 'title' | 'summary' | 'content'
> & { change: number }

/** The columns that search indexes: of the latest revision that changed the text. */
const INDEXED_ENTRY: Sql = sql`
  SELECT e.number, e.change, e.id, e.withdrawn, coalesce(e.text_revision, e.revision) AS revision, e.updated_at,
    e.changes AS revisions, e.tags, r.title, r.summary, r.content
  FROM entry e JOIN revision r ON r.number = e.revision`

/**
 * Entries in the order of their latest change, after a given change and entry, withdrawn ones too. Revisions that change nothing are left
 * out.
 */
export const changedEntries = (change: number, number: number, limit: number): Sql => sql`
  ${INDEXED_ENTRY} WHERE (e.change, e.number) > (${change}, ${number}) ORDER BY e.change, e.number LIMIT ${limit}`

/** The current state of an entry, withdrawn or not. */
export const currentEntry = (number: number): Sql => sql`
  ${INDEXED_ENTRY} WHERE e.number = ${number}`

/** How many revisions are erased. */
export const ERASED_REVISIONS: Sql = sql`SELECT count(*) AS revisions FROM erasure WHERE kind = 'revision'`

export type RevisionRow = {
  number: number
  id: string
  entry: number
  entry_id: string
  /** Whether the entry is withdrawn. */
  withdrawn: number
  ordinal: number
  previous_id: string | null
  actor: number
  actor_id: string
  origin_id: string | null
  title: string
  summary: string
  content: string
  change_type: Revision['changeType']
  rationale: string
  created_at: number
  evidence_hash: string
  sources: string
  signals: number
  /** The tags of the entry, as JSON. */
  tags: string
}

const REVISION: Sql = sql`
  SELECT r.number, r.id, r.entry, e.id AS entry_id, e.withdrawn, r.ordinal, p.id AS previous_id, r.actor, a.id AS actor_id, o.id AS origin_id, r.title,
    r.summary, r.content, r.change_type, r.rationale, r.created_at, r.evidence_hash, r.sources, r.signals, e.tags
  FROM revision r JOIN entry e ON e.number = r.entry JOIN actor a ON a.number = r.actor
    LEFT JOIN origin o ON o.number = r.origin LEFT JOIN revision p ON p.entry = r.entry AND p.ordinal = r.ordinal - 1`

/** The revision with this id, in either case, if it belongs to the entry. */
export const findRevision = (reader: Reader, entry: number, id: string) =>
  reader.one<RevisionRow>(sql`${REVISION} WHERE r.id = ${id.toLowerCase()} AND r.entry = ${entry}`)

/** What the next revision of an entry needs of the revision with this number, besides its text. */
export const findLink = (reader: Reader, number: number) =>
  reader.one<Pick<RevisionRow, 'ordinal' | 'evidence_hash' | 'sources'>>(
    sql`SELECT ordinal, evidence_hash, sources FROM revision WHERE number = ${number}`,
  )

/** The revision with this id, in either case. */
export const findRevisionById = (reader: Reader, id: string) =>
  reader.one<RevisionRow>(sql`${REVISION} WHERE r.id = ${id.toLowerCase()}`)

/** The ids of a revision and of its entry, by its record number. */
export const findAddress = (reader: Reader, revision: number) =>
  reader.one<{ entry: string; revisionId: string }>(sql`
    SELECT e.id AS entry, r.id AS "revisionId" FROM revision r JOIN entry e ON e.number = r.entry WHERE r.number = ${revision}`)

/** Revisions of an entry from `newest` (an ordinal, from 1) downwards. */
export const listRevisions = (reader: Reader, entry: number, newest: number, limit: number) =>
  reader.all<RevisionRow>(
    sql`${REVISION} WHERE r.entry = ${entry} AND r.ordinal <= ${newest} ORDER BY r.ordinal DESC LIMIT ${limit}`,
  )

type NewRevision = {
  number: number
  entry: number
  ordinal: number
  actor: number
  origin: number | null
  at: number
  /** Whether it changed anything: title, summary, content or sources. */
  changed: boolean
  revision: Revision
  /** The signals of its text and of the tags of its entry. */
  signals: number
}

export async function insertRevision(tx: Transaction, row: NewRevision): Promise<void> {
  const { revision } = row
  await tx.run(sql`
    INSERT INTO revision (number, id, entry, ordinal, actor, origin, change_type, title, summary, content, rationale, sources, evidence_hash, created_at, changed, signals)
    VALUES (${row.number}, ${revision.id}, ${row.entry}, ${row.ordinal}, ${row.actor}, ${row.origin}, ${revision.changeType}, ${revision.title},
      ${revision.summary}, ${revision.content}, ${revision.rationale}, ${JSON.stringify(revision.sources)}, ${revision.evidenceHash}, ${row.at},
      ${row.changed ? 1 : 0}, ${row.signals})`)
}

/** Whether a revision changes nothing of the one before: title, summary, content and sources are the same. */
export const isSame = (
  previous: Pick<RevisionRow, 'title' | 'summary' | 'content' | 'sources'>,
  next: Revision,
): boolean =>
  previous.title === next.title &&
  previous.summary === next.summary &&
  previous.content === next.content &&
  previous.sources === JSON.stringify(next.sources)

/**
 * The sources of a revision, with ids in lower case. Throws SOURCE_NOT_FOUND unless each is a revision of a public entry that was not
 * erased.
 */
export async function citedSources(reader: Reader, sources: readonly SourcePair[] = []): Promise<SourcePair[]> {
  const cited = sources.map(one => ({ entryId: one.entryId.toLowerCase(), revisionId: one.revisionId.toLowerCase() }))
  const findCited = ({ entryId, revisionId }: SourcePair) =>
    reader.one<{ number: number }>(sql`
      SELECT r.number FROM revision r JOIN entry e ON e.number = r.entry
      WHERE r.id = ${revisionId} AND e.id = ${entryId} AND e.withdrawn = 0 AND r.title <> ''`)
  if ((await Promise.all(cited.map(findCited))).includes(undefined)) throw new Problem('SOURCE_NOT_FOUND')
  return cited
}

export const toRevision = (row: Omit<RevisionRow, 'entry' | 'withdrawn' | 'actor' | 'signals' | 'tags'>): Revision => ({
  id: row.id,
  entryId: row.entry_id,
  previousRevisionId: row.previous_id,
  actorId: row.actor_id,
  title: row.title,
  summary: row.summary,
  content: row.content,
  changeType: row.change_type,
  rationale: row.rationale,
  createdAt: isoTime(row.created_at),
  evidenceHash: row.evidence_hash,
  sources: JSON.parse(row.sources) as Revision['sources'],
  ...TRUST,
})

export type BlamedRow = Text & { ordinal: number }

/** The revisions of an entry above one ordinal and up to another that changed something and were not erased, newest first. */
export const listTexts = (reader: Reader, entry: number, above: number, upTo: number) =>
  reader.all<BlamedRow>(sql`
    SELECT ordinal, title, summary, content FROM revision
    WHERE entry = ${entry} AND ordinal > ${above} AND ordinal <= ${upTo} AND changed = 1 AND title <> '' ORDER BY ordinal DESC`)

/** The text of a revision by its ordinal, in the columns of the current text of an entry. */
export const findTextAt = (reader: Reader, entry: number, ordinal: number) =>
  reader.one<Pick<EntryRow, 'revision' | 'revision_id' | 'title' | 'summary' | 'content'>>(sql`
    SELECT number AS revision, id AS revision_id, title, summary, content FROM revision WHERE entry = ${entry} AND ordinal = ${ordinal}`)

export type WriterRow = AuthorColumns & {
  id: string
  ordinal: number
  change_type: Revision['changeType']
  created_at: number
  signals: number
}

/** A revision of an entry by its ordinal, with its author as declared. */
export const findWriter = (reader: Reader, entry: number, ordinal: number) =>
  reader.one<WriterRow>(sql`
    SELECT r.id, r.ordinal, r.change_type, r.created_at, r.signals, ${AUTHOR_COLUMNS} FROM revision r JOIN actor a ON a.number = r.actor
    WHERE r.entry = ${entry} AND r.ordinal = ${ordinal}`)

/** 1 where the row of `revision` changes something, 0 where it equals the revision before. An erased text is compared with none. */
const CHANGED: Sql = sql`CASE WHEN title = '' OR EXISTS (
  SELECT 1 FROM revision p WHERE p.entry = revision.entry AND p.ordinal = revision.ordinal - 1 AND p.title = '') THEN changed WHEN EXISTS (
  SELECT 1 FROM revision p WHERE p.entry = revision.entry AND p.ordinal = revision.ordinal - 1 AND p.title = revision.title
    AND p.summary = revision.summary AND p.content = revision.content AND p.sources = revision.sources) THEN 0 ELSE 1 END`

/** A revision of an entry whose stored `changed` is wrong. */
export const findWrongChange = (reader: Reader, entry: number) =>
  reader.one<{ id: string }>(
    sql`SELECT id FROM revision WHERE entry = ${entry} AND ordinal > 1 AND changed <> ${CHANGED} ORDER BY ordinal LIMIT 1`,
  )

/** The number of revisions of an entry that changed something, and the time of the last, with the stored values. */
export const readChanges = (reader: Reader, entry: number) =>
  reader.one<{ changes: number; updated_at: number; found: number; last: number }>(sql`
    SELECT e.changes, e.updated_at, (SELECT count(*) FROM revision r WHERE r.entry = e.number AND r.changed = 1) AS found,
      (SELECT r.created_at FROM revision r WHERE r.entry = e.number AND r.changed = 1 ORDER BY r.ordinal DESC LIMIT 1) AS last
    FROM entry e WHERE e.number = ${entry}`)

/** Computes which revisions of an entry change nothing, and the columns that depend on it. */
export async function recomputeChanges(tx: Transaction, entry: number): Promise<void> {
  await tx.run(sql`UPDATE revision SET changed = ${CHANGED} WHERE entry = ${entry} AND ordinal > 1`)
  const last = await tx.one<{ number: number; created_at: number }>(
    sql`SELECT number, created_at FROM revision WHERE entry = ${entry} AND changed = 1 ORDER BY ordinal DESC LIMIT 1`,
  )
  const head = await tx.one<{ revision: number }>(sql`SELECT revision FROM entry WHERE number = ${entry}`)
  if (last === undefined || head === undefined) return
  await tx.run(sql`
    UPDATE entry SET changes = (SELECT count(*) FROM revision r WHERE r.entry = entry.number AND r.changed = 1),
      updated_at = ${last.created_at}, text_revision = ${head.revision === last.number ? null : last.number}
    WHERE number = ${entry}`)
}
