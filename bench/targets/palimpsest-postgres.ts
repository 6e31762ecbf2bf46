import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cluster, createDatabase, findBinaries, startCluster, withClient } from '../../test/support/cluster.ts'
import { filled, type Store, type Target } from '../target.ts'
import { atMost, fillService, HERE, type Service, situationOf, startService, untilIndexed } from './palimpsest.ts'

/** The file with the name of the database. */
const DATABASE = 'database'

export type Nodes = { cluster: Cluster; database: string; urls: string[]; services: Service[]; close(): Promise<void> }

const clusterIn = (directory: string): string => join(directory, 'cluster')

async function openCluster(directory: string): Promise<Cluster> {
  const binaries = findBinaries()
  if (binaries === undefined) throw new Error('There is no PostgreSQL here; install the package postgresql.')
  const path = clusterIn(directory)
  if (!existsSync(path)) {
    mkdirSync(path)
    if (process.getuid?.() === 0) execFileSync('chown', ['postgres:postgres', path])
    chmodSync(path, 0o700)
  }
  return startCluster(binaries, path)
}

/** Nodes over the cluster stored in a directory. The files of each node are in `scratch`. The system assigns cores. */
export async function openNodes(directory: string, scratch: string, count: number, checkout = HERE): Promise<Nodes> {
  const name = readFileSync(join(directory, DATABASE), 'utf8')
  const cluster = await openCluster(directory)
  const database = cluster.url(name)
  const services: Service[] = []
  const close = async (): Promise<void> => {
    for (const { server } of services) await server.stop()
    await cluster.close()
  }
  try {
    for (let n = 0; n < count; n++) {
      const dataDir = join(scratch, `node-${n}`)
      services.push(await startService({ DATABASE_URL: database, DATA_DIR: dataDir }, undefined, checkout))
    }
  } catch (error) {
    await close()
    throw error
  }
  return { cluster, database, urls: services.map(({ url }) => url), services, close }
}

const storeOf = (name: string, checkout: string): Store => ({
  name,
  async fill(directory, place) {
    const cluster = await openCluster(directory)
    try {
      const { url } = await createDatabase(cluster.url('postgres'))
      const settings = { DATABASE_URL: url, DATA_DIR: join(place.scratch, 'filling') }
      await fillService(await startService(settings, undefined, checkout), place)
      await withClient(url, client => client.query('VACUUM ANALYZE'))
      writeFileSync(join(directory, DATABASE), new URL(url).pathname.slice(1))
    } finally {
      await cluster.close()
    }
  },
})

/** The store of this checkout's nodes. */
export const POSTGRES_STORE = storeOf('palimpsest-postgres', HERE)

/** The service of a checkout on PostgreSQL. All variants of this checkout share a filled store. */
export const onPostgres = (name: string, count: number, checkout = HERE): Target => ({
  name,
  operations: ['R', 'L', 'S', 'W', 'U', 'M'],
  most: 1_000_000,
  async start(place) {
    const kept = await filled(place, checkout === HERE ? POSTGRES_STORE : storeOf(name, checkout))
    execFileSync('cp', ['-a', clusterIn(kept), join(kept, DATABASE), place.scratch])
    const nodes = await openNodes(place.scratch, place.scratch, count, checkout)
    // Nodes are not suspended: one that still fills its index would slow every target down.
    await Promise.all(nodes.urls.map(untilIndexed))
    const [slugs, bytes] = await withClient(nodes.database, async client => [
      (await client.query<{ slug: string }>('SELECT slug FROM entry ORDER BY number')).rows.map(({ slug }) => slug),
      Number((await client.query('SELECT pg_database_size(current_database()) AS bytes')).rows[0].bytes),
    ])
    return {
      about: `the service${checkout === HERE ? '' : ` of ${checkout}`}, ${count} nodes over one PostgreSQL, wherever the system puts them`,
      pids: nodes.services.map(({ server }) => server.pid),
      pausable: false,
      situation: await situationOf(nodes.urls, atMost(slugs as string[]), place.words),
      stop: nodes.close,
      bytes: bytes as number,
    }
  },
})
