import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { call, newActor, newEntry } from '../support/client.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { sendMany } from '../support/send-many.ts'

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
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
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
