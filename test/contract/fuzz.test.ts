import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, expectStatus } from '../support/client.ts'
import { seededRandom } from '../support/random.ts'
import {
  answerOf,
  type Check,
  checkOf,
  codesOf,
  type Document,
  type Row,
  resolved,
  rowsOf,
  withParts,
} from './document.ts'
import { createFuzzer, type Fuzzed, type Known, learn } from './fuzzer.ts'
import type { Random } from './generate.ts'
import { openWire, type Wire } from './wire.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_500)
const ROUND = 16

let app: TestApp
let wire: Wire
let document: Document
let rows: Row[]
const checks = new Map<string, Check>()
let errorCheck: Check
before(async () => {
  app = await startApp()
  wire = openWire(app.url, ROUND)
  const published = withParts(expectStatus(await call<Document>(app.url, 'GET', '/openapi.json'), 200))
  document = resolved(published, published) as Document
  rows = rowsOf(document)
  errorCheck = checkOf(document, document.components.schemas.Error)
  for (const { operation } of rows) {
    for (const status of ['200', '201']) {
      const media = answerOf(operation, status)
      if (media !== undefined) checks.set(`${operation.operationId} ${status}`, checkOf(document, media.schema))
    }
  }
})
after(async () => {
  wire.close()
  await app.close()
})

/** Tokens that were exchanged for others. */
const rotated = new Set<string>()

/** Everything that is promised of any answer. */
function assertPromised({ kind, row, method, sending }: Fuzzed, { status, body, text, headers }: Answer): void {
  if (status === 302) {
    // The document is about the interface; a page beside it may lead on, to here.
    assert.equal(row, undefined)
    assert.match(headers.get('location') ?? '', /^\/(?!\/)/)
    return
  }
  if (status < 400) {
    assert.ok([200, 201, 204, 304].includes(status), `status ${status}`)
    assert.notEqual(kind, 'faulty', 'a faulty request succeeded')
    const media = Object.keys(row?.operation.responses[status]?.content ?? {})[0] ?? ''
    if (media !== '') assert.ok(headers.get('content-type')?.startsWith(media), `${headers.get('content-type')}`)
    const check = row === undefined ? undefined : checks.get(`${row.operation.operationId} ${status}`)
    if (row !== undefined && /^application\/json|^$/.test(media))
      assert.ok(check?.fits(body), check?.faults(body) ?? `${status} is not described`)
    return
  }
  assert.ok(status < 500, `status ${status}`)
  assert.ok(headers.has('x-request-id'))
  if (method === 'HEAD') return
  if (row === undefined && headers.get('content-type')?.startsWith('text/html')) {
    assert.ok(text.includes(headers.get('x-request-id') ?? ''), 'a page of a problem names the request')
    return
  }
  assert.ok(errorCheck.fits(body), text)
  const { error } = body as { error: { code: string; requestId: string } }
  assert.equal(headers.get('x-request-id'), error.requestId)
  if (row === undefined) return
  assert.ok(codesOf(row.operation, status).includes(error.code), `${error.code} is not described for ${status}`)
  // Of requests at once one may have rotated the token that another was sent with.
  if (kind === 'faulty' && !(status === 401 && rotated.has(sending.token ?? '')))
    assert.ok(status === 400 || status === 413, `status ${status} for ${JSON.stringify(sending.body)}`)
}

/** Sends the document's own examples of an actor and an entry, so that there is a token and something to be about. */
async function begin(random: Random, known: Known): Promise<void> {
  for (const name of ['createActor', 'createEntry']) {
    const row = rows.find(({ operation }) => operation.operationId === name)
    assert.ok(row !== undefined)
    const body = row.operation.requestBody?.content['application/json']?.example
    const answer = await wire.send(row.method, row.path, { body, token: known.tokens[0] })
    expectStatus(answer, 201)
    learn(random, known, answer)
  }
}

test(`${REQUESTS} requests generated from the published document get only documented responses`, async t => {
  const random = seededRandom('fuzz')
  const known: Known = { tokens: [], actors: [], entries: [], revisions: [] }
  await begin(random, known)
  const next = createFuzzer(random, known, rows)
  const tally = new Map<string, number>()
  const began = performance.now()
  for (let sent = 0; sent < REQUESTS; sent += ROUND) {
    const round = Array.from({ length: Math.min(ROUND, REQUESTS - sent) }, next)
    const answers = await Promise.all(round.map(({ method, path, sending }) => wire.send(method, path, sending)))
    for (const [index, { path, sending }] of round.entries()) {
      const ended = path.startsWith('/api/actors/rotate') && answers[index]?.status === 200
      if (ended && sending.token !== undefined) rotated.add(sending.token)
    }
    for (const [index, request] of round.entries()) {
      const answer = answers[index]
      assert.ok(answer !== undefined)
      try {
        assertPromised(request, answer)
      } catch (error) {
        const shown = JSON.stringify([request.kind, request.method, request.path, request.sending]).slice(0, 2_000)
        throw new Error(
          `SEED=${random.seed}, request ${sent + index}: ${shown}\n${answer.status} ${answer.text.slice(0, 1_000)}`,
          { cause: error },
        )
      }
      const name = `${request.kind} ${answer.status}`
      tally.set(name, (tally.get(name) ?? 0) + 1)
      learn(random, known, answer, request.sending.token)
    }
  }
  t.diagnostic(
    `${REQUESTS} requests in ${Math.round(performance.now() - began)} ms: ${JSON.stringify(Object.fromEntries([...tally].sort()))}`,
  )
  expectStatus(await wire.send('GET', '/ready'), 200)
  const faults = app
    .log()
    .split('\n')
    .filter(line => /"level":(?:[5-9]\d)/.test(line))
  assert.deepEqual(faults, [])
  // Without successes nothing but refusals would have been looked at.
  const successes = (tally.get('stateful 200') ?? 0) + (tally.get('stateful 201') ?? 0)
  assert.ok(successes > REQUESTS / 15, `${successes} stateful successes`)
})
