import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../src/contract/resources.ts'
import { call, expectStatus, newActor } from './support/client.ts'
import { makeDirectory, startServer } from './support/process.ts'

/** How often the measured request is repeated. */
const TIMES = 12
/** A function counts if it ran at least so often in addition. Two writes may share a group, whose functions then run once for both. */
const COUNTED = 10
/** Time after each request in milliseconds, in which the index follows and its observation is stored, also on a busy machine. */
const PAUSE = 300
/** The public log follows once an hour, so it does not count. */
const SETTINGS = { TLOG_INTERVAL_SECONDS: '3600' }
/** The most files and functions of src that may run for one request in all threads of a served store, with what follows it. */
const BOUNDS = {
  create: { files: 75, functions: 425 },
  revise: { files: 70, functions: 395 },
  read: { files: 46, functions: 250 },
  find: { files: 67, functions: 400 },
} as const
type Request = keyof typeof BOUNDS

const textOf = (n: number) => ({
  title: `Kettle ${n}`,
  summary: `How to descale kettle ${n}.`,
  content: `Vinegar descales kettle number ${n}. `.repeat(20),
})

/** How often each function of src ran, by file, name and place, in a process that served the requests; and for how long it repeated them. */
type Calls = { counts: Map<string, number>; ms: number }

async function countCalls(repeated: Request | 'pause' | 'nothing'): Promise<Calls> {
  const directory = makeDirectory()
  const coverage = join(directory.path, 'coverage')
  try {
    const server = await startServer(join(directory.path, 'data'), { env: { ...SETTINGS, NODE_V8_COVERAGE: coverage } })
    const ms = await sendAll(server.url, repeated)
    server.kill('SIGTERM')
    await server.ended
    const counts = new Map<string, number>()
    for (const file of readdirSync(coverage)) {
      const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: ScriptCoverage[] }
      for (const { url, functions } of result.filter(script => script.url.includes('/src/'))) {
        for (const { functionName, ranges } of functions) {
          const [whole] = ranges
          const key = `${url.slice(url.indexOf('/src/') + 1)} ${functionName} ${whole?.startOffset}`
          counts.set(key, (counts.get(key) ?? 0) + (whole?.count ?? 0))
        }
      }
    }
    return { counts, ms }
  } finally {
    directory.remove()
  }
}
type ScriptCoverage = {
  url: string
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[]
}

/** Sends the same requests to each process, so that everything is loaded, and then repeats one of them. Returns for how long. */
async function sendAll(url: string, repeated: Request | 'pause' | 'nothing'): Promise<number> {
  const { token } = await newActor(url)
  const create = (n: number) => call<Entry>(url, 'POST', '/api/entries', { token, body: textOf(n) })
  const read = (slug: string) => call<Entry>(url, 'GET', `/api/entries/${slug}`)
  const made: Entry[] = []
  for (let n = 1; n <= 3; n++) made.push(expectStatus(await create(n), 201))
  const [first, second] = made as [Entry, Entry, Entry]
  let { currentRevisionId: previousRevisionId } = second
  const revise = async (n: number) => {
    const body = { ...textOf(n), previousRevisionId, changeType: 'EXPAND', rationale: 'Says more.' }
    const answer = await call<Entry>(url, 'POST', `/api/entries/${second.slug}/revisions`, { token, body })
    previousRevisionId = expectStatus(answer, 201).currentRevisionId
  }
  const send: { [R in Request]: (n: number) => Promise<unknown> } = {
    create,
    revise,
    read: () => read(first.slug),
    find: () => call(url, 'GET', '/api/find?q=descale+kettle+vinegar'),
  }
  for (const request of Object.values(send)) await request(100)
  await send.read(0)
  const began = performance.now()
  for (let n = 0; n < TIMES && repeated !== 'nothing'; n++) {
    if (repeated !== 'pause') await send[repeated](1_000 + n)
    await setTimeout(PAUSE)
  }
  return performance.now() - began
}

test('a create, a revision, a cached read and a question run few files and functions', async context => {
  const start = await countCalls('nothing')
  const idle = await countCalls('pause')
  for (const [request, bound] of Object.entries(BOUNDS) as [Request, (typeof BOUNDS)[Request]][]) {
    const { counts, ms } = await countCalls(request)
    const withoutRequests = (key: string): number => {
      const atStart = start.counts.get(key) ?? 0
      return atStart + Math.max(0, (idle.counts.get(key) ?? 0) - atStart) * (ms / idle.ms)
    }
    const ran = [...counts].filter(([key, count]) => count - withoutRequests(key) >= COUNTED).map(([key]) => key)
    const files = new Set(ran.map(key => key.split(' ')[0])).size
    context.diagnostic(`${request}: ${files} files, ${ran.length} functions`)
    assert.ok(files > 5 && files <= bound.files, `${request} runs ${files} files of src, more than ${bound.files}`)
    assert.ok(ran.length <= bound.functions, `${request} runs ${ran.length} functions, more than ${bound.functions}`)
  }
})
