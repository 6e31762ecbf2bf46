import { type Cluster, findBinaries, startCluster } from './cluster.ts'
import { NO_POSTGRES } from './engine.ts'

let cluster: Cluster | undefined

/** Starts one PostgreSQL for all test files of a run, which find it by TEST_DATABASE_URL. */
export async function globalSetup(): Promise<void> {
  if (NO_POSTGRES !== false) process.stderr.write(`\n*** ${NO_POSTGRES}\n\n`)
  const binaries = findBinaries()
  if (process.env.TEST_DATABASE_URL !== undefined || binaries === undefined) return
  cluster = await startCluster(binaries)
  process.env.TEST_DATABASE_URL = cluster.url('postgres')
}

export async function globalTeardown(): Promise<void> {
  await cluster?.close()
}
