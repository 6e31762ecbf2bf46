import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { Due, Waiting } from '../domain/work.ts'
import { keptStanding } from './standing.ts'

/** An entry that waits for a check, and the actor that published it. */
export type WaitingRow = Waiting & { tags: string; actor: number }

const WAITING: Sql = sql`SELECT e.number, e.due, e.contest, e.readers, e.confirmed_at, e.tags, e.actor FROM entry e`

// Entries that moderation withdrew or locked are not listed: no one may judge them.

/** The entries that are contested most. */
export const listDisputed = (reader: Reader, limit: number) =>
  reader.all<WaitingRow>(sql`
    ${WAITING} WHERE e.contest > 0 AND e.withdrawn = 0 AND e.blocked = 0 ORDER BY e.contest DESC, e.number DESC LIMIT ${limit}`)

/** The entries that wait for the same check, those with the most readers first. */
export const listDue = (reader: Reader, due: Due, limit: number) =>
  reader.all<WaitingRow>(sql`
    ${WAITING} WHERE e.due = ${due} AND e.withdrawn = 0 AND e.blocked = 0 ORDER BY e.readers DESC, e.number DESC LIMIT ${limit}`)

/** The entries that were confirmed before a time, those judged longest ago first. */
export const listConfirmed = (reader: Reader, before: number, limit: number) =>
  reader.all<WaitingRow>(sql`
    ${WAITING} WHERE e.confirmed_at < ${before} AND e.withdrawn = 0 AND e.blocked = 0 ORDER BY e.confirmed_at, e.number LIMIT ${limit}`)

/** One entry by its number. */
export const findWaiting = (reader: Reader, number: number) =>
  reader.one<WaitingRow>(sql`${WAITING} WHERE e.number = ${number} AND e.withdrawn = 0 AND e.blocked = 0`)

/** Whether an actor revised an entry, judged it or objected to it. */
export const isInvolved = async (reader: Reader, actor: number, entry: number): Promise<boolean> =>
  (
    await reader.one<{ involved: number }>(sql`
      SELECT CASE WHEN EXISTS (SELECT 1 FROM revision r WHERE r.actor = ${actor} AND r.entry = ${entry} AND r.ordinal > 1)
        OR EXISTS (SELECT 1 FROM evidence v WHERE v.actor = ${actor} AND v.entry = ${entry})
        OR EXISTS (SELECT 1 FROM relation l WHERE l.actor = ${actor} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS')
        THEN 1 ELSE 0 END AS involved`)
  )?.involved === 1

/** When the text of an entry as it stands was judged last, in milliseconds; null where only authors judged it. */
export async function readCheckedAt(reader: Reader, number: number): Promise<number | null> {
  const row = await reader.one<{ standing: string | null }>(sql`SELECT standing FROM entry WHERE number = ${number}`)
  return keptStanding(row?.standing ?? null).checkedAt
}

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

/** Forgets which networks read what before a day, at most `limit` of them, and returns how many. */
export const forgetReaders = (tx: Transaction, day: string, limit: number) =>
  tx.run(sql`
    DELETE FROM entry_reader WHERE (day, entry, origin) IN
      (SELECT day, entry, origin FROM entry_reader WHERE day < ${day} ORDER BY day, entry, origin LIMIT ${limit})`)
