import type { TestContext } from 'node:test'
import {
  type Cluster,
  createDatabase,
  findBinaries,
  type Server,
  startCluster,
  withClient,
} from '../support/cluster.ts'
import { eventually } from '../support/process.ts'

const PATIENCE = 60_000

export type Replicated = {
  cluster: Cluster
  standbys: (Server & { promote(): Promise<void> })[]
  /** The address of the database on the primary. */
  url: string
  /** Its address on another server. */
  urlAt(server: Server): string
}

/** Makes a primary with standbys, and a database on it, for the duration of a test. */
export async function replicated(t: TestContext, count: number): Promise<Replicated> {
  const cluster = await startCluster(String(findBinaries()))
  t.after(() => cluster.close())
  const standbys: Replicated['standbys'] = []
  for (let n = 0; n < count; n++) standbys.push(await cluster.standby())
  const { url } = await createDatabase(cluster.url('postgres'))
  return { cluster, standbys, url, urlAt: server => server.url(new URL(url).pathname.slice(1)) }
}

export const run = (url: string, text: string) => withClient(url, client => client.query(text))

/** Resolves when a standby has replayed everything that the primary has. */
export const caughtUp = (primary: string, standby: string): Promise<true> =>
  eventually('the standby has caught up', PATIENCE, async () => {
    const { rows } = await run(primary, 'SELECT pg_current_wal_flush_lsn()::text AS lsn')
    const reached = await run(standby, `SELECT pg_last_wal_replay_lsn() >= '${rows[0].lsn}' AS reached`)
    return reached.rows[0].reached || undefined
  })
