import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { call, newActor, newEntry } from '../support/client.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'

const ANSWER = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\ncontent-length: (\d+)\r\n[\s\S]*?\r\n\r\n/i

/** Sends GET requests on each connection, one after another. Returns the number of answers of each status. */
async function sendMany(
  url: string,
  count: number,
  requestOf: (n: number) => { path: string; headers: Record<string, string> },
  connections = 4,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const { port } = new URL(url)
  let sent = 0
  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      let received = ''
      const sendNext = (): void => {
        if (sent === count) {
          socket.destroy()
          return
        }
        const { path, headers } = requestOf(sent++)
        const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${fields.join('')}\r\n`)
      }
      socket.setEncoding('latin1')
      socket.on('connect', sendNext)
      socket.on('data', (chunk: string) => {
        received += chunk
        const [head, status, length] = ANSWER.exec(received) ?? []
        if (head === undefined || received.length < head.length + Number(length)) return
        statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1)
        received = ''
        sendNext()
      })
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })
  await Promise.all(Array.from({ length: connections }, drive))
  return statuses
}

const READS = 1_000_000
const AGENTS = 10_000
const ENTRIES = 100
const GROWTH_MAX = 50_000_000

const directory = makeDirectory()
after(() => directory.remove())

const sizeOf = (path: string): number =>
  readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
/** The resident memory of a process in bytes. */
const memoryOf = ({ pid }: ServerProcess): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
const million = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

async function stop(server: ServerProcess): Promise<void> {
  assert.equal((await server.stop()).code, 0)
}

test('a million reads by 10,000 User-Agents grow the store by 50 MB at most', async context => {
  const dataDir = join(directory.path, 'read')
  const server = await startServer(dataDir)
  const { token } = await newActor(server.url)
  const slugs: string[] = []
  for (let n = 0; n < ENTRIES; n++) slugs.push((await newEntry(server.url, token)).slug)
  const before = sizeOf(dataDir)
  // Neighbours in time differ in both, so that every pair of an agent and an entry comes up.
  const statuses = await sendMany(server.url, READS, n => ({
    path: `/api/entries/${slugs[Math.floor(n / AGENTS)]}`,
    headers: { 'User-Agent': `agent-${n % AGENTS}` },
  }))
  assert.deepEqual([...statuses], [[200, READS]])
  const stats = await call<{ externalInteractions: number }>(server.url, 'GET', '/api/stats')
  assert.ok(stats.body.externalInteractions >= READS, 'every read is counted')
  const memory = memoryOf(server)
  await stop(server)
  const grown = sizeOf(dataDir) - before
  context.diagnostic(`${READS} reads: the store grew by ${million(grown)}, memory ${million(memory)}`)
  assert.ok(grown < GROWTH_MAX, million(grown))
})
