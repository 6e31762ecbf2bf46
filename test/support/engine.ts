import { atEnd } from './at-end.ts'
import { type Cluster, createDatabase, type Database, findBinaries, startCluster } from './cluster.ts'
import { dropTemplate, migratedTemplate, newTemplateName } from './migrated-template.ts'
import { needs } from './programs.ts'

export type EngineName = 'embedded' | 'postgres'

/** The store that the service in this process uses unless a test selects one. */
export const ENGINE: EngineName = process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'embedded'

/** The reason to skip a test that needs PostgreSQL; false if there is a server or its programs. */
export const NO_POSTGRES: string | false =
  process.env.TEST_DATABASE_URL !== undefined || findBinaries() !== undefined
    ? false
    : needs('PostgreSQL or TEST_DATABASE_URL', 'postgresql')

let own: Promise<Cluster> | undefined

/** The URL of a database on the server of TEST_DATABASE_URL, or on a server that is started for this process. */
async function serverUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined) return given
  const binaries = findBinaries()
  if (binaries === undefined) throw new Error(String(NO_POSTGRES))
  own ??= startCluster(binaries)
  return (await own).url('postgres')
}

/** The name of the template, if no global setup chose one. */
let ownTemplate: string | undefined
const made = new Map<string, Promise<Database>>()
/**
 * Each drop waits for a checkpoint of the server, which is short right after another one. Several databases are therefore dropped together,
 * while the tests run.
 */
const UNUSED_MAX = 8
const unused: Database[] = []
let dropping: Promise<unknown> = Promise.resolve()
// Users of a database register later, so they end before the databases are dropped.
atEnd(async () => {
  await dropUnused()
  await dropAll(await Promise.all(made.values()))
  if (ownTemplate !== undefined) await dropTemplate(await serverUrl(), ownTemplate)
  await (await own)?.close()
})

/**
 * The settings that run a service with this data directory on an engine, by default the one under test. On PostgreSQL, the service gets its
 * own database, which has all tables.
 */
export async function engineSettings(dataDir: string, engine = ENGINE): Promise<Record<string, string>> {
  return engine === 'postgres' ? { DATABASE_URL: await databaseWithTables(dataDir) } : {}
}

/** The URL of a named database, which is created at its first use and dropped at the end. */
export const databaseOf = (name: string): Promise<string> => urlOf(name, createDatabase)

/** Like `databaseOf`, with all tables and no data. This takes half the time of the migrations. */
export const databaseWithTables = (name: string): Promise<string> =>
  urlOf(name, async url => {
    const shared = process.env.TEST_DATABASE_TEMPLATE
    if (shared === undefined) ownTemplate ??= newTemplateName()
    return createDatabase(url, await migratedTemplate(url, shared ?? String(ownTemplate)))
  })

async function urlOf(name: string, make: (url: string) => Promise<Database>): Promise<string> {
  const database = made.get(name) ?? serverUrl().then(make)
  made.set(name, database)
  return (await database).url
}

/** Drops a named database, if it exists, together with the next unused databases. */
export async function dropDatabaseOf(name: string): Promise<void> {
  const database = await made.get(name)
  made.delete(name)
  if (database === undefined) return
  unused.push(database)
  if (unused.length < UNUSED_MAX) return
  const due = unused.splice(0)
  dropping = Promise.all([dropping, dropAll(due)])
}

/** Drops the unused databases. */
export async function dropUnused(): Promise<void> {
  await dropping
  await dropAll(unused.splice(0))
}

async function dropAll(databases: readonly Database[]): Promise<void> {
  for (const database of databases) await database.drop()
}
