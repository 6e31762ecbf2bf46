import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { COSTLY_CONTENTS, COSTLY_DIFFERENCES } from '../support/costly.ts'
import { eventually } from '../support/process.ts'

/** The maximum cost of any single request, in milliseconds of the processor, all threads of the service together. */
const MOST = 250
const TIMES = 3
const PAGE_BYTES = 4_000_000
const CONTENT_MAX = 20_000

let token = ''
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})

type Asked = { path: string; body?: unknown }

/** Sends a request once, so that all code is compiled, then several times. Returns the least cost: other work of the process only adds to it. */
async function costOf(asked: Asked): Promise<number> {
  await costOnce(asked)
  const costs: number[] = []
  for (let time = 0; time < TIMES; time += 1) costs.push(await costOnce(asked))
  return Math.min(...costs)
}

async function costOnce({ path, body }: Asked): Promise<number> {
  const from = process.cpuUsage()
  const answer = await call(app.url, body === undefined ? 'GET' : 'POST', path, {
    body,
    headers: { accept: 'text/html' },
  })
  const { user, system } = process.cpuUsage(from)
  expectStatus(answer, 200)
  assert.ok(Buffer.byteLength(answer.text) < PAGE_BYTES, `${path} has ${Buffer.byteLength(answer.text)} bytes`)
  return (user + system) / 1_000
}

const assertCheap = async (name: string, asked: Asked): Promise<number> =>
  assertCost(name, asked.path, await costOf(asked))

function assertCost(name: string, path: string, cost: number): number {
  assert.ok(cost <= MOST, `${name}: ${path} cost ${cost.toFixed(0)} ms`)
  return cost
}

const measured: [number, string][] = []
after(() => {
  const [first] = measured.toSorted(([a], [b]) => b - a)
  if (first !== undefined) process.stdout.write(`# dearest: ${first[1]}, ${first[0].toFixed(0)} ms of the processor\n`)
})

test('a page of the longest content costs little, for any content', async () => {
  for (const [name, content] of Object.entries(COSTLY_CONTENTS)) {
    // A content that was shown before is not rendered again: each view shows another one.
    const slugs: string[] = []
    for (let view = 0; view <= TIMES; view += 1) {
      const { slug } = await newEntry(app.url, token, { content: `${content.slice(0, CONTENT_MAX - 2)}\n${view}` })
      slugs.push(slug)
    }
    const costs: number[] = []
    for (const slug of slugs) costs.push(await costOnce({ path: `/entries/${slug}` }))
    measured.push([assertCost(name, '/entries', Math.min(...costs.slice(1))), name])
  }
})

test('the layers of the longest content cost little, for any content', async () => {
  for (const [name, content] of Object.entries(COSTLY_CONTENTS)) {
    const { slug } = await newEntry(app.url, token, { content, title: 'Layers' })
    const path = `/entries/${slug}/layers`
    measured.push([await assertCheap(name, { path }), `${name} ${path}`])
  }
})

test('a preview costs no more than the page', async () => {
  for (const name of ['brackets that open', 'numbers of lists on many lines', 'links in links']) {
    await assertCheap(name, { path: '/preview', body: { content: COSTLY_CONTENTS[name] } })
  }
})

test('a search that finds the longest contents costs little', async () => {
  const path = '/search?q=a&limit=50'
  // On a busy machine the index may have all that was written to take in yet.
  await eventually(
    'a search is answered',
    60_000,
    async () => (await call(app.url, 'GET', path)).status === 200 || undefined,
  )
  measured.push([await assertCheap('search', { path }), path])
})

test('a difference costs little, for any two contents', async () => {
  for (const [name, [before_, later]] of Object.entries(COSTLY_DIFFERENCES)) {
    const first = await newEntry(app.url, token, { content: before_ })
    const body = revisionOf(first, { content: later })
    const entry = expectStatus(
      await call<Entry>(app.url, 'POST', `/api/entries/${first.slug}/revisions`, { token, body }),
      201,
    )
    const path = `/entries/${first.slug}/diff?from=${first.currentRevisionId}&to=${entry.currentRevisionId}`
    measured.push([await assertCheap(name, { path }), name])
  }
})
