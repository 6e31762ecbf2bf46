import { randomUUID } from 'node:crypto'
import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { insertHead } from '../store/head.ts'

/** Gives a new store its identity; an old one keeps its own. */
export async function ensureHead(connection: SqliteConnection): Promise<void> {
  if (connection.one(sql`SELECT one FROM head`) === undefined) await insertHead(connection, randomUUID())
}
