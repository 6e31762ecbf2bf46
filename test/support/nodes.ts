import assert from 'node:assert/strict'
import { type Cluster, createDatabase, findBinaries, startCluster } from './cluster.ts'
import { databaseWithTables, dropDatabaseOf } from './engine.ts'
import { assertKept, assertWhole } from './integrity.ts'
import { type Sent, startWriters } from './load.ts'
import { makeDirectory, type ServerProcess, startServer } from './process.ts'
import { inspectPostgres } from './reader.ts'

/** Nodes of the service over one database on a server that only the tests use. */
export type Nodes = {
  readonly cluster: Cluster
  /** The URL of the database on the server itself, without a proxy. */
  database: string
  /** The running nodes, and their addresses. */
  servers: ServerProcess[]
  readonly urls: string[]
  /** All writes that writers sent. */
  sent: Sent[]
  /** Starts another node; `url` is another address of the database. */
  start(url?: string, env?: Record<string, string>): Promise<ServerProcess>
  /** Ends a node and removes it from `servers`. */
  end(server: ServerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Stops all nodes, asserts that each ends without an error, and removes their files. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** With `shared`, the nodes use a database on the server of all tests, which must not be stopped. */
export type NodesOptions = { count: number; standby?: boolean; shared?: boolean }

/** Starts nodes over a primary, with a standby for reads if requested. */
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
      [Symbol.asyncDispose]: () => nodes.close(),
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
  await using nodes = await openNodes(options)
  await work(nodes)
}

/** Asserts that the database contains everything acknowledged exactly once, nothing refused, and is consistent after `failovers`. */
export const assertSound = (database: string, sent: readonly Sent[], failovers = 0): Promise<void> =>
  inspectPostgres(database, async store => {
    await assertKept(store, sent)
    await assertWhole(store, failovers)
  })

/** Starts writers through every node. They pause for `pause` milliseconds before each entry. */
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
