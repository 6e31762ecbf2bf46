import { type Reader, sql, type Transaction } from '../../engine/database.ts'
import { storedStanding } from '../evidence/rows.ts'
import type { ComputedStanding } from '../evidence/rules.ts'
import type { Due, OwnWrite, Waiting } from './rules.ts'

// Withdrawn and locked entries are not listed: they cannot be judged. Each list is read from its index alone.

/** The end of an ordered list from which entries are read: the greatest values, or the least. */
export type End = 'most' | 'least'

/** The contested entries in the order of their voices. */
export async function listDisputed(reader: Reader, end: End, limit: number): Promise<Waiting[]> {
  const rows = await reader.all<Pick<Waiting, 'number' | 'contest' | 'readers'>>(sql`
    SELECT number, contest, readers FROM entry WHERE contest > 0 AND withdrawn = 0 AND blocked = 0
    ORDER BY ${end === 'most' ? sql`contest DESC, number DESC` : sql`contest, number`} LIMIT ${limit}`)
  return rows.map(row => ({ ...row, due: 'DISPUTED', confirmed_at: null }))
}

/** The entries that wait for the same check, in the order of their readers. */
export async function listDue(reader: Reader, due: Due, end: End, limit: number): Promise<Waiting[]> {
  const rows = await reader.all<Pick<Waiting, 'number' | 'readers' | 'confirmed_at'>>(sql`
    SELECT number, readers, confirmed_at FROM entry WHERE due = ${due} AND withdrawn = 0 AND blocked = 0
    ORDER BY ${end === 'most' ? sql`readers DESC, number DESC` : sql`readers, number`} LIMIT ${limit}`)
  return rows.map(row => ({ ...row, due, contest: 0 }))
}

/** The entries that were confirmed before a time: `least` begins with those judged longest ago, `most` with those judged last. */
export async function listConfirmed(reader: Reader, before: number, end: End, limit: number): Promise<Waiting[]> {
  const rows = await reader.all<Pick<Waiting, 'number' | 'readers' | 'confirmed_at'>>(sql`
    SELECT number, readers, confirmed_at FROM entry WHERE confirmed_at < ${before} AND withdrawn = 0 AND blocked = 0
    ORDER BY ${end === 'most' ? sql`confirmed_at DESC, number DESC` : sql`confirmed_at, number`} LIMIT ${limit}`)
  return rows.map(row => ({ ...row, due: 'CONFIRMED', contest: 0 }))
}

/** An entry by its number; undefined if it is withdrawn or locked. */
export const findWaiting = (reader: Reader, number: number) =>
  reader.one<Waiting>(sql`
    SELECT number, due, contest, readers, confirmed_at FROM entry WHERE number = ${number} AND withdrawn = 0 AND blocked = 0`)

/** The tags of an entry, as JSON, the actor that published it and the origin that it came from. */
export const findOwner = (reader: Reader, number: number) =>
  reader.one<{ number: number; tags: string; actor: number; origin: number | null }>(
    sql`SELECT number, tags, actor, origin FROM entry WHERE number = ${number}`,
  )

/** The signals of the current revision of an entry, as bits. */
export const findSignals = async (reader: Reader, number: number): Promise<number> =>
  (
    await reader.one<{ signals: number }>(
      sql`SELECT r.signals FROM entry e JOIN revision r ON r.number = e.revision WHERE e.number = ${number}`,
    )
  )?.signals ?? 0

/** Whether an actor revised an entry, judged it or objected to it. */
export const isInvolved = async (reader: Reader, actor: number, entry: number): Promise<boolean> =>
  (
    await reader.one<{ involved: number }>(sql`
      SELECT CASE WHEN EXISTS (SELECT 1 FROM revision r WHERE r.actor = ${actor} AND r.entry = ${entry} AND r.ordinal > 1)
        OR EXISTS (SELECT 1 FROM evidence v WHERE v.actor = ${actor} AND v.entry = ${entry})
        OR EXISTS (SELECT 1 FROM relation l WHERE l.actor = ${actor} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS')
        THEN 1 ELSE 0 END AS involved`)
  )?.involved === 1

/** The newest writes of an actor about public entries, newest first. */
export const listOwnWrites = (reader: Reader, actor: number, limit: number) =>
  reader.all<OwnWrite>(sql`
    SELECT s.action, s.entry, s.revision FROM activity s JOIN entry e ON e.number = s.entry AND e.withdrawn = 0
    WHERE s.actor = ${actor} AND s.hour IS NULL AND s.withdrawn = 0 ORDER BY s.sequence DESC LIMIT ${limit}`)

/** Whether another actor than this one corrected an entry after a revision. */
export async function isCorrectedAfter(
  reader: Reader,
  entry: number,
  { revision, actor }: { revision: number; actor: number },
): Promise<boolean> {
  const corrected = await reader.one(sql`
    SELECT number FROM revision WHERE entry = ${entry} AND change_type = 'CORRECT' AND changed = 1 AND number > ${revision} AND actor <> ${actor}
    ORDER BY number LIMIT 1`)
  return corrected !== undefined
}

/** The stored standing of an entry. */
export async function readStanding(reader: Reader, number: number): Promise<ComputedStanding> {
  const row = await reader.one<{ standing: string | null }>(sql`SELECT standing FROM entry WHERE number = ${number}`)
  return storedStanding(row?.standing ?? null)
}

/** When the current text of an entry was judged last, in milliseconds; null if only authors judged it. */
export const readCheckedAt = async (reader: Reader, number: number): Promise<number | null> =>
  (await readStanding(reader, number)).checkedAt

/** A network that read an entry on a day. */
export type EntryReader = { day: string; entry: number; origin: number }

/** Whether a network was counted as a reader of an entry on a day. */
export const isReader = async (reader: Reader, { day, entry, origin }: EntryReader): Promise<boolean> =>
  (await reader.one(
    sql`SELECT entry FROM entry_reader WHERE day = ${day} AND entry = ${entry} AND origin = ${origin}`,
  )) !== undefined

export async function insertReader(tx: Transaction, { day, entry, origin }: EntryReader): Promise<void> {
  await tx.run(sql`INSERT INTO entry_reader (day, entry, origin) VALUES (${day}, ${entry}, ${origin})`)
}

export async function addReaders(tx: Transaction, entry: number, readers: number): Promise<void> {
  await tx.run(sql`UPDATE entry SET readers = readers + ${readers} WHERE number = ${entry}`)
}

/** Deletes the readers of days before `day`, at most `limit` of them. Returns how many. */
export const forgetReaders = (tx: Transaction, day: string, limit: number) =>
  tx.run(sql`
    DELETE FROM entry_reader WHERE (day, entry, origin) IN
      (SELECT day, entry, origin FROM entry_reader WHERE day < ${day} ORDER BY day, entry, origin LIMIT ${limit})`)
