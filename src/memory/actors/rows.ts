import type { Actor, Author, Declared } from '../../contract/resources.ts'
import type { ActorType, DataClass } from '../../contract/vocabulary.ts'
import { type Loadable, only, type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { signalsMember } from '../signals/signals.ts'
import { isoTime } from '../values.ts'

export type ActorRow = {
  number: number
  id: string
  actor_type: ActorType
  name: string | null
  model: string | null
  provider: string | null
  data_class: DataClass
  token_hash: string | null
  first_seen_at: number
  last_seen_at: number
  observations: number
  hidden: number
  quarantined: number
  blocked: number
}

const COLUMNS = sql`number, id, actor_type, name, model, provider, data_class, token_hash, first_seen_at, last_seen_at, observations, hidden, quarantined, blocked`

export const findActor = (reader: Reader, number: number) =>
  reader.one<ActorRow>(sql`SELECT ${COLUMNS} FROM actor WHERE number = ${number}`)

export const findActorById = (reader: Reader, id: string) =>
  reader.one<ActorRow>(sql`SELECT ${COLUMNS} FROM actor WHERE id = ${id.toLowerCase()}`)

/** The number of the actor with a token, by the hash of the token. */
export const findActorByToken = (reader: Reader, tokenHash: string) =>
  reader.one<{ number: number }>(sql`SELECT number FROM actor WHERE token_hash = ${tokenHash}`)

export const findAnonymousActor = (reader: Reader, anonymousKey: string) =>
  reader.one<ActorRow>(sql`SELECT ${COLUMNS} FROM actor WHERE anonymous_key = ${anonymousKey}`)

type NewActor = {
  id: string
  actorType: ActorType
  declared: Declared
  dataClass: DataClass
  tokenHash: string | null
  anonymousKey: string | null
  origin: number | null
  at: number
}

export async function insertActor(tx: Transaction, actor: NewActor): Promise<ActorRow> {
  const { name, model, provider } = actor.declared
  const row = await tx.one<ActorRow>(sql`
    INSERT INTO actor (id, actor_type, name, model, provider, data_class, token_hash, anonymous_key, origin, first_seen_at, last_seen_at)
    VALUES (${actor.id}, ${actor.actorType}, ${name}, ${model}, ${provider}, ${actor.dataClass}, ${actor.tokenHash}, ${actor.anonymousKey},
      ${actor.origin}, ${actor.at}, ${actor.at})
    RETURNING ${COLUMNS}`)
  if (row === undefined) throw new Error('The actor row was not inserted.')
  return row
}

/** How often each actor was observed in one transaction, and when last. */
const OBSERVED: Loadable<Map<number, { times: number; at: number }>> = {
  load: () => new Map(),
  async save(tx, observed) {
    const saving: unknown[] = []
    for (const [actor, { times, at }] of observed) {
      saving.push(
        tx.run(sql`
          UPDATE actor SET observations = observations + ${times},
            last_seen_at = CASE WHEN last_seen_at < ${at} THEN ${at} ELSE last_seen_at END
          WHERE number = ${actor}`),
      )
    }
    await Promise.all(saving)
  },
}

/** Adds `times` substantive observations of an actor that was read in this transaction, the last of them at `at`. Returns the new count. */
export async function observeActor(tx: Transaction, actor: ActorRow, times: number, at: number): Promise<number> {
  const observed = await tx.load(OBSERVED)
  const before = observed.get(actor.number) ?? { times: 0, at }
  const after = { times: before.times + times, at: Math.max(before.at, at) }
  observed.set(actor.number, after)
  return actor.observations + after.times
}

/** Replaces the actor's token. */
export async function updateToken(tx: Transaction, number: number, tokenHash: string): Promise<void> {
  await tx.run(sql`UPDATE actor SET token_hash = ${tokenHash} WHERE number = ${number}`)
}

/** The newest actors, with the columns that only administrators see. */
export const listActors = (reader: Reader, limit: number) =>
  reader.all<Omit<ActorRow, 'token_hash'> & { origin_id: string | null; issued: number }>(sql`
    SELECT a.number, a.id, a.actor_type, a.name, a.model, a.provider, a.data_class, a.first_seen_at, a.last_seen_at, a.observations,
      a.hidden, a.quarantined, a.blocked, o.id AS origin_id, CASE WHEN a.token_hash IS NULL THEN 0 ELSE 1 END AS issued
    FROM actor a LEFT JOIN origin o ON o.number = a.origin ORDER BY a.number DESC LIMIT ${limit}`)

/** The columns of an author, for statements that join `actor a`. The names of a hidden or quarantined author are null. */
export const AUTHOR_COLUMNS: Sql = sql`a.id AS actor_id,
  CASE WHEN a.hidden = 0 AND a.quarantined = 0 THEN a.name END AS actor_name,
  CASE WHEN a.hidden = 0 AND a.quarantined = 0 THEN a.model END AS actor_model,
  CASE WHEN a.hidden = 0 AND a.quarantined = 0 THEN a.provider END AS actor_provider`

export type AuthorColumns = {
  actor_id: string
  actor_name: string | null
  actor_model: string | null
  actor_provider: string | null
}

/** An author as declared, with the signals of the declaration unless `signals` replaces them. */
export const toAuthor = (
  { actor_id: id, actor_name: name, actor_model: model, actor_provider: provider }: AuthorColumns,
  signals = (name ?? model ?? provider) === null ? {} : signalsMember(name, model, provider),
): Author => ({ id, declared: { name, model, provider }, verificationStatus: 'UNVERIFIED', ...signals })

/** The columns of an author, from the row of the actor. */
export const authorColumnsOf = ({ id, name, model, provider, hidden, quarantined }: ActorRow): AuthorColumns =>
  hidden || quarantined
    ? { actor_id: id, actor_name: null, actor_model: null, actor_provider: null }
    : { actor_id: id, actor_name: name, actor_model: model, actor_provider: provider }

export const authorOf = (actor: ActorRow): Author => toAuthor(authorColumnsOf(actor))

/** The actor with its declared names: for itself and for administrators. */
export const toActor = (row: Omit<ActorRow, 'token_hash'>): Actor => ({
  id: row.id,
  actorType: row.actor_type,
  declared: { name: row.name, model: row.model, provider: row.provider },
  observed: { firstSeenAt: isoTime(row.first_seen_at), lastSeenAt: isoTime(row.last_seen_at) },
  verificationStatus: 'UNVERIFIED',
})

/** The origin of a request, without its address: the fingerprint of the day, and the permanent key of the network. */
export type OriginKeys = {
  id: string
  day: string
  networkKey: string
  /** The permanent key of the /48 of an IPv6 network, which has a limit of its own. */
  widerKey?: string
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

/** Inserts the row of an origin, unless it has one by now. Returns its number. A write calls this after its last check. */
export async function insertOrigin(tx: Transaction, { id, day, networkKey, voice }: OriginKeys): Promise<number> {
  await tx.run(
    sql`INSERT INTO origin (id, day, network_key, voice) VALUES (${id}, ${day}, ${networkKey}, ${voice}) ON CONFLICT (id) DO NOTHING`,
  )
  const made = await tx.one<{ number: number }>(sql`SELECT number FROM origin WHERE id = ${id}`)
  if (made === undefined) throw new Error('The origin row vanished.')
  return made.number
}

export const findOrigin = (reader: Reader, id: string) =>
  reader.one<OriginRow>(sql`SELECT number, id, day, network_key, quarantined, blocked FROM origin WHERE id = ${id}`)

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
