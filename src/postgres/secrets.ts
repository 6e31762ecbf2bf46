import { randomBytes } from 'node:crypto'
import type { PostgresConnection } from '../database/postgres.ts'

const TOKEN_DIGEST = 'admin-token-sha256'
const ORIGIN_KEY = 'origin-key'
const LOG_KEY = 'log-key'
const KEY_BYTES = 32

/** Gives the key by which all nodes recognise networks: the one in the database, which is `own` (or chance) if there was none. */
export const shareOriginKey = (connection: PostgresConnection, own: string | undefined): Promise<string> =>
  share(connection, ORIGIN_KEY, own ?? randomBytes(KEY_BYTES).toString('base64url'))

/** Gives the digest of the admin token that all nodes go by: the one in the database, which is `own` if there was none. */
export const shareTokenDigest = (connection: PostgresConnection, own: string): Promise<string> =>
  share(connection, TOKEN_DIGEST, own)

/** Gives the private key that all nodes sign the log with: the one in the database, made now if there was none. */
export const shareLogKey = async (connection: PostgresConnection, make: () => string): Promise<string> =>
  (await find(connection, LOG_KEY)) ?? share(connection, LOG_KEY, make())

/** The digest of the admin token in the database, if a node made one. */
export const findTokenDigest = (connection: PostgresConnection): Promise<string | undefined> =>
  find(connection, TOKEN_DIGEST)

async function find(connection: PostgresConnection, name: string): Promise<string | undefined> {
  const [found] = await connection.send([{ text: 'SELECT value FROM secret WHERE name = $1', values: [name] }])
  return found?.rows[0]?.value as string | undefined
}

async function share(connection: PostgresConnection, name: string, value: string): Promise<string> {
  const [, found] = await connection.send([
    { text: 'INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', values: [name, value] },
    { text: 'SELECT value FROM secret WHERE name = $1', values: [name] },
  ])
  return String(found?.rows[0]?.value)
}
