import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { call, newActor, newEntry } from '../support/client.ts'
import { type Mirrored, NO_HAPROXY, readOwnWrites, startMirrored } from '../support/mirrored.ts'
import { eventually, type ServerProcess } from '../support/process.ts'
import { hammer } from './hammer.ts'

const PERIOD = 100_000
/** The folders in which the kernel makes control groups, each with the file that limits processor time, and its content. */
const KINDS = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', contentOf: (quota: number) => String(quota) },
  { root: '/sys/fs/cgroup', file: 'cpu.max', contentOf: (quota: number) => `${quota} ${PERIOD}` },
]

/**
 * Limits a process and its threads to a share of one core, to simulate a slower machine. Returns a function that removes the limit after
 * the end of the process; undefined if this user may not make control groups.
 */
function boundCpu(pid: number, share: number): (() => void) | undefined {
  for (const { root, file, contentOf } of KINDS) {
    const group = join(root, `palimpsest-test-${pid}`)
    try {
      mkdirSync(group)
      if (existsSync(join(group, file))) {
        writeFileSync(join(group, file), contentOf(Math.round(share * PERIOD)))
        writeFileSync(join(group, 'cgroup.procs'), String(pid))
        return () => rmdirSync(group)
      }
      rmdirSync(group)
    } catch {
      // Tries the next kind.
    }
  }
  return undefined
}

/** Of one core, for each server: all of them, the balancer and the load share one machine. */
const SHARE = 0.1
const MIRRORS = 4
const LASTS = 16_000
const WARMING = 2_000
/** As many that four servers have requests while one of them waits for its share of the processor. */
const CONNECTIONS = 160
/** Twice the mirrors answer at least so many times the reads. */
const GROWTH = 1.3
const PATIENCE = 60_000

let served: Mirrored
before(async () => {
  if (NO_HAPROXY === false) served = await startMirrored(MIRRORS)
})
after(() => served?.close())

const readsPerSecond = async (url: string, path: string, milliseconds: number): Promise<number> => {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const order = { url, request, pipelined: 1, connections: CONNECTIONS, from: '127.0.0.1', milliseconds }
  const { statuses } = await hammer(order)
  return Math.round((statuses['200'] ?? 0) / (milliseconds / 1_000))
}

test('the rate of reads grows with the mirrors, and no client reads a state before its own write', {
  skip: NO_HAPROXY,
}, async context => {
  const { url, writer, mirrors } = served
  const { slug } = await newEntry(url, (await newActor(url)).token)
  const path = `/api/entries/${slug}`
  const has = async ({ url: at }: ServerProcess) => ((await call(at, 'GET', path)).status === 200 ? true : undefined)
  for (const mirror of mirrors) await eventually('a mirror has the entry', PATIENCE, () => has(mirror))
  // Code that is compiled after the bound would be measured in place of reads.
  for (const server of [writer, ...mirrors]) await readsPerSecond(server.url, path, WARMING)
  const bounds = [writer, ...mirrors].map(({ pid }) => boundCpu(pid, SHARE))
  if (bounds.includes(undefined)) return context.skip('SKIPPED: this user cannot make control groups')
  const rates = new Map<number, number>()
  for (const count of [4, 2, 1]) {
    while (mirrors.length > count) {
      const mirror = mirrors.pop()
      mirror?.kill('SIGKILL')
      await mirror?.ended
    }
    const stop = new AbortController()
    const clients = readOwnWrites(url, 1, Number.POSITIVE_INFINITY, { signal: stop.signal, pause: 1_000 })
    rates.set(count, await readsPerSecond(url, path, LASTS))
    stop.abort()
    const { reads, repeated, stale } = await clients
    assert.deepEqual(stale, [])
    context.diagnostic(
      `${count} mirrors: ${rates.get(count)} reads/s; ${reads} reads of own writes, ${repeated} repeated`,
    )
  }
  const [one = 0, two = 0, four = 0] = [1, 2, 4].map(count => rates.get(count))
  context.diagnostic(
    `2 mirrors answer ${(two / one).toFixed(2)}, 4 mirrors ${(four / one).toFixed(2)} times the reads of one`,
  )
  assert.ok(two > GROWTH * one && four > GROWTH * two, `${one} ${two} ${four}`)
})
