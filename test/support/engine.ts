import { after } from 'node:test'
import { type Cluster, createDatabase, type Database, findBinaries, startCluster } from './cluster.ts'

/** Which store the service runs on in this process: the embedded one, or PostgreSQL. */
export const ENGINE = process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'embedded'

/** The reason why nothing can run on PostgreSQL here, or false. */
export const NO_POSTGRES: string | false =
  process.env.TEST_DATABASE_URL !== undefined || findBinaries() !== undefined
    ? false
    : 'SKIPPED: there is no PostgreSQL here; install the package postgresql or set TEST_DATABASE_URL'

let own: Promise<Cluster> | undefined

/** A database on some server: that of TEST_DATABASE_URL, or one that is started for this process. */
async function serverUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined) return given
  const binaries = findBinaries()
  if (binaries === undefined) throw new Error(String(NO_POSTGRES))
  own ??= startCluster(binaries)
  return (await own).url('postgres')
}

const made = new Map<string, Promise<Database>>()
after(async () => {
  for (const database of made.values()) await (await database).drop()
  await (await own)?.close()
})

/** The settings that put a service with this data directory on the engine under test: on PostgreSQL, a database of its own. */
export async function engineSettings(dataDir: string): Promise<Record<string, string>> {
  return ENGINE === 'postgres' ? { DATABASE_URL: await databaseOf(dataDir) } : {}
}

/** The database that belongs to a name, made when it is first asked for and dropped at the end. */
export async function databaseOf(name: string): Promise<string> {
  const database = made.get(name) ?? serverUrl().then(createDatabase)
  made.set(name, database)
  return (await database).url
}

/** Drops the database of a name, if there is one. */
export async function dropDatabaseOf(name: string): Promise<void> {
  const database = await made.get(name)
  made.delete(name)
  await database?.drop()
}
