import type { Author, Revision } from '../contract/resources.ts'
import type { ActorType, DataClass } from '../contract/vocabulary.ts'
import { type Awaitable, type Reader, type Sql, sql, type Transaction } from '../engine/database.ts'
import { insertActor } from '../memory/actors/rows.ts'
import type { RevisionRow } from '../memory/entries/rows.ts'
import { tagsOf } from '../memory/entries/rows.ts'
import type { SignalledText } from '../memory/signals/signals.ts'
import type { ErasureRow } from '../tlog/rows.ts'

/**
 * The original of a mirror: its server, the id of its store, the next sequence, and the last followed act of moderation. The id is empty
 * during an import.
 */
export type Mirror = { url: string; store_id: string; next: number; change: number }

/** The original of this store, if it is a mirror. */
export const findMirror = (reader: Reader) =>
  reader.one<Mirror>(sql`SELECT url, store_id, next, change FROM mirror WHERE one = 1`)

export async function insertMirror(
  tx: Pick<Transaction, 'run'>,
  { url, store_id, next, change }: Mirror,
): Promise<void> {
  await tx.run(
    sql`INSERT INTO mirror (one, url, store_id, next, change) VALUES (1, ${url}, ${store_id}, ${next}, ${change})`,
  )
}

export async function updateMirror(
  tx: Transaction,
  { next, change, settled }: Pick<Mirror, 'next' | 'change'> & { settled?: number },
): Promise<void> {
  await tx.run(
    sql`UPDATE mirror SET next = ${next}, change = ${change}, settled = coalesce(${settled ?? null}, settled) WHERE one = 1`,
  )
}

/** Ends an import: names the store that was copied. */
export async function saveOriginalStore(tx: Transaction, storeId: string): Promise<void> {
  await tx.run(sql`UPDATE mirror SET store_id = ${storeId} WHERE one = 1`)
}

/** Makes a mirror read everything again from the first row. */
export async function restartMirror(tx: Pick<Transaction, 'run'>): Promise<void> {
  await tx.run(sql`UPDATE mirror SET next = 1 WHERE one = 1`)
}

type MirroredActor = { number: number; name: string | null; model: string | null; provider: string | null }

/** Returns the number of an author, inserted if it is new, and updates its names to the given ones. */
export async function ensureAuthor(
  tx: Transaction,
  author: Author,
  { actorType, dataClass, at, change }: { actorType: ActorType; dataClass: DataClass; at: number; change: number },
): Promise<number> {
  const known = await renameAuthor(tx, author, change)
  if (known !== undefined) return known
  const made = await insertActor(tx, {
    id: author.id,
    actorType,
    declared: author.declared,
    dataClass,
    tokenHash: null,
    anonymousKey: null,
    origin: null,
    at,
  })
  return made.number
}

/** Returns the number of a known author and updates its names; its entries change as of `change`. */
export async function renameAuthor(
  tx: Transaction,
  { id, declared }: Author,
  change: number,
): Promise<number | undefined> {
  const { name, model, provider } = declared
  const known = await tx.one<MirroredActor>(sql`SELECT number, name, model, provider FROM actor WHERE id = ${id}`)
  if (known !== undefined && (known.name !== name || known.model !== model || known.provider !== provider)) {
    await tx.run(
      sql`UPDATE actor SET name = ${name}, model = ${model}, provider = ${provider} WHERE number = ${known.number}`,
    )
    await tx.run(sql`UPDATE entry SET change = ${change} WHERE actor = ${known.number}`)
  }
  return known?.number
}

/** The placeholder for unknown actors: authors of records that were withdrawn before they were copied. */
export async function ensureUnknownAuthor(tx: Transaction): Promise<number> {
  const author: Author = {
    id: NAMELESS,
    declared: { name: null, model: null, provider: null },
    verificationStatus: 'UNVERIFIED',
  }
  return ensureAuthor(tx, author, { actorType: 'UNKNOWN', dataClass: 'INTERNAL', at: 0, change: 0 })
}

/** The placeholder of an unknown id or slug begins with a space. No address does. */
const NAMELESS = ' '

type MirroredEntry = {
  number: number
  id: string
  tags: string
  data_class: DataClass
  revisions: number
  withdrawn: number
  /**
   * Whether the entry must not be shown: a revision of it is missing or withdrawn, or its current revision was erased for good, which hides
   * the entry.
   */
  erased: number
}

/** An entry of the mirror by its record number. A revision without its text has an empty title; no other has. */
export const findMirroredEntry = (reader: Reader, number: number) =>
  reader.one<MirroredEntry>(sql`
    SELECT e.number, e.id, e.tags, e.data_class, e.revisions, e.withdrawn,
      CASE WHEN e.hidden = 1 OR EXISTS (SELECT 1 FROM revision r WHERE r.entry = e.number AND r.title = ''
          AND NOT EXISTS (SELECT 1 FROM erasure x WHERE x.record = r.number))
        OR NOT EXISTS (SELECT 1 FROM revision r WHERE r.entry = e.number) THEN 1 ELSE 0 END AS erased
    FROM entry e WHERE e.number = ${number}`)

type MirroredRevision = { number: number; ordinal: number; entry: number; evidence_hash: string } & Pick<
  RevisionRow,
  'title' | 'summary' | 'content' | 'sources'
>

/** A revision of the copy by its id; an erased one too. */
export const findMirroredRevision = (reader: Reader, id: string) =>
  reader.one<MirroredRevision>(
    sql`SELECT number, ordinal, entry, evidence_hash, title, summary, content, sources FROM revision WHERE id = ${id}`,
  )

/** The number of the revision of an entry that was current when a record was made; null if the store does not have it. */
export const findRevisionBefore = async (reader: Reader, entry: number, record: number): Promise<number | null> =>
  (
    await reader.one<{ number: number }>(sql`
      SELECT number FROM revision WHERE entry = ${entry} AND ordinal > 0 AND number < ${record} ORDER BY ordinal DESC LIMIT 1`)
  )?.number ?? null

/** The id and hash of the revision with a record number, which never change. */
export const findRevisionIdentity = (reader: Reader, number: number) =>
  reader.one<{ id: string; evidence_hash: string }>(
    sql`SELECT id, evidence_hash FROM revision WHERE number = ${number}`,
  )

/** Inserts a placeholder for an entry of which only the number is known. */
export async function insertEntryStub(tx: Transaction, number: number, change: number): Promise<void> {
  const nameless = `${NAMELESS}${number}`
  await tx.run(sql`
    INSERT INTO entry (number, id, slug, tags, actor, data_class, created_at, updated_at, revision, revisions, withdrawn, change)
    VALUES (${number}, ${nameless}, ${nameless}, '[]', ${await ensureUnknownAuthor(tx)}, 'EXTERNAL', 0, 0, ${number}, 0, 1, ${change})`)
}

/** Locks an entry, or unlocks it. */
export async function markEntry(tx: Transaction, number: number, { locked }: { locked: boolean }): Promise<void> {
  await tx.run(sql`UPDATE entry SET blocked = ${locked ? 1 : 0} WHERE number = ${number}`)
}

/**
 * Stores the sequence at which an entry was last withdrawn or restored. It is negative while the id of the entry is unknown, and no list
 * reads negative ones.
 */
export async function updateModerated(tx: Transaction, entry: number, sequence: number): Promise<void> {
  await tx.run(sql`
    UPDATE entry SET moderated = CAST(${sequence} AS BIGINT) * CASE WHEN revisions = 0 THEN -1 ELSE 1 END
    WHERE number = ${entry}`)
}

/** Moves the head of an entry to a later revision. */
export async function raiseEntry(
  tx: Transaction,
  entry: number,
  { number, ordinal, at, changed }: { number: number; ordinal: number; at: number; changed: boolean },
): Promise<void> {
  await tx.run(
    changed
      ? sql`UPDATE entry SET revision = ${number}, revisions = ${ordinal}, changes = changes + 1, text_revision = NULL, updated_at = ${at}
          WHERE number = ${entry} AND revisions < ${ordinal}`
      : sql`UPDATE entry SET revision = ${number}, revisions = ${ordinal}, text_revision = coalesce(text_revision, revision)
          WHERE number = ${entry} AND revisions < ${ordinal}`,
  )
}

/** Raises the count of evidence of an entry to at least `ordinal`. */
export async function raiseEvidence(tx: Transaction, entry: number, ordinal: number): Promise<void> {
  await tx.run(sql`UPDATE entry SET evidence = ${ordinal} WHERE number = ${entry} AND evidence < ${ordinal}`)
}

export async function updateEntryFlags(
  tx: Transaction,
  entry: number,
  withdrawn: number,
  change: number,
): Promise<void> {
  await tx.run(sql`UPDATE entry SET withdrawn = ${withdrawn}, change = ${change} WHERE number = ${entry}`)
}

/** Erases the texts of a withdrawn entry. Numbers and hashes stay, for its restoration. */
export async function eraseRevisions(tx: Transaction, entry: number): Promise<void> {
  await tx.run(
    sql`UPDATE revision SET title = '', summary = '', content = '', rationale = '', sources = '[]', signals = 0 WHERE entry = ${entry}`,
  )
}

/**
 * Notes that the original erased a record by an act. Returns whether that is new. `commitment` is that of its leaf.
 */
export const noteErasure = async (tx: Transaction, { record, kind, commitment, act }: ErasureRow): Promise<boolean> =>
  (await tx.run(sql`
    INSERT INTO erasure (record, kind, commitment, act) VALUES (${record}, ${kind}, ${commitment}, ${act})
    ON CONFLICT (record) DO NOTHING`)) > 0

/** Stores the hash of an erased revision: empty if no later revision needs it. */
export async function saveErasedHash(tx: Transaction, number: number, hash: string): Promise<void> {
  await tx.run(sql`UPDATE revision SET evidence_hash = ${hash}, signals = 0 WHERE number = ${number} AND title = ''`)
}

/** Restores the texts of a revision; false if the store does not have it. */
export async function restoreRevision(
  tx: Transaction,
  number: number,
  revision: Revision,
  signals: number,
): Promise<boolean> {
  const { title, summary, content, rationale, sources } = revision
  const restored = await tx.run(sql`
    UPDATE revision SET title = ${title}, summary = ${summary}, content = ${content}, rationale = ${rationale},
      sources = ${JSON.stringify(sources)}, signals = ${signals}
    WHERE number = ${number}`)
  return restored > 0
}

/** Shows or withdraws the feed row of a sequence; false when there is none. */
export const markActivity = async (
  tx: Transaction,
  sequence: number,
  { withdrawn }: { withdrawn: boolean },
): Promise<boolean> =>
  (await tx.run(sql`UPDATE activity SET withdrawn = ${withdrawn ? 1 : 0} WHERE sequence = ${sequence}`)) > 0

/** Deletes the row of a withdrawn read or search. The export sends it again after a restoration. */
export async function deleteObservation(tx: Transaction, sequence: number): Promise<void> {
  await tx.run(sql`DELETE FROM activity WHERE sequence = ${sequence} AND action IN ('READ', 'SEARCH')`)
}

/** Withdraws the reads of an entry from the feed, or restores them, together with the entry. */
export async function markReads(tx: Transaction, entry: number, { withdrawn }: { withdrawn: boolean }): Promise<void> {
  await tx.run(sql`UPDATE activity SET withdrawn = ${withdrawn ? 1 : 0} WHERE entry = ${entry} AND action = 'READ'`)
}

export const isActivityKnown = async (reader: Reader, sequence: number): Promise<boolean> =>
  (await reader.one(sql`SELECT sequence FROM activity WHERE sequence = ${sequence}`)) !== undefined

/**
 * The state of the original's public log in a mirror. Every record up to `record` was seen as a line of the export, and so was every record
 * in `ahead`. The numbers in `ahead` are above `record` and ascend.
 */
export type MirrorLog = {
  /** The verifier key of the original that is trusted. */
  key: string
  /** The newest checkpoint that the key signed and that continues the one before. */
  note: string | null
  record: number
  ahead: number[]
}

/** The state of the original's public log; undefined if the store is not a mirror or does not verify the log. */
export async function findMirrorLog(reader: Reader): Promise<MirrorLog | undefined> {
  const row = await reader.one<Omit<MirrorLog, 'ahead'> & { ahead: string }>(
    sql`SELECT key, note, record, ahead FROM mirror_log WHERE one = 1`,
  )
  return row === undefined ? undefined : { ...row, ahead: JSON.parse(row.ahead) as number[] }
}

/** Stores the verifier key that a mirror trusts, in place of an earlier one. */
export async function saveMirrorKey(tx: Pick<Transaction, 'run'>, key: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO mirror_log (one, key) VALUES (1, ${key}) ON CONFLICT (one) DO UPDATE SET key = excluded.key`)
}

export async function updateMirrorLog(tx: Transaction, { note, record, ahead }: Omit<MirrorLog, 'key'>): Promise<void> {
  await tx.run(sql`
    UPDATE mirror_log SET note = ${note}, record = ${record}, ahead = ${JSON.stringify(ahead)} WHERE one = 1`)
}

/**
 * Stores the salt of a record. With `isRow`, the mirror must have the row of the record; without it, the record has no row in any store.
 */
export async function saveSalt(
  tx: Transaction,
  record: number,
  salt: string,
  { isRow }: { isRow: boolean },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO salt (record, salt) SELECT CAST(${record} AS BIGINT), ${salt}
    WHERE ${isRow ? 0 : 1} = 1 OR EXISTS (SELECT 1 FROM revision WHERE number = ${record})
      OR EXISTS (SELECT 1 FROM evidence WHERE number = ${record}) OR EXISTS (SELECT 1 FROM relation WHERE number = ${record})
    ON CONFLICT (record) DO UPDATE SET salt = excluded.salt`)
}

/** Erases the salt of a record that was withdrawn. */
export async function eraseSalt(tx: Transaction, record: number): Promise<void> {
  await tx.run(sql`DELETE FROM salt WHERE record = ${record}`)
}

type SignalledRow = SignalledText & { number: number; id: string; signals: number }

const SIGNALLED: Sql = sql`
  SELECT r.number, r.id, r.title, r.summary, r.content, r.rationale, r.signals, e.tags FROM revision r JOIN entry e ON e.number = r.entry`

const listed = async (rows: Awaitable<(Omit<SignalledRow, 'tags'> & { tags: string })[]>): Promise<SignalledRow[]> =>
  (await rows).map(row => ({ ...row, tags: tagsOf(row) }))

/** The texts of all revisions of an entry, in any order, with their stored signals. */
export const listSignalledOf = (reader: Reader, entry: number) =>
  listed(reader.all(sql`${SIGNALLED} WHERE r.entry = ${entry}`))

export async function updateSignals(tx: Transaction, revision: number, signals: number): Promise<void> {
  await tx.run(sql`UPDATE revision SET signals = ${signals} WHERE number = ${revision}`)
}
