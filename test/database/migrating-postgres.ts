import { migratePostgres } from '../../src/engine/migrate.ts'
import { connectPostgres } from '../../src/engine/postgres.ts'
import { STEPS } from './migrating-steps.ts'

/** A process that migrates the database at its argument. */
const [url = ''] = process.argv.slice(2)
const connection = await connectPostgres({ url, name: 'migrating', statementTimeout: 10_000, idleTimeout: 10_000 })
await migratePostgres(connection, 1, STEPS)
await connection.close()
