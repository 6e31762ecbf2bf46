import assert from 'node:assert/strict'
import { type Cluster, createDatabase, findBinaries, startCluster } from './cluster.ts'
import { assertKept, assertWhole } from './integrity.ts'
import { type Sent, startWriters } from './load.ts'
import { makeDirectory, type ServerProcess, startServer } from './process.ts'
import { inspectPostgres } from './reader.ts'

/** Nodes of the service over one database on a server of the tests' own. */
export type Nodes = {
  cluster: Cluster
  /** The database, as the server itself is addressed. */
  database: string
  urls: string[]
  servers: ServerProcess[]
  /** Starts one more node; `url` is another way to the database. */
  start(url?: string, env?: Record<string, string>): Promise<ServerProcess>
}

export type NodesOptions = { count: number; standby?: boolean }

/** Runs `work` with so many nodes over a primary, and a standby that they read from if one is asked for; leaves nothing behind. */
export async function withNodes(
  { count, standby }: NodesOptions,
  work: (nodes: Nodes) => Promise<void>,
): Promise<void> {
  const cluster = await startCluster(String(findBinaries()))
  const directory = makeDirectory()
  const servers: ServerProcess[] = []
  let started = 0
  try {
    const { url: database } = await createDatabase(cluster.url('postgres'))
    const readUrl = standby ? (await cluster.standby()).url(new URL(database).pathname.slice(1)) : undefined
    const start: Nodes['start'] = async (url = database, env = {}) => {
      const reading = readUrl === undefined ? {} : { DATABASE_READ_URL: readUrl }
      const node = await startServer(`${directory.path}/node${started++}`, {
        env: { DATABASE_URL: url, ...reading, ...env },
      })
      servers.push(node)
      return node
    }
    await Promise.all(Array.from({ length: count }, () => start()))
    await work({ cluster, database, urls: servers.map(({ url }) => url), servers, start })
    for (const server of servers) server.kill('SIGTERM')
    for (const server of servers) {
      const { code, signal, stderr } = await server.ended
      if (signal !== 'SIGKILL') assert.equal(code, 0, stderr.slice(-2_000))
    }
  } finally {
    for (const server of servers) server.kill('SIGKILL')
    await cluster.close()
    directory.remove()
  }
}

/** Asserts that everything acknowledged is in the database once, nothing refused is, and the whole of it hangs together. */
export const assertSound = (database: string, sent: readonly Sent[]): Promise<void> =>
  inspectPostgres(database, async store => {
    await assertKept(store, sent)
    await assertWhole(store)
  })

/** Writers through every node. */
export function writeThrough(urls: readonly string[], count: number, label: string) {
  const writing = urls.map((url, node) => startWriters(url, count, `${label}-node${node}`))
  return {
    sent: () => writing.flatMap(({ sent }) => sent),
    acknowledged: () => writing.flatMap(writers => writers.acknowledged()),
    async stop(): Promise<Sent[]> {
      await Promise.all(writing.map(writers => writers.stop()))
      return writing.flatMap(({ sent }) => sent)
    },
  }
}
