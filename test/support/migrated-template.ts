import { randomBytes } from 'node:crypto'
import { migratePostgres } from '../../src/engine/migrate.ts'
import { connectPostgres } from '../../src/engine/postgres.ts'
import { urlOfDatabase, withClient } from './cluster.ts'

/** The advisory lock for the process that creates the template. */
const LOCK = 5_417_220_311
const PATIENCE = 100_000

/** A name that no other run uses. */
export const newTemplateName = (): string => `palimpsest_template_${randomBytes(8).toString('hex')}`

/** Returns the name of a database with all tables. The first process that calls this creates it on the server at `url`. */
export async function migratedTemplate(url: string, name: string): Promise<string> {
  await withClient(url, async client => {
    await client.query(`SELECT pg_advisory_lock(${LOCK})`)
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount !== 0) return
    // The database is renamed once it has all tables, so that a killed process leaves no incomplete template.
    await client.query(`DROP DATABASE IF EXISTS ${name}_making WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${name}_making ENCODING 'UTF8' TEMPLATE template0`)
    const limits = { statementTimeout: PATIENCE, idleTimeout: PATIENCE }
    const connection = await connectPostgres({ url: urlOfDatabase(url, `${name}_making`), name: 'template', ...limits })
    try {
      await migratePostgres(connection, Date.now())
    } finally {
      await connection.close()
    }
    await client.query(`ALTER DATABASE ${name}_making RENAME TO ${name}`)
  })
  return name
}

/** Drops the template on the server at `url`, if there is one. */
export async function dropTemplate(url: string, name: string): Promise<void> {
  await withClient(url, client => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
}
