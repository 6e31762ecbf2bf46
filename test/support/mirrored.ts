import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Revision } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN } from './app.ts'
import { spawn } from './children.ts'
import { call, callPatiently, expectStatus, newActor, newEntry, revisionOf } from './client.ts'
import { freePort } from './ports.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from './process.ts'
import { missing, pathOf } from './programs.ts'

const HAPROXY = pathOf('haproxy')
export const NO_HAPROXY = missing('haproxy')
const CONFIGURATION = join(import.meta.dirname, '../../deploy/haproxy-mirrors.cfg')
const PATIENCE = 60_000

/** A writer, mirrors that follow it, and HAProxy with the configuration of `deploy/` in front of them, each in its own process. */
export type Mirrored = {
  url: string
  writer: ServerProcess
  mirrors: ServerProcess[]
  /** The number of requests for an operation that a server has answered. */
  answered(server: ServerProcess, operation: string): Promise<number>
  close(): Promise<void>
}

/** Settings of servers behind the balancer. */
export const MIRRORED_ENV = { TRUSTED_PROXIES: '127.0.0.1', TLOG_INTERVAL_SECONDS: '0.05' }

export async function startMirrored(count: number): Promise<Mirrored> {
  const directory = makeDirectory()
  const mirrors: ServerProcess[] = []
  const env = MIRRORED_ENV
  const writer = await startServer(join(directory.path, 'writer'), { env })
  await newEntry(writer.url, (await newActor(writer.url)).token)
  // A mirror trusts the first key of the log.
  await eventually('the log is signed', PATIENCE, async () =>
    (await call(writer.url, 'GET', '/log/checkpoint')).status === 200 ? true : undefined,
  )
  for (let n = 0; n < count; n++) {
    const dataDir = join(directory.path, `mirror${n}`)
    mirrors.push(await startServer(dataDir, { env, args: ['mirror', writer.url, '--serve', '--data-dir', dataDir] }))
  }
  const { url, kill } = await startBalancer(
    writer.url,
    mirrors.map(({ url }) => url),
  )
  return {
    ...{ url, writer, mirrors },
    async answered(server, operation) {
      const { text } = await call(server.url, 'GET', '/metrics', {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      const lines = text
        .split('\n')
        .filter(line => line.startsWith('palimpsest_requests_total{') && line.includes(`"${operation}"`))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    async close() {
      kill()
      for (const server of [...mirrors, writer]) server.kill('SIGTERM')
      await Promise.all([...mirrors, writer].map(({ ended }) => ended))
      directory.remove()
    },
  }
}

/** HAProxy with the configuration of `deploy/`. Resolves once it has a ready server. */
export async function startBalancer(writer: string, mirrors: readonly string[]) {
  const port = await freePort()
  const balancer = spawn(String(HAPROXY), ['-db', '-f', CONFIGURATION], {
    stdio: 'ignore',
    env: {
      PALIMPSEST_BIND: `127.0.0.1:${port}`,
      PALIMPSEST_WRITER: new URL(writer).host,
      ...Object.fromEntries([1, 2, 3, 4].map(n => [`PALIMPSEST_MIRROR${n}`, '127.0.0.1:1'])),
      ...Object.fromEntries(mirrors.map((url, n) => [`PALIMPSEST_MIRROR${n + 1}`, new URL(url).host])),
    },
  })
  const url = `http://127.0.0.1:${port}`
  await eventually('the balancer has a server', PATIENCE, () =>
    call(url, 'GET', '/ready').then(
      ({ status }) => (status === 200 ? true : undefined),
      () => undefined,
    ),
  )
  return { url, kill: () => balancer.kill('SIGKILL') }
}

/** An address in front of a server. While it is shut, it holds requests for lines of the export until it opens. */
export async function startGate(server: string) {
  let opened = Promise.withResolvers<void>()
  const gate = createServer(async (incoming, outgoing) => {
    if (incoming.url?.startsWith('/api/export?')) await opened.promise
    const forwarded = request(new URL(incoming.url ?? '', server), { headers: incoming.headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    outgoing.on('close', () => forwarded.destroy())
    forwarded.on('error', () => outgoing.destroy()).end()
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  return {
    url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    open: () => opened.resolve(),
    shut() {
      opened = Promise.withResolvers()
    },
    close() {
      gate.close()
      gate.closeAllConnections()
    },
  }
}

/**
 * Clients that write and read their own writes through one address until the signal, or `rounds` times, with pauses in milliseconds.
 * Returns the number of reads, the number of repeated reads, and the reads that lacked the client's own write.
 */
export async function readOwnWrites(
  url: string,
  clients: number,
  rounds: number,
  { signal, pause = 0 }: { signal?: AbortSignal; pause?: number } = {},
) {
  const seen = { reads: 0, repeated: 0, stale: [] as string[] }
  const read = async <T>(path: string, sequence: string): Promise<T> => {
    for (;;) {
      const answer = await call<T>(url, 'GET', path, { headers: { 'min-sequence': sequence } })
      seen.reads += 1
      if (answer.status !== 503) return expectStatus(answer, 200)
      seen.repeated += 1
    }
  }
  const drive = async (): Promise<void> => {
    const { token } = await newActor(url)
    let entry = await newEntry(url, token)
    for (let round = 0; round < rounds && !signal?.aborted; round++) {
      const path = `/api/entries/${entry.slug}`
      const written = await callPatiently<typeof entry>(url, 'POST', `${path}/revisions`, {
        token,
        body: revisionOf(entry, { content: `Round ${round}` }),
      })
      const own = expectStatus(written, 201)
      const sequence = written.headers.get('sequence') ?? ''
      const shown = await read<typeof entry>(path, sequence)
      const { items } = await read<{ items: Revision[] }>(`${path}/revisions?limit=1`, sequence)
      // No other client revises this entry.
      if (shown.currentRevisionId !== own.currentRevisionId || items[0]?.id !== own.currentRevisionId) {
        seen.stale.push(`${path} at ${sequence}`)
      }
      entry = own
      await setTimeout(pause)
    }
  }
  await Promise.all(Array.from({ length: clients }, drive))
  return seen
}
