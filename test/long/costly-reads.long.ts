import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { COSTLY_CONTENTS } from '../support/costly.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { hammer } from './hammer.ts'
import { timesOfHealth } from './health-times.ts'

const CONNECTIONS = 64
const MILLISECONDS = 2_500
/** The longest time of /health in milliseconds; on a busy machine this many times the undisturbed time. */
const PROMPT = 100
const SLOWER = 4
const ENTRIES = 120
const REVISIONS = 100
const SENTENCES = 150

const directory = makeDirectory()
let server: ServerProcess
let requests: Record<string, string>
before(async () => {
  const filled = await startServer(directory.path)
  requests = await fill(filled.url)
  await filled.stop()
  // The limits of a service without settings.
  const limits = { READ_LIMIT_PER_MINUTE: '120', WRITE_LIMIT_PER_MINUTE: '10', COOLDOWN_SECONDS: '3' }
  server = await startServer(directory.path, { env: limits })
})
after(async () => {
  await server.stop()
  directory.remove()
})

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const page = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n`
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const tool = (name: string, given: object): string =>
  post('/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }))

const textOf = (revision: number): string =>
  Array.from(
    { length: SENTENCES },
    (_, at) => `Sentence ${at} of the text${at % 7 === revision % 7 ? ` in ${revision}` : ''}.`,
  ).join(' ')

/** Fills a store with costly entries, and returns requests for them. */
async function fill(url: string): Promise<Record<string, string>> {
  const { token } = await newActor(url)
  const contents = Object.values(COSTLY_CONTENTS)
  const slugs: string[] = []
  for (let n = 0; n < ENTRIES; n++) {
    const content = `${n} ${String(contents[n % contents.length]).slice(0, -5)}`
    slugs.push((await newEntry(url, token, { title: `Costly ${n}`, content })).slug)
  }
  let entry = await newEntry(url, token, { title: 'Revised', content: textOf(0) })
  for (let revision = 1; revision <= REVISIONS; revision++) {
    const body = revisionOf(entry, { content: textOf(revision) })
    entry = expectStatus(await call<Entry>(url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
  }
  const { slug } = entry
  const question = 'costly+sentence+text+number+revised+'.repeat(50)
  return {
    'a list': get('/api/entries?limit=50'),
    'a blame': get(`/api/entries/${slug}/blame`),
    'a question of 1,800 characters': get(`/api/find?q=${question}`),
    'a brief': get(`/api/find?q=${question.slice(0, 300)}&tokens=8000`),
    'an export': get('/api/export'),
    work: get('/api/work'),
    'a batch': get(`/api/batch?ids=${slugs.slice(0, 20).join(',')}`),
    'a find of an earlier state': get('/api/asof/200/find?q=costly'),
    'the home page': page('/'),
    'a page of results': page('/search?q=costly+text'),
    'a page of an entry': page(`/entries/${slugs[1]}`),
    'a page of layers': page(`/entries/${slug}/layers`),
    'a page of a history': page(`/entries/${slug}/history`),
    'a page of differences': page(`/entries/${slug}/diff`),
    'a page of activity': page('/activity'),
    'a page of numbers': page('/stats'),
    'a preview': post('/preview', JSON.stringify({ content: contents[1] })),
    'the tool find': tool('find', { query: 'costly text' }),
    'the tool read': tool('read', { slug }),
    'the tool history': tool('history', { slug }),
    'a write without a token': post('/api/entries', JSON.stringify({ title: 'A', summary: 'B', content: contents[2] })),
    'a body that is no JSON': post('/api/entries', '{'.repeat(60_000)),
    'new actors': post('/api/actors', '{}'),
  }
}

test('/health answers at once while one address sends all of one costly request that its limit admits', async context => {
  const undisturbed = Math.max(...(await timesOfHealth(server.url, 1_000)))
  const late: string[] = []
  let address = 1
  for (const [name, request] of Object.entries(requests)) {
    const order = { url: server.url, request, pipelined: 1, connections: CONNECTIONS, milliseconds: MILLISECONDS }
    const [{ statuses }, over, fresh] = await Promise.all([
      // Each kind has the whole limit of an address.
      hammer({ ...order, from: `127.0.1.${address++}` }),
      timesOfHealth(server.url, MILLISECONDS),
      timesOfHealth(server.url, MILLISECONDS, 'new'),
    ])
    const [kept, opened] = [Math.max(...over), Math.max(...fresh)]
    const times = `/health ${kept.toFixed(1)} ms at most, ${opened.toFixed(1)} ms over new connections`
    context.diagnostic(`${name}: ${JSON.stringify(statuses)}; ${times}`)
    if (Math.max(kept, opened) > Math.max(PROMPT, SLOWER * undisturbed)) late.push(`${name}: ${times}`)
  }
  assert.deepEqual(late, [])
})
