import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ADMIN_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, expectStatus } from '../support/client.ts'
import { seededRandom } from '../support/random.ts'
import {
  answerOf,
  bodySchemaOf,
  type Check,
  checkOf,
  type Described,
  type Document,
  type Row,
  resolved,
  rowsOf,
} from './document.ts'
import { anyBytes, anyPath, faultyBody, faultyParameter, type Random, sampleOf, uuidOf } from './generate.ts'
import { openWire, type Sending, type Wire } from './wire.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 10_000)
const ROUND = 16
const POOL_MAX = 100

type Entry = { id: string; slug: string; currentRevisionId: string; revisionCount: number }
/** What was learnt from earlier answers. */
type Known = { tokens: string[]; actors: string[]; entries: Entry[] }
type Kind = 'faulty' | 'random' | 'stateful'
type Fuzzed = { kind: Kind; row?: Row; method: string; path: string; sending: Sending }

let app: TestApp
let wire: Wire
let document: Document
let rows: Row[]
const checks = new Map<string, Check>()
let errorCheck: Check
before(async () => {
  app = await startApp()
  wire = openWire(app.url, ROUND)
  const published = expectStatus(await call<Document>(app.url, 'GET', '/openapi.json'), 200)
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

/** The codes that the document names for an operation and status. */
const codesOf = (operation: Described, status: number): string[] =>
  Object.keys(answerOf(operation, status)?.examples ?? {})

function createFuzzer(random: Random, known: Known) {
  const entry = (): Entry | undefined => (known.entries.length === 0 ? undefined : random.pick(known.entries))
  /** Ids that belong together: the parts of one request are about one entry. */
  const idsFor =
    (about: Entry | undefined) =>
    (name: string): string => {
      const other = entry()
      if (name === 'entryId' || name === 'sourceEntryId') return about?.id ?? uuidOf(random)
      if (name === 'targetEntryId') return other?.id ?? uuidOf(random)
      if (name === 'targetId') return random.pick([other?.id, known.actors[0], uuidOf(random)]) ?? 'nobody'
      return about?.currentRevisionId ?? uuidOf(random)
    }
  const credentialOf = ({ security }: Described): Sending => {
    const schemes = security.flatMap(scheme => Object.keys(scheme))
    if (schemes.includes('AdminToken')) return { bearer: ADMIN_TOKEN }
    const required = !security.some(scheme => Object.keys(scheme).length === 0)
    const sent = schemes.includes('ActorToken') && known.tokens.length > 0 && (required || random.below(2) === 0)
    return sent ? { token: random.pick(known.tokens) } : {}
  }
  const good = (row: Row, kind: Kind, full: boolean): Fuzzed => {
    const { method, operation } = row
    const about = entry()
    const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'revisionId'
        ? (about?.currentRevisionId ?? uuidOf(random))
        : (random.pick([about?.slug, about?.id]) ?? 'nothing'),
    )
    const query = operation.parameters
      .filter(({ in: where }) => where === 'query' && random.below(3) === 0)
      .map(
        ({ name, schema }) =>
          `${name}=${encodeURIComponent(String(sampleOf(random, schema, uuidOf.bind(null, random), full, name)))}`,
      )
    const schema = bodySchemaOf(operation)
    const body = schema === undefined ? {} : { body: sampleOf(random, schema, idsFor(about), full) }
    const search = query.length === 0 ? '' : `?${query.join('&')}`
    return { kind, row, method, path: path + search, sending: { ...credentialOf(operation), ...body } }
  }
  const faulty = (row: Row): Fuzzed => {
    const request = good(row, 'faulty', true)
    const schema = bodySchemaOf(row.operation)
    if (schema !== undefined && random.below(5) > 0) {
      return { ...request, sending: { ...request.sending, body: faultyBody(random, schema, request.sending.body) } }
    }
    const [path = ''] = request.path.split('?')
    const parameters = row.operation.parameters.filter(({ in: where }) => where === 'query')
    const parameter = parameters.length === 0 ? undefined : random.pick(parameters)
    const faults = [`?x${random.below(99)}=1`, '?%=', '?a=1&a=2']
    if (parameter !== undefined) {
      faults.push(
        `?${parameter.name}=${faultyParameter(random, parameter.schema)}`,
        `?${parameter.name}=1&${parameter.name}=1`,
      )
    }
    return { ...request, path: path + random.pick(faults) }
  }
  const anything = (): Fuzzed => {
    const row = random.pick(rows)
    const method = random.pick([row.method, 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'])
    const path =
      random.below(2) === 0 ? anyPath(random) : row.path.replaceAll(/\{\w+\}/g, () => anyPath(random).slice(1))
    const withBody = !['GET', 'HEAD', 'OPTIONS'].includes(method)
    const type = random.pick([
      'application/json',
      'application/json',
      'text/plain',
      null,
      'application/json; charset=utf-8',
    ])
    const token = random.pick([undefined, known.tokens[0], 'x', '', `plm_${'0'.repeat(33)}`])
    const bearer = random.pick([undefined, undefined, 'x'])
    return {
      kind: 'random',
      method,
      path,
      sending: { type, token, bearer, ...(withBody ? { raw: anyBytes(random) } : {}) },
    }
  }
  const faultable = rows.filter(({ operation }) => codesOf(operation, 400).includes('INVALID_QUERY'))
  /** Moderation takes entries and actors away: now and then only. */
  const gentle = rows.filter(({ operation }) => operation.operationId !== 'moderate')
  return (): Fuzzed => {
    const die = random.below(6)
    if (die < 3) return faulty(random.pick(faultable))
    if (die < 5) return anything()
    return good(random.pick(random.below(8) === 0 ? rows : gentle), 'stateful', random.below(2) === 0)
  }
}

/** Everything that is promised of any answer. */
function assertPromised({ kind, row, method, sending }: Fuzzed, { status, body, text, headers }: Answer): void {
  if (status < 400) {
    assert.ok([200, 201, 204, 304].includes(status), `status ${status}`)
    assert.notEqual(kind, 'faulty', 'a faulty request succeeded')
    const check = row === undefined ? undefined : checks.get(`${row.operation.operationId} ${status}`)
    if (row !== undefined) assert.ok(check?.fits(body), check?.faults(body) ?? `${status} is not described`)
    return
  }
  assert.ok(status < 500, `status ${status}`)
  assert.ok(headers.has('x-request-id'))
  if (method === 'HEAD') return
  assert.ok(errorCheck.fits(body), text)
  const { error } = body as { error: { code: string; requestId: string } }
  assert.equal(headers.get('x-request-id'), error.requestId)
  if (row === undefined) return
  assert.ok(codesOf(row.operation, status).includes(error.code), `${error.code} is not described for ${status}`)
  if (kind === 'faulty')
    assert.ok(status === 400 || status === 413, `status ${status} for ${JSON.stringify(sending.body)}`)
}

function learn(random: Random, known: Known, { body, status }: Answer): void {
  if (status !== 201) return
  const keep = <T>(pool: T[], item: T): void => {
    if (pool.length < POOL_MAX) pool.push(item)
    else pool[random.below(POOL_MAX)] = item
  }
  const { token, actor, slug, currentRevisionId } = body as Partial<Entry> & { token?: string; actor?: { id: string } }
  if (token !== undefined && actor !== undefined) {
    keep(known.tokens, token)
    keep(known.actors, actor.id)
  }
  if (slug === undefined || currentRevisionId === undefined) return
  const entry = body as Entry
  const place = known.entries.findIndex(({ id }) => id === entry.id)
  if (place >= 0) known.entries[place] = entry
  else keep(known.entries, entry)
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

test(`${REQUESTS} requests made from the published document alone meet nothing that it does not promise`, async t => {
  const random = seededRandom('fuzz')
  const known: Known = { tokens: [], actors: [], entries: [] }
  await begin(random, known)
  const next = createFuzzer(random, known)
  const tally = new Map<string, number>()
  const began = performance.now()
  for (let sent = 0; sent < REQUESTS; sent += ROUND) {
    const round = Array.from({ length: Math.min(ROUND, REQUESTS - sent) }, next)
    const answers = await Promise.all(round.map(({ method, path, sending }) => wire.send(method, path, sending)))
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
      learn(random, known, answer)
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
