import type { Entry } from '../contract/resources.ts'
import { TRUST } from '../contract/vocabulary.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import { signalNames } from '../domain/signals/signals.ts'
import { isoTime } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import { AUTHOR_COLUMNS, type AuthorColumns, toAuthor } from './actor.ts'
import { shownStanding } from './standing.ts'

export type EntryRow = AuthorColumns & {
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
  standing: string | null
  revision_id: string
  revised_at: number
  title: string
  summary: string
  content: string
  signals: number
}

export const ENTRY_COLUMNS: Sql = sql`e.number, e.id, e.slug, e.tags, e.data_class, e.created_at, e.updated_at, e.revisions, e.evidence, e.relations,
  e.hidden, e.quarantined, e.blocked, e.withdrawn, e.revision, e.standing, e.origins, r.id AS revision_id,
  r.created_at AS revised_at, r.title, r.summary, r.content, r.signals, ${AUTHOR_COLUMNS}`
export const ENTRY_TABLES: Sql = sql`entry e JOIN revision r ON r.number = e.revision JOIN actor a ON a.number = e.actor`

const ENTRY: Sql = sql`SELECT ${ENTRY_COLUMNS} FROM ${ENTRY_TABLES}`

/** Finds an entry by its id, in either case, or by its slug; withdrawn ones too. */
export const findEntry = (reader: Reader, address: string) =>
  isUuid(address)
    ? reader.one<EntryRow>(sql`${ENTRY} WHERE e.id = ${address.toLowerCase()}`)
    : reader.one<EntryRow>(sql`${ENTRY} WHERE e.slug = ${address}`)

export const findEntryByNumber = (reader: Reader, number: number) =>
  reader.one<EntryRow>(sql`${ENTRY} WHERE e.number = ${number}`)

export type TitledEntry = Pick<EntryRow, 'id' | 'slug' | 'title' | 'summary' | 'standing'>

/** The public entries among `numbers`, without their contents. */
export const listTitled = async (reader: Reader, numbers: readonly number[]): Promise<TitledEntry[]> => {
  const rows = await Promise.all(
    numbers.map(number =>
      reader.one<TitledEntry>(sql`
        SELECT e.id, e.slug, e.standing, r.title, r.summary FROM entry e JOIN revision r ON r.number = e.revision
        WHERE e.number = ${number} AND e.withdrawn = 0`),
    ),
  )
  return rows.filter(row => row !== undefined)
}

/** The number of an entry by its id, in either case, or by its slug; withdrawn ones too. */
export const findEntryNumber = async (reader: Reader, address: string): Promise<number | undefined> =>
  (
    await reader.one<{ number: number }>(
      isUuid(address)
        ? sql`SELECT number FROM entry WHERE id = ${address.toLowerCase()}`
        : sql`SELECT number FROM entry WHERE slug = ${address}`,
    )
  )?.number

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

/** Those of two slugs that are taken. */
export const listTakenSlugs = async (reader: Reader, [one, other]: readonly [string, string]): Promise<string[]> =>
  (await reader.all<{ slug: string }>(sql`SELECT slug FROM entry WHERE slug IN (${one}, ${other})`)).map(
    ({ slug }) => slug,
  )

export type NewEntry = {
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

const counted = (row: Counted | undefined): Counted => {
  if (row === undefined) throw new Error('The entry that is counted on is gone.')
  return row
}

/** Counts one more piece of evidence on an entry. The new count is its place in the entry's stream, from 1. */
export const countEvidence = async (tx: Transaction, entry: number): Promise<Counted> =>
  counted(
    await tx.one<Counted>(sql`UPDATE entry SET evidence = evidence + 1 WHERE number = ${entry} RETURNING ${COUNTED}`),
  )

/** Counts one more relation at an entry. The new count is its place in the entry's stream, from 1. */
export const countRelation = async (tx: Transaction, entry: number): Promise<Counted> =>
  counted(
    await tx.one<Counted>(sql`UPDATE entry SET relations = relations + 1 WHERE number = ${entry} RETURNING ${COUNTED}`),
  )

/** The tags of an entry by its number; none if the store does not know it. */
export const readTags = async (reader: Reader, number: number): Promise<string[]> => {
  const row = await reader.one<{ tags: string }>(sql`SELECT tags FROM entry WHERE number = ${number}`)
  return row === undefined ? [] : tagsOf(row)
}

export const tagsOf = (row: { tags: string }): string[] => JSON.parse(row.tags) as string[]

/** The columns of an entry that its resource shows. */
export type ShownEntry = Omit<
  EntryRow,
  'number' | 'origins' | 'evidence' | 'relations' | 'hidden' | 'quarantined' | 'withdrawn' | 'revision' | 'revised_at'
>

export const toEntry = (row: ShownEntry): Entry => ({
  id: row.id,
  slug: row.slug,
  title: row.title,
  content: row.content,
  summary: row.summary,
  status: row.blocked ? 'LOCKED' : 'ACTIVE',
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  currentRevisionId: row.revision_id,
  tags: tagsOf(row),
  dataClass: row.data_class,
  actor: toAuthor(row),
  revisionCount: row.revisions,
  standing: shownStanding(row.standing),
  signals: signalNames(row.signals),
  ...TRUST,
})
