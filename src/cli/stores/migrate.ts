import type { Write } from '../../database/database.ts'
import { migrate } from '../../database/migrate.ts'
import { migratePostgres, readColumnTypes } from '../../database/migrate-postgres.ts'
import { openSqlite } from '../../database/sqlite.ts'
import { transact } from '../../database/sqlite-session.ts'
import { findDataDirectory, lockDataDirectory } from '../../embedded/data-directory.ts'
import { storeFile } from '../../embedded/files.ts'
import { recountSignals } from '../../operations/evidence/recount-signals.ts'
import { recountStandings } from '../../operations/evidence/recount-standings.ts'
import { assertNotForeign, assertPrimary, assertTrustworthy } from '../../postgres/checks.ts'
import { type Recounted, recountDatabase } from '../../postgres/recount.ts'
import { connectCommand } from '../../postgres/snapshot.ts'
import { EXIT, type Invocation } from '../command.ts'
import { createProgress } from '../progress.ts'
import { databaseUrlOf, dataDirOf } from './data-dir.ts'
import { openStoreOfAnySchema } from './open-store.ts'

/** Migrates a store to the newest schema, computes missing derived data, and prints the steps. */
export async function migrateStore(invocation: Invocation): Promise<number> {
  const url = databaseUrlOf(invocation)
  const begin = invocation.switches.has('recount') ? 'anew' : 'where it ended'
  const progress = createProgress(invocation.stderr)
  const report = (line: string): void => progress.update(() => line)
  const { steps, recounted } =
    url === undefined ? await migrateEmbedded(invocation, report, begin) : await migrateDatabase(url, report, begin)
  progress.end()
  const lines = steps.map(step => `Applied to the schema: ${step}`)
  if (recounted.entries > 0) lines.push(`Computed: the standings of ${recounted.entries} entries`)
  if (recounted.revisions > 0) lines.push(`Computed: the signals of ${recounted.revisions} revisions`)
  if (lines.length === 0) lines.push('Nothing to do: the schema is the newest.')
  invocation.stdout.write(`${lines.join('\n')}\n`)
  return EXIT.ok
}

type Report = (line: string) => void
type Begin = Parameters<typeof recountStandings>[2]
type Migrated = { steps: string[]; recounted: Recounted }

async function migrateDatabase(url: string, report: Report, begin: Begin): Promise<Migrated> {
  const connection = await connectCommand(url)
  try {
    await assertTrustworthy(connection)
    await assertPrimary(connection)
    await assertNotForeign(connection)
    const steps = await migratePostgres(connection, Date.now())
    const recounted = await recountDatabase(connection, await readColumnTypes(connection), report, begin)
    return { steps, recounted }
  } finally {
    await connection.close()
  }
}

async function migrateEmbedded(invocation: Invocation, report: Report, begin: Begin): Promise<Migrated> {
  const directory = findDataDirectory(dataDirOf(invocation), storeFile)
  const unlock = lockDataDirectory(directory)
  try {
    openStoreOfAnySchema(storeFile(directory)).close()
    const connection = openSqlite(storeFile(directory), 'write')
    try {
      const steps = migrate(connection, Date.now())
      const write: Write = work => transact(connection, work)
      const entries = await recountStandings(write, report, begin)
      const revisions = await recountSignals(write, report, begin)
      return { steps, recounted: { entries, revisions } }
    } finally {
      connection.close()
    }
  } finally {
    unlock()
  }
}
