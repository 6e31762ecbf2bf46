import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { COSTLY_CONTENTS, COSTLY_DIFFERENCES } from '../support/costly.ts'
import { eventually } from '../support/process.ts'

/** What any single request may cost, in milliseconds of the processor, all threads of the service together. */
const MOST = 250
const TIMES = 3
const PAGE_BYTES = 4_000_000

let app: TestApp
let token = ''
before(async () => {
  app = await startApp()
  token = (await newActor(app.url)).token
})
after(() => app.close())

type Asked = { path: string; body?: unknown }

/** Asks once, so that everything is loaded and compiled, then several times, and gives the least of what it cost: what else the process did meanwhile only adds to it. */
async function costOf({ path, body }: Asked): Promise<number> {
  const ask = async (): Promise<void> => {
    const answer = await call(app.url, body === undefined ? 'GET' : 'POST', path, {
      body,
      headers: { accept: 'text/html' },
    })
    expectStatus(answer, 200)
    assert.ok(Buffer.byteLength(answer.text) < PAGE_BYTES, `${path} has ${Buffer.byteLength(answer.text)} bytes`)
  }
  await ask()
  const costs: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    const from = process.cpuUsage()
    await ask()
    const { user, system } = process.cpuUsage(from)
    costs.push((user + system) / 1_000)
  }
  return Math.min(...costs)
}

async function assertCheap(name: string, asked: Asked): Promise<number> {
  const cost = await costOf(asked)
  assert.ok(cost <= MOST, `${name}: ${asked.path} cost ${cost.toFixed(0)} ms`)
  return cost
}

const told: [number, string][] = []
after(() => {
  const [first] = told.toSorted(([a], [b]) => b - a)
  if (first !== undefined) process.stdout.write(`# dearest: ${first[1]}, ${first[0].toFixed(0)} ms of the processor\n`)
})

test('a page of the longest content costs little, whatever stands in it', async () => {
  for (const [name, content] of Object.entries(COSTLY_CONTENTS)) {
    const { slug } = await newEntry(app.url, token, { content })
    told.push([await assertCheap(name, { path: `/entries/${slug}` }), name])
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
  told.push([await assertCheap('search', { path }), path])
})

test('a difference costs little, whatever the two contents are', async () => {
  for (const [name, [before_, later]] of Object.entries(COSTLY_DIFFERENCES)) {
    const first = await newEntry(app.url, token, { content: before_ })
    const body = revisionOf(first, { content: later })
    const entry = expectStatus(
      await call<Entry>(app.url, 'POST', `/api/entries/${first.slug}/revisions`, { token, body }),
      201,
    )
    const path = `/entries/${first.slug}/diff?from=${first.currentRevisionId}&to=${entry.currentRevisionId}`
    told.push([await assertCheap(name, { path }), name])
  }
})
