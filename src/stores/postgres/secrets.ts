import { randomBytes } from 'node:crypto'
import { type Reader, sql } from '../../engine/database.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'

const TOKEN_DIGEST = 'admin-token-sha256'
const ORIGIN_KEY = 'origin-key'
const ORIGIN_DIGEST = 'origin-key-digest'
const LOG_KEY = 'log-key'
const KEY_BYTES = 32

/** Resolves with the key in the database by which all nodes recognise networks. If there is none, stores `own` or a random key. */
export const shareOriginKey = (connection: PostgresConnection, own: string | undefined): Promise<string> =>
  share(connection, ORIGIN_KEY, own ?? randomBytes(KEY_BYTES).toString('base64url'))

/** Whether the database has the key by which all nodes recognise networks. */
export const hasOriginKey = async (connection: PostgresConnection): Promise<boolean> =>
  (await find(connection, ORIGIN_KEY)) !== undefined

/** Notes the digest of the origin key for all nodes. Resolves with the digest that the database had before, if there was one. */
export async function noteOriginKey(connection: PostgresConnection, digest: string): Promise<string | undefined> {
  const before = await find(connection, ORIGIN_DIGEST)
  if (before !== digest) {
    const text = 'INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2'
    await connection.query(text, [ORIGIN_DIGEST, digest])
  }
  return before
}

/** Resolves with the digest of the admin token that all nodes share in the database. If there is none, stores `own`. */
export const shareTokenDigest = (connection: PostgresConnection, own: string): Promise<string> =>
  share(connection, TOKEN_DIGEST, own)

/** Replaces the digest of the admin token that all nodes share. */
export async function replaceTokenDigest(connection: PostgresConnection, digest: string): Promise<void> {
  const text = 'INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2'
  await connection.query(text, [TOKEN_DIGEST, digest])
}

/** The digest of the admin token, by a reader. */
export const readTokenDigest = async (reader: Reader): Promise<string | undefined> =>
  (await reader.one<{ value: string }>(sql`SELECT value FROM secret WHERE name = ${TOKEN_DIGEST}`))?.value

/** Resolves with the private key of the log that all nodes share in the database. If there is none, makes and stores one. */
export const shareLogKey = async (connection: PostgresConnection, make: () => string): Promise<string> =>
  (await find(connection, LOG_KEY)) ?? share(connection, LOG_KEY, make())

/** What the database has for its nodes: a key is missing if the nodes have it as a setting. */
export type SharedSecrets = Record<'adminDigest' | 'originKey' | 'logKey', string | undefined>

export const listSharedSecrets = async (connection: PostgresConnection): Promise<SharedSecrets> => ({
  adminDigest: await find(connection, TOKEN_DIGEST),
  originKey: await find(connection, ORIGIN_KEY),
  logKey: await find(connection, LOG_KEY),
})

/** The digest of the admin token in the database, if a node made one. */
export const findTokenDigest = (connection: PostgresConnection): Promise<string | undefined> =>
  find(connection, TOKEN_DIGEST)

async function find(connection: PostgresConnection, name: string): Promise<string | undefined> {
  const [found] = await connection.query<{ value: string }>('SELECT value FROM secret WHERE name = $1', [name])
  return found?.value
}

async function share(connection: PostgresConnection, name: string, value: string): Promise<string> {
  const [, found] = await connection.send([
    { text: 'INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', values: [name, value] },
    { text: 'SELECT value FROM secret WHERE name = $1', values: [name] },
  ])
  return String(found?.rows[0]?.value)
}
