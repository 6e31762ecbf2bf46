import assert from 'node:assert/strict'
import { type Cluster, createDatabase, findBinaries, startCluster } from './cluster.ts'
import { databaseWithTables, dropDatabaseOf } from './engine.ts'
import { assertKept, assertWhole } from './integrity.ts'
import { type Sent, startWriters } from './load.ts'
import { makeDirectory, type ServerProcess, startServer } from './process.ts'
import { inspectPostgres } from './reader.ts'

/** Nodes of the service over one database on a server of the tests' own. */
export type Nodes = {
  readonly cluster: Cluster
  /** The database, as the server itself is addressed. */
  database: string
  /** The nodes that were started and not taken away, and their addresses. */
  servers: ServerProcess[]
  readonly urls: string[]
  /** Everything that writers sent. */
  sent: Sent[]
  /** Starts one more node; `url` is another way to the database. */
  start(url?: string, env?: Record<string, string>): Promise<ServerProcess>
  /** Ends a node, and takes it away. */
  end(server: ServerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Stops all nodes, each without an error, and removes their files. */
  close(): Promise<void>
}

/** With `shared` they have a database on the server of all tests, which is not to be stopped. */
export type NodesOptions = { count: number; standby?: boolean; shared?: boolean }

/** Starts this many nodes over a primary, with a standby for reads if requested. */
export async function openNodes({ count, standby, shared }: NodesOptions): Promise<Nodes> {
  const cluster = shared ? undefined : await startCluster(String(findBinaries()))
  const directory = makeDirectory()
  const servers: ServerProcess[] = []
  const leave = async (): Promise<void> => {
    for (const server of servers) server.kill('SIGKILL')
    await dropDatabaseOf(directory.path)
    await cluster?.close()
    directory.remove()
  }
  let started = 0
  try {
    const database =
      cluster === undefined
        ? await databaseWithTables(directory.path)
        : (await createDatabase(cluster.url('postgres'))).url
    const readUrl =
      standby && cluster !== undefined ? (await cluster.standby()).url(new URL(database).pathname.slice(1)) : undefined
    const nodes: Nodes = {
      ...{ database, servers, sent: [] },
      get cluster() {
        if (cluster === undefined) throw new Error('These nodes have no server of their own.')
        return cluster
      },
      get urls() {
        return servers.map(({ url }) => url)
      },
      async start(url = database, env = {}) {
        const reading = readUrl === undefined ? {} : { DATABASE_READ_URL: readUrl }
        const node = await startServer(`${directory.path}/node${started++}`, {
          env: { DATABASE_URL: url, ...reading, ...env },
        })
        servers.push(node)
        return node
      },
      async end(server, ending) {
        servers.splice(servers.indexOf(server), 1)
        server.kill(ending)
        const { code, signal, stderr } = await server.ended
        if (signal !== 'SIGKILL') assert.equal(code, 0, stderr.slice(-2_000))
      },
      async close() {
        try {
          await Promise.all([...servers].map(server => nodes.end(server, 'SIGTERM')))
        } finally {
          await leave()
        }
      },
    }
    await Promise.all(Array.from({ length: count }, () => nodes.start()))
    return nodes
  } catch (error) {
    await leave()
    throw error
  }
}

/** Runs `work` with its own nodes. */
export async function withNodes(options: NodesOptions, work: (nodes: Nodes) => Promise<void>): Promise<void> {
  const nodes = await openNodes(options)
  try {
    await work(nodes)
  } finally {
    await nodes.close()
  }
}

/** Asserts that everything acknowledged is in the database once, nothing refused is, and the whole of it hangs together after `failovers`. */
export const assertSound = (database: string, sent: readonly Sent[], failovers = 0): Promise<void> =>
  inspectPostgres(database, async store => {
    await assertKept(store, sent)
    await assertWhole(store, failovers)
  })

/** Writers through every node, which pause for some milliseconds before each entry. */
export function writeThrough(urls: readonly string[], count: number, label: string, pause = 0) {
  const writing = urls.map((url, node) => startWriters(url, count, `${label}-node${node}`, pause))
  return {
    sent: () => writing.flatMap(({ sent }) => sent),
    acknowledged: () => writing.flatMap(writers => writers.acknowledged()),
    async stop(): Promise<Sent[]> {
      await Promise.all(writing.map(writers => writers.stop()))
      return writing.flatMap(({ sent }) => sent)
    },
  }
}
