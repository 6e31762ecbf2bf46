import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../src/contract/operations.ts'
import type { Entry, ReportReceipt } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { COSTLY_CONTENTS, COSTLY_DIFFERENCES } from '../support/costly.ts'
import { AS_ADMIN } from '../support/moderation.ts'

const ENTRIES = 60
const REVISIONS = 60
/** Milliseconds of processor time of this thread, which also receives the answers: at once, and for each charged read. */
const AT_ONCE = 10
const EACH_READ = 100
/** Milliseconds of a turn of the event loop without work. */
const IDLE = 0.2
/**
 * Other work of the machine adds to the time of a round, and the clock of processor time has steps of some milliseconds. A request has
 * further rounds until its cost is within the bounds.
 */
const ROUNDS = 9
const ROUNDS_MAX = 40

let entries: Entry[]
let token: string
/** The sequence before the last contents of most entries. */
let earlier = ''
/** A report with the maximum number of acts since. */
let report: ReportReceipt
const pins: { entryId: string; revisionId: string }[] = []

/** A store in which every answer is as large as one can be: full contents, full pages of revisions, evidence and relations. */
const app = useApp({}, async () => {
  ;({ token } = await newActor(app.url))
  const { token: judge } = await newActor(app.url)
  const contents = Object.values(COSTLY_CONTENTS)
  entries = []
  for (let n = 0; n < ENTRIES; n++) {
    const content = `${n} costly text ${contents[n % contents.length]}`.slice(0, 15_000)
    const entry = await newEntry(app.url, token, { title: `Costly ${n}`, summary: 'costly text '.repeat(40), content })
    pins.push({ entryId: entry.id, revisionId: entry.currentRevisionId })
    entries.push(entry)
  }
  let [first] = entries as [Entry]
  const rationale = 'reason '.repeat(140)
  for (let n = 0; n < REVISIONS; n++) {
    const path = `/api/entries/${first.slug}`
    const content = `${n} ${'One sentence of the text. '.repeat(560)}`.replace('sentence', `sentence ${n}`)
    const body = { ...revisionOf(first), content, rationale }
    first = expectStatus(await call<Entry>(app.url, 'POST', `${path}/revisions`, { token, body }), 201)
    pins.push({ entryId: first.id, revisionId: first.currentRevisionId })
    const said = { revisionId: first.currentRevisionId, rationale }
    expectStatus(await call(app.url, 'POST', `${path}/contradict`, { token: judge, body: said }), 201)
    const target = { targetEntryId: entries[1 + (n % (ENTRIES - 1))]?.id, relationType: 'CONNECT' }
    const relation = { sourceEntryId: first.id, ...target, rationale }
    expectStatus(await call(app.url, 'POST', '/api/relations', { token, body: relation }), 201)
  }
  earlier = String((await call<{ sequence: string }>(app.url, 'GET', '/api/export/manifest')).body.sequence)
  for (const entry of entries.slice(1)) {
    const body = revisionOf(entry, { content: `${entry.content} and more` })
    expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
  }
  entries[0] = first
  const reported = { targetType: 'ENTRY', targetId: first.id, reason: 'OTHER' }
  report = expectStatus(await call<ReportReceipt>(app.url, 'POST', '/api/reports', { body: reported }), 201)
  for (let act = 0; act < LIMITS.reportDecisions; act++) {
    const body = {
      targetType: 'ENTRY',
      targetId: first.id,
      action: act % 2 === 0 ? 'BLOCK' : 'UNBLOCK',
      reason: rationale,
    }
    expectStatus(await call(app.url, 'POST', '/api/admin/moderate', { headers: AS_ADMIN, body }), 200)
  }
})

type Described = { properties?: Record<string, Described>; maximum?: number; maxLength?: number }

/** Values of query parameters that make an answer large; the schema gives the others. */
const largestValueOf = (name: string, { maximum }: Described): string | undefined => {
  if (name === 'ids')
    return entries
      .slice(0, LIMITS.batch)
      .map(({ id }) => id)
      .join(',')
  if (name === 'q') return '"costly text" costly text sentence '.repeat(50)
  if (name === 'title') return 'costly text '.repeat(14)
  if (name === 'summary') return 'costly text '.repeat(40)
  if (name === 'revisionId') return entries[0]?.currentRevisionId
  return name === 'limit' || name === 'tokens' ? String(maximum) : undefined
}

/** The largest legal request of a read, made from its row. */
function largest(operation: Operation): { path: string; body?: string } {
  const { path, params, query, body } = operation
  const [entry] = entries as [Entry]
  const inPath: Record<string, string> = {
    slug: entry.slug,
    id: path.includes('actors') ? entry.actor.id : path.includes('reports') ? report.id : entry.slug,
    revisionId: entry.currentRevisionId,
    sequence: earlier,
    record: '100',
  }
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) => (name in params ? (inPath[name] ?? '') : ''))
  const search = new URLSearchParams()
  for (const [name, schema] of Object.entries((query as Described).properties ?? {})) {
    const value = largestValueOf(name, schema)
    const { maxLength = value?.length } = schema
    if (value !== undefined) search.set(name, value.slice(0, maxLength))
  }
  if (body === undefined) return { path: search.size === 0 ? named : `${named}?${search}` }
  if (body === 'ReportSecret') return { path: named, body: JSON.stringify({ secret: report.secret }) }
  assert.equal(body, 'PinsInput', 'a read with another body needs its largest input here')
  const all = Array.from({ length: LIMITS.pins }, (_, n) => pins[n % pins.length])
  return { path: named, body: JSON.stringify({ pins: all }) }
}

const cpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

type Asked = { method: string; path: string; headers?: Record<string, string>; body?: string }
type Cost = { status: number; all: number; turn: number }

/** Sends a request. Returns its status, its processor time, and the longest turn of the event loop. */
async function costOnce({ method, path, headers, body }: Asked): Promise<Cost> {
  let turn = 0
  let all = 0
  let before = { cpu: cpu(), at: performance.now() }
  let running = true
  const tick = (): void => {
    const now = { cpu: cpu(), at: performance.now() }
    // A step of the clock may contain the time of earlier turns.
    const took = Math.min(now.cpu - before.cpu, now.at - before.at)
    turn = Math.max(turn, took)
    // Turns that only wait for other threads cost less.
    if (now.at - before.at >= IDLE) all += took
    before = now
    if (running) setImmediate(tick)
  }
  const status = await new Promise<number>((resolve, reject) => {
    const type = { 'content-type': 'application/json' }
    const asked = request(`${app.url}${path}`, { method, headers: { ...type, ...headers } }, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    asked.once('error', reject).end(body)
    before = { cpu: cpu(), at: performance.now() }
    setImmediate(tick)
  })
  running = false
  return { status, all, turn }
}

const thirdLeast = (values: number[]): number => values.toSorted((a, b) => a - b)[2] ?? Number.NaN

/** Checks the costs of a request that is charged as some reads. */
async function assertCheap(name: string, asked: Asked | (() => Asked), charged = 1, expected = 200): Promise<string> {
  const costs: Cost[] = []
  for (;;) {
    const cost = await costOnce(typeof asked === 'function' ? asked() : asked)
    assert.equal(cost.status, expected, name)
    costs.push(cost)
    if (costs.length < ROUNDS) continue
    const turn = thirdLeast(costs.map(one => one.turn))
    const all = thirdLeast(costs.map(one => one.all))
    const text = `${name}: ${turn.toFixed(1)} ms at once, ${all.toFixed(1)} ms for ${charged} reads`
    if (turn <= AT_ONCE && all <= EACH_READ * charged) return text
    assert.ok(costs.length < ROUNDS_MAX, text)
  }
}

const reads = (Object.keys(OPERATIONS) as OperationName[]).filter(
  name => OPERATIONS[name].kind === 'read' && OPERATIONS[name].cost === 'read',
)

for (const name of reads) {
  test(`the largest ${name} takes at most ${AT_ONCE} ms at once, and ${EACH_READ} ms for each charged read`, async t => {
    const operation: Operation = OPERATIONS[name]
    const { method, access, chargedItems } = operation
    const asked = { method, ...largest(operation), headers: access === 'admin' ? AS_ADMIN : { 'x-actor-token': token } }
    const charged = chargedItems === undefined ? 1 : Math.ceil(LIMITS.pins / chargedItems.perCall)
    t.diagnostic(await assertCheap(name, asked, charged))
  })
}

const PAGES = [
  '',
  '/layers',
  '/diff',
  '/diff?view=rendered',
  '/diff?view=split',
  '/history?limit=50',
  '/evidence',
  '/relations',
]

for (const page of PAGES) {
  test(`the page ${page} of the largest entry takes at most ${AT_ONCE} ms at once, and ${EACH_READ} ms`, async t => {
    const path = `/entries/${entries[0]?.slug}${page}`
    t.diagnostic(await assertCheap(page, { method: 'GET', path, headers: { accept: 'text/html' } }))
  })
}

for (const [name, [before, later]] of Object.entries(COSTLY_DIFFERENCES)) {
  test(`the difference of ${name} takes at most ${AT_ONCE} ms at once, and ${EACH_READ} ms`, async t => {
    const entry = await newEntry(app.url, token, { content: before })
    const body = revisionOf(entry, { content: later })
    expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
    for (const view of ['', '?view=split', '?view=rendered']) {
      const path = `/entries/${entry.slug}/diff${view}`
      t.diagnostic(await assertCheap(path, { method: 'GET', path, headers: { accept: 'text/html' } }))
    }
  })
}

for (const [name, content] of Object.entries(COSTLY_CONTENTS)) {
  test(`a write, a preview and the pages of ${name} take at most ${AT_ONCE} ms at once, and ${EACH_READ} ms`, async t => {
    const accept = { accept: 'text/html' }
    const { slug, currentRevisionId } = await newEntry(app.url, token, { content })
    for (const page of ['/layers', `/revisions/${currentRevisionId}`, '/blame', '.md']) {
      const path = page.startsWith('/b') ? `/api/entries/${slug}/blame` : `/entries/${slug}${page}`
      t.diagnostic(await assertCheap(page, { method: 'GET', path, headers: accept }))
    }
    const preview = { method: 'POST', path: '/preview', body: JSON.stringify({ content }) }
    t.diagnostic(await assertCheap('preview', preview))
    let number = 0
    const create = (): Asked => {
      const body = JSON.stringify({ title: `${name} ${number++}`, summary: name, content })
      return { method: 'POST', path: '/api/entries', headers: { 'x-actor-token': token }, body }
    }
    t.diagnostic(await assertCheap('create', create, 1, 201))
  })
}
