import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { STREAMS } from '../../src/contract/limits.ts'
import { MEMBER_PROBLEMS } from '../../src/contract/member-problems.ts'
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts'
import type { ProblemCode } from '../../src/contract/problem.ts'
import { PROBLEMS, problemsOf } from '../../src/contract/problems.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, shareApp, startApp, type TestApp } from '../support/app.ts'
import { type Answer, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { openStreams } from '../support/streams.ts'
import { assertDocumented, exchange } from './raw-wire.ts'
import { openWire, type Wire } from './wire.ts'
import { NIL } from './world.ts'

let strict: TestApp
let wire: Wire
let strictWire: Wire
let token: string
let entry: Entry
const app = shareApp({}, async () => {
  // Two writes a minute and a long cooldown, for problems of limits.
  strict = await startApp({ WRITE_LIMIT_PER_MINUTE: '2', COOLDOWN_SECONDS: '3600', TRUSTED_PROXIES: '127.0.0.1' })
  wire = openWire(app.url)
  strictWire = openWire(strict.url)
  token = (await newActor(app.url)).token
  entry = await newEntry(app.url, token)
})
after(async () => {
  wire.close()
  strictWire.close()
  await strict.close()
})

const writing = { title: 'T', content: 'C', summary: 'S' }
const evidence = (own: Entry) => ({ revisionId: own.currentRevisionId, rationale: 'R' })
const relation = (sourceEntryId: string, targetEntryId: string) => ({
  sourceEntryId,
  targetEntryId,
  relationType: 'CONNECT',
  rationale: 'R',
})
const moderate = (targetType: string, targetId: string, action: string): Promise<Answer> =>
  wire.send('POST', '/api/admin/moderate', {
    bearer: ADMIN_TOKEN,
    body: { targetType, targetId, action, reason: 'A test.' },
  })
const moderated = async (action: string): Promise<Entry> => {
  const own = await newEntry(app.url, token)
  expectStatus(await moderate('ENTRY', own.id, action), 200)
  return own
}
const appeal = (decision: unknown) => wire.send('POST', '/api/appeals', { token, body: { decision, rationale: 'R' } })
const create = (body: unknown) => wire.send('POST', '/api/entries', { token, body })

type Provocation = { operation: OperationName; provoke(): Promise<Answer> }
const by = (operation: OperationName, provoke: () => Promise<Answer>): Provocation => ({ operation, provoke })

/** How a caller comes to meet each problem, and on which operation. */
const PROVOCATIONS: Partial<Record<ProblemCode, Provocation>> = {
  INVALID_PATH: by('readEntry', () => wire.send('GET', '/api/entries/%zz')),
  INVALID_QUERY: by('listEntries', () => wire.send('GET', '/api/entries?%zz=1')),
  UNKNOWN_PARAMETER: by('listEntries', () => wire.send('GET', '/api/entries?page=2')),
  MISSING_PARAMETER: by('listSimilar', () => wire.send('GET', '/api/similar')),
  REPEATED_PARAMETER: by('listEntries', () => wire.send('GET', '/api/entries?limit=1&limit=2')),
  INVALID_EVENT_ID: by('streamActivity', () =>
    wire.send('GET', '/api/activity/stream', { headers: { 'last-event-id': 'x' } }),
  ),
  TOO_MANY_STREAMS: by('streamActivity', async () => {
    const streams = await openStreams(app.url, STREAMS.perOrigin)
    const answer = await wire.send('GET', '/api/activity/stream')
    for (const stream of streams) stream.close()
    return answer
  }),
  MALFORMED_JSON: by('createEntry', () => wire.send('POST', '/api/entries', { token, raw: '{' })),
  INVALID_BODY: by('createEntry', () => create([])),
  UNKNOWN_MEMBER: by('createEntry', () => create({ ...writing, text: 'C' })),
  MISSING_MEMBER: by('createEntry', () => create({ title: 'T' })),
  INVALID_TEXT: by('createEntry', () => create({ ...writing, title: '\u0000' })),
  ACTOR_TOKEN_REQUIRED: by('createEntry', () => wire.send('POST', '/api/entries', { body: writing })),
  ACTOR_TOKEN_INVALID: by('readStats', () => wire.send('GET', '/api/stats', { token: 'x' })),
  ADMIN_TOKEN_REQUIRED: by('readAdminSnapshot', () => wire.send('GET', '/api/admin/snapshot')),
  ADMIN_TOKEN_INVALID: by('readAdminSnapshot', () => wire.send('GET', '/api/admin/snapshot', { bearer: 'x' })),
  ACTOR_BLOCKED: by('createEntry', async () => {
    const { actor, token: own } = await newActor(app.url)
    expectStatus(await moderate('ACTOR', actor.id, 'BLOCK'), 200)
    return wire.send('POST', '/api/entries', { token: own, body: writing })
  }),
  ORIGIN_BLOCKED: by('createActor', async () => {
    const { body } = await wire.send('GET', '/api/admin/snapshot', { bearer: ADMIN_TOKEN })
    const { originId } = (body.entries as { originId: string }[])[0] ?? { originId: '' }
    expectStatus(await moderate('ORIGIN', originId, 'BLOCK'), 200)
    const answer = await wire.send('POST', '/api/actors', { body: {} })
    expectStatus(await moderate('ORIGIN', originId, 'UNBLOCK'), 200)
    return answer
  }),
  ENTRY_LOCKED: by('verifyRevision', async () => {
    const own = await moderated('BLOCK')
    const body = { ...evidence(own), result: 'SUPPORTED', confidence: 1 }
    return wire.send('POST', `/api/entries/${own.slug}/verify`, { token, body })
  }),
  ROUTE_NOT_FOUND: by('readEntry', () => wire.send('DELETE', `/api/entries/${entry.slug}`)),
  ACTOR_NOT_FOUND: by('readActor', () => wire.send('GET', `/api/actors/${NIL}`)),
  ENTRY_NOT_FOUND: by('readEntry', () => wire.send('GET', '/api/entries/nothing-here')),
  ENTRY_NOT_YET_CREATED: by('readEntryAsOf', () => wire.send('GET', `/api/asof/0/entries/${entry.slug}`)),
  SEQUENCE_NOT_REACHED: by('findEntriesAsOf', () => wire.send('GET', `/api/asof/${'9'.repeat(19)}/find?q=words`)),
  REVISION_NOT_FOUND: by('readRevision', () => wire.send('GET', `/api/entries/${entry.slug}/revisions/${NIL}`)),
  TARGET_NOT_FOUND: by('moderate', () => moderate('ACTOR', NIL, 'BLOCK')),
  NOT_IN_LOG: by('readLogProof', () => wire.send('GET', '/api/log/records/999999/proof')),
  STALE_REVISION: by('reviseEntry', () => {
    const body = { ...revisionOf(entry), previousRevisionId: NIL }
    return wire.send('POST', `/api/entries/${entry.slug}/revisions`, { token, body })
  }),
  ENTRY_WITHDRAWN: by('readEntry', async () => wire.send('GET', `/api/entries/${(await moderated('HIDE')).slug}`)),
  BODY_TOO_LARGE: by('createEntry', () => create({ ...writing, content: 'x'.repeat(32_768) })),
  UNSUPPORTED_MEDIA_TYPE: by('createEntry', () =>
    wire.send('POST', '/api/entries', { token, raw: 'x', type: 'text/plain' }),
  ),
  SOURCE_NOT_FOUND: by('createEntry', () => create({ ...writing, sources: [{ entryId: NIL, revisionId: NIL }] })),
  SECRET_IN_TEXT: by('createEntry', () => create({ ...writing, content: token })),
  HANDLE_REFUSED: by('sendFeedback', () =>
    wire.send('POST', '/api/feedback', { token, body: { handle: 'c.AAAAAAAAAAAA', outcome: 'WORKED' } }),
  ),
  REPORT_NOT_FOUND: by('resolveReport', () =>
    wire.send('POST', `/api/admin/reports/${NIL}`, { bearer: ADMIN_TOKEN, body: { resolution: 'ACTED' } }),
  ),
  DECISION_NOT_FOUND: by('createAppeal', () => appeal(NIL)),
  NOT_APPEALABLE: by('createAppeal', async () => {
    const { id } = await newEntry(app.url, token)
    const { body: act } = await moderate('ENTRY', id, 'BLOCK')
    expectStatus(await appeal(act.id), 201)
    return appeal(act.id)
  }),
  APPEAL_NOT_FOUND: by('moderate', () => {
    const body = { targetType: 'ENTRY', targetId: entry.id, action: 'RESTORE', reason: 'A test.', appeal: NIL }
    return wire.send('POST', '/api/admin/moderate', { bearer: ADMIN_TOKEN, body })
  }),
  ALREADY_REPORTED: by('createReport', async () => {
    const { token: own } = expectStatus(
      await strictWire.send('POST', '/api/actors', { body: {}, headers: { 'x-forwarded-for': '192.0.2.1' } }),
      201,
    ) as { token: string }
    const { body: found } = await strictWire.send('POST', '/api/entries', {
      token: own,
      body: writing,
      headers: { 'x-forwarded-for': '192.0.2.2' },
    })
    const body = { targetType: 'ENTRY', targetId: found.id, reason: 'SPAM' }
    const report = (place: number) =>
      strictWire.send('POST', '/api/reports', { body, headers: { 'x-forwarded-for': `198.51.100.${place}` } })
    for (let place = 1; place <= 20; place++) expectStatus(await report(place), 201)
    return report(21)
  }),
  SELF_RELATION: by('relateEntries', () =>
    wire.send('POST', '/api/relations', { token, body: relation(entry.id, entry.id) }),
  ),
  ACTION_NOT_APPLICABLE: by('moderate', async () => {
    const { body } = await wire.send('GET', '/api/admin/snapshot', { bearer: ADMIN_TOKEN })
    return moderate('ORIGIN', (body.entries as { originId: string }[])[0]?.originId ?? '', 'HIDE')
  }),
  INVALID_IDEMPOTENCY_KEY: by('createEntry', () =>
    wire.send('POST', '/api/entries', { token, body: writing, headers: { 'idempotency-key': '' } }),
  ),
  INVALID_MIN_SEQUENCE: by('readEntry', () =>
    wire.send('GET', `/api/entries/${entry.slug}`, { headers: { 'min-sequence': '-1' } }),
  ),
  IDEMPOTENCY_KEY_REUSED: by('createEntry', async () => {
    const headers = { 'idempotency-key': 'reused' }
    expectStatus(await wire.send('POST', '/api/entries', { token, body: writing, headers }), 201)
    return wire.send('POST', '/api/entries', { token, body: { ...writing, title: 'Other' }, headers })
  }),
  REQUEST_IN_PROGRESS: by('createEntry', async () => {
    for (let round = 0; round < 50; round++) {
      const sending = { token, body: writing, headers: { 'idempotency-key': `at-once-${round}` } }
      const answers = await Promise.all(Array.from({ length: 10 }, () => wire.send('POST', '/api/entries', sending)))
      const refused = answers.find(({ status }) => status === 409)
      if (refused !== undefined) return refused
    }
    throw new Error('No two requests were under way together.')
  }),
  COOLDOWN: by('createActor', async () => {
    expectStatus(await strictWire.send('POST', '/api/actors', { body: {} }), 201)
    return strictWire.send('POST', '/api/actors', { body: {} })
  }),
  RATE_LIMITED: by('createActor', async () => {
    // Its own origin, without any earlier request.
    const headers = { 'x-forwarded-for': '203.0.113.1' }
    for (let spent = 0; spent < 2; spent++) {
      expectProblem(await strictWire.send('POST', '/api/actors', { raw: '{', headers }), 400, 'MALFORMED_JSON')
    }
    return strictWire.send('POST', '/api/actors', { body: {}, headers })
  }),
}

/** Not to be provoked by a caller of a healthy service, or not by HTTP: shown elsewhere. */
const BY_OTHER_MEANS: readonly ProblemCode[] = [
  'ERASED',
  'QUOTE_NOT_FOUND',
  'MALFORMED_REQUEST',
  'HOST_NOT_ALLOWED',
  'ORIGIN_NOT_ALLOWED',
  'READ_ONLY_MIRROR',
  'WRITE_AT_ORIGINAL',
  'NOT_READY',
  'OVERLOADED',
  'STORE_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'UNEXPECTED_FAULT',
]

for (const [code, { operation, provoke }] of Object.entries(PROVOCATIONS) as [ProblemCode, Provocation][]) {
  test(`${code} is returned by ${operation}, with its status and its fields`, async () => {
    const answer = expectProblem(await provoke(), PROBLEMS[code].status, code)
    assert.ok(problemsOf(OPERATIONS[operation]).includes(code), `${operation} does not name ${code}`)
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.has('retry-after'), answer.status === 429 || code === 'REQUEST_IN_PROGRESS')
    assert.equal(answer.headers.has('www-authenticate'), answer.status === 401)
    assert.equal(answer.headers.has('etag'), code === 'STALE_REVISION')
  })
}

test('bytes that are not a request get MALFORMED_REQUEST', async () => {
  const { responses } = await exchange(app.url, Buffer.from('NONSENSE\r\n\r\n'), {
    expected: 1,
    patience: 15_000,
    bodiless: false,
  })
  assert.equal(responses.length, 1)
  for (const response of responses) {
    assertDocumented(response, false)
    assert.match(response.body, /"MALFORMED_REQUEST"/)
  }
})

/** Requests whose one fault is a member or a parameter, with its code and its Link field. */
const MEMBERS: [ProblemCode, string, () => Promise<Answer>][] = [
  ['INVALID_TAGS', 'tags.1', () => create({ ...writing, tags: ['fine', 'node.js'] })],
  ['INVALID_TAGS', 'tags', () => create({ ...writing, tags: Array(9).fill('a') })],
  ['INVALID_TITLE', 'title', () => create({ ...writing, title: 'x'.repeat(181) })],
  ['INVALID_ENTRY_ID', 'sources.0.entryId', () => create({ ...writing, sources: [{ entryId: 'x', revisionId: NIL }] })],
  ['INVALID_TEXT', 'summary', () => create({ ...writing, summary: 'a\u0000b' })],
  ['MISSING_MEMBER', 'content', () => create({ title: 'T', summary: 'S' })],
  ['MISSING_MEMBER', 'sources.0.revisionId', () => create({ ...writing, sources: [{ entryId: NIL }] })],
  ['UNKNOWN_MEMBER', 'text', () => create({ ...writing, text: 'C' })],
  ['INVALID_Q', 'q', () => wire.send('GET', `/api/search?q=${'x'.repeat(201)}`)],
  ['INVALID_LIMIT', 'limit', () => wire.send('GET', '/api/entries?limit=0')],
  ['UNKNOWN_PARAMETER', 'page', () => wire.send('GET', '/api/entries?page=2')],
  ['INVALID_REVISION_ID', 'revisionId', () => wire.send('GET', `/api/entries/${entry.slug}/revisions/x`)],
]

test('a refused member is named by the code and the Link field, which web pages may read', async () => {
  for (const [code, member, provoke] of MEMBERS) {
    const { headers } = expectProblem(await provoke(), 400, code)
    assert.equal(headers.get('link'), `</docs/errors#${code}>; rel="help"; member="${member}"`)
    assert.match(headers.get('access-control-expose-headers') ?? '', /\bLink\b/)
  }
})

test('an unknown member is repeated only if it is a plain name', async () => {
  for (const name of ['', 'a b', 'x"; rel="next', 'ünï', 'x'.repeat(65), 'a\r\nb']) {
    const { headers } = expectProblem(await create({ ...writing, [name]: 1 }), 400, 'UNKNOWN_MEMBER')
    assert.equal(headers.get('link'), '</docs/errors#UNKNOWN_MEMBER>; rel="help"', name)
  }
})

test('the page of errors has the rule of every code, with its bounds, at the address of the Link field', async () => {
  const page = await (await fetch(`${app.url}/docs/errors`)).text()
  for (const code of Object.keys(PROBLEMS)) assert.ok(page.includes(`<tr id="${code}">`), code)
  assert.match(
    page,
    /tags is a list of at most 8 items, each a text of 1 to 40 characters: letters, digits, spaces and hyphens only/,
  )
  assert.match(page, /q is a text of at most 200 characters/)
})

test('every problem code is provoked here, or listed with its other test', () => {
  // The codes of members are met in boundary.test.ts and boundary-address.test.ts.
  const shown = [...Object.keys(PROVOCATIONS), ...BY_OTHER_MEANS, ...Object.keys(MEMBER_PROBLEMS)]
  assert.deepEqual(shown.toSorted(), Object.keys(PROBLEMS).toSorted())
})
