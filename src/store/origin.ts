import { only, type Reader, type Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** The origin of a request, without its address: the fingerprint of the day, and the permanent key of the network. */
export type OriginKeys = {
  id: string
  day: string
  networkKey: string
  /** The fingerprint of the day of the network that counts as one voice: of the /48 of an IPv6 address, else `id`. */
  voice: string
}
export type OriginRow = {
  number: number
  id: string
  day: string
  network_key: string | null
  quarantined: number
  blocked: number
}

/** The origin of a request as the store knows it; `number` is null while it has no row. */
export type RequestOrigin = { keys: OriginKeys; number: number | null; quarantined: number; blocked: number }

/** Reads the flags of an origin, with or without a row; `blocked` is 1 if its network is blocked under any fingerprint. */
export async function readRequestOrigin(reader: Reader, keys: OriginKeys): Promise<RequestOrigin> {
  const row = await reader.one<Omit<RequestOrigin, 'keys'>>(sql`
    SELECT (SELECT number FROM origin WHERE id = ${keys.id}) AS number,
      coalesce((SELECT quarantined FROM origin WHERE id = ${keys.id}), 0) AS quarantined,
      CASE WHEN EXISTS (SELECT 1 FROM origin_block WHERE network_key = ${keys.networkKey}) THEN 1 ELSE 0 END AS blocked`)
  if (row === undefined) throw new Error('An origin was not read.')
  return { keys, ...row }
}

/** Returns the number of an origin and inserts its row if it is new. A write calls this after its last check. */
export async function ensureOrigin(tx: Transaction, { keys, number }: RequestOrigin): Promise<number> {
  if (number !== null) return number
  await tx.run(
    sql`INSERT INTO origin (id, day, network_key, voice) VALUES (${keys.id}, ${keys.day}, ${keys.networkKey}, ${keys.voice}) ON CONFLICT (id) DO NOTHING`,
  )
  const made = await tx.one<{ number: number }>(sql`SELECT number FROM origin WHERE id = ${keys.id}`)
  if (made === undefined) throw new Error('The origin row vanished.')
  return made.number
}

export const findOrigin = (reader: Reader, id: string) =>
  reader.one<OriginRow>(sql`SELECT number, id, day, network_key, quarantined, blocked FROM origin WHERE id = ${id}`)

export async function updateOriginFlags(
  tx: Transaction,
  number: number,
  quarantined: number,
  blocked: number,
): Promise<void> {
  await tx.run(sql`UPDATE origin SET quarantined = ${quarantined}, blocked = ${blocked} WHERE number = ${number}`)
}

/** Adds the network of a fingerprint to the block list. */
export async function insertOriginBlock(tx: Transaction, origin: number, networkKey: string): Promise<void> {
  await tx.run(
    sql`INSERT INTO origin_block (network_key, origin) VALUES (${networkKey}, ${origin}) ON CONFLICT (network_key, origin) DO NOTHING`,
  )
}

export async function deleteOriginBlock(tx: Transaction, origin: number): Promise<void> {
  await tx.run(sql`DELETE FROM origin_block WHERE origin = ${origin}`)
}

/** Deletes the salts of days before `day` (as `2026-11-21`). Their fingerprints cannot be made again. */
export async function forgetSalts(tx: Transaction, day: string): Promise<void> {
  await tx.run(sql`DELETE FROM origin_salt WHERE day < ${day}`)
}

/** Deletes the network keys of fingerprints of days before `day`. Those fingerprints can no longer be blocked. */
export async function forgetNetworkKeys(tx: Transaction, day: string): Promise<void> {
  await tx.run(sql`UPDATE origin SET network_key = NULL WHERE network_key IS NOT NULL AND day < ${day}`)
}

/** Returns the salt of a day; stores `fresh` if there is none. */
export async function ensureSalt(tx: Transaction, day: string, fresh: string): Promise<string> {
  await tx.run(sql`INSERT INTO origin_salt (day, salt) VALUES (${day}, ${fresh}) ON CONFLICT (day) DO NOTHING`)
  const row = await tx.one<{ salt: string }>(sql`SELECT salt FROM origin_salt WHERE day = ${day}`)
  return row?.salt ?? fresh
}

/** Counts one more anonymous actor of an origin. Returns the new count. */
export async function countAnonymousActor(tx: Transaction, origin: number): Promise<number> {
  const row = await tx.one<{ anonymous_actors: number }>(
    sql`UPDATE origin SET anonymous_actors = anonymous_actors + 1 WHERE number = ${origin} RETURNING anonymous_actors`,
  )
  return only(row).anonymous_actors
}

export const readAnonymousActors = async (tx: Reader, origin: number): Promise<number> =>
  only(await tx.one<{ n: number }>(sql`SELECT anonymous_actors AS n FROM origin WHERE number = ${origin}`)).n

/** The newest origins whose writes are refused. */
export const listRefusedOrigins = (reader: Reader, limit: number) =>
  reader.all<OriginRow>(
    sql`SELECT number, id, day, network_key, quarantined, blocked FROM origin WHERE blocked = 1 OR quarantined = 1 ORDER BY number DESC LIMIT ${limit}`,
  )

/** The number of topics of its day for which a network is counted. */
export const readUnansweredTopicCount = async (reader: Reader, number: number): Promise<number> =>
  only(await reader.one<{ asked: number }>(sql`SELECT asked FROM origin WHERE number = ${number}`)).asked

export async function addUnansweredTopics(tx: Transaction, number: number, topics: number): Promise<void> {
  await tx.run(sql`UPDATE origin SET asked = asked + ${topics} WHERE number = ${number}`)
}
