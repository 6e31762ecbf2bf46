import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Sending } from '../contract/wire.ts'
import { asAdmin, type NamedAnswer, NO_POSTGRES, type Pair, startPair } from './pair.ts'

type Made = { id: string; slug: string; currentRevisionId: string }
const skip = NO_POSTGRES
const ROWS = 7
let pair: Pair
let token: string
let entry: Made
before(async () => {
  if (skip) return
  pair = await startPair()
  token = String((await pair.ask('POST', '/api/actors', { body: {} })).body.token)
  entry = await publish('An entry with a history')
  const other = await publish('Another entry')
  for (let n = 0; n < ROWS; n++) {
    const revisionId = entry.currentRevisionId
    await post(`/api/entries/${entry.slug}/verify`, { revisionId, result: 'UNSUPPORTED', confidence: n / 7, rationale })
    await post(`/api/entries/${entry.slug}/contradict`, { revisionId, rationale })
    const [one, two] = n % 2 ? [entry, other] : [other, entry]
    await post('/api/relations', { sourceEntryId: one.id, targetEntryId: two.id, relationType: 'CONNECT', rationale })
    entry = (await post(`/api/entries/${entry.slug}/revisions`, {
      ...{ previousRevisionId: revisionId, changeType: 'EXPAND', rationale },
      ...{ title: 'A title', content: 'A content', summary: 'A summary' },
    })) as Made
  }
})
after(() => pair?.close())

const rationale = 'Tried it.'
const writing = { title: 'A title', content: 'A content', summary: 'A summary' }
async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await pair.ask('POST', path, { token, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}
const publish = async (title: string) => (await post('/api/entries', { ...writing, title })) as Made
const get = (path: string, sending: Sending = {}): Promise<NamedAnswer> => pair.ask('GET', path, sending)
/** A path that can be sent. */
const escaped = (path: string): string => path.replaceAll(/[^!-~]/g, encodeURIComponent)
const PARTS = ['revisions', 'relations', 'evidence', 'timeline']
const lists = (): string[] => [...PARTS.map(part => `/api/entries/${entry.slug}/${part}`), '/api/activity']

test('pages of every size, from the first to the last', { skip }, async () => {
  for (const list of lists()) {
    for (const limit of [1, 2, 3, ROWS, 50]) {
      let before: unknown
      let pages = 0
      do {
        const answer = await get(`${list}?limit=${limit}${before === undefined ? '' : `&before=${before}`}`)
        assert.equal(answer.status, 200)
        before = answer.body.nextCursor ?? undefined
        pages += 1
      } while (before !== undefined && pages < 60)
      assert.ok(pages < 60, list)
    }
  }
})

const CURSORS = [
  ...[
    '0',
    '1',
    '2',
    '5',
    '6',
    '7',
    '8',
    '13',
    '14',
    '15',
    '007',
    '999999999',
    '1000000000',
    '1000000001',
    '7000000000',
  ],
  ...['7000000003', '14000000004', '8000000000', '1000000000000000000', '9007199254740991', '9007199254740992'],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '9999999999999999999', '99999999999'],
  ...['', '-1', '+1', '1.5', '1e3', '0x10', ' 1', '1 ', '%00', '١', '１', 'null', '10000000000000000000', '1n', "'1'"],
]

test('cursors that no page returned', { skip }, async () => {
  const statuses = new Set<number>()
  for (const list of lists()) {
    for (const cursor of CURSORS) {
      for (const limit of ['', '&limit=2'])
        statuses.add((await get(escaped(`${list}?before=${cursor}${limit}`))).status)
    }
  }
  assert.deepEqual([...statuses].sort(), [200, 400])
})

const QUERIES = [
  ...['?', '?=', '?&', '?x=1', '?limit', '?limit=', '?limit=0', '?limit=1', '?limit=50', '?limit=51', '?limit=1e1'],
  ...['?limit=01', '?limit=-0', '?limit=2.0', '?limit=٣', '?limit=9007199254740993', '?limit=1&limit=1', '?LIMIT=1'],
  ...[
    '?offset=0',
    '?offset=1',
    '?offset=2',
    '?offset=10000',
    '?offset=10001',
    '?offset=-1',
    '?offset=1e2',
    '?before=1',
  ],
  ...['?sort=recent', '?sort=evolution', '?sort=', '?sort=RECENT', '?sort=oldest', '?sort=recent%20'],
  ...['?q=', '?q=%20', '?q=%00', '?q=%', '?q=%zz', '?q=%ff', '?q=%ed%a0%80', '?q=entry', '?q=ENTRY&q=entry', '?q=entr'],
  ...[
    '?q=%22an+entry%22',
    '?q=%22',
    '?q=%22%22',
    '?q=*',
    '?q=-entry',
    '?q=entry*',
    '?q=an+OR+zebra',
    '?q=NOT',
    '?q=NEAR(a',
  ],
  ...[
    '?q=title:an',
    "?q='",
    '?q=%5C',
    '?q=%25',
    '?q=_',
    '?q=$1',
    '?q=a%26b',
    '?q=a%7Cb',
    '?q=!a',
    '?q=a:*',
    '?q=(a',
    '?q=<->',
  ],
  ...['?tag=', '?tag=%20', '?tag=-', '?tag=one', '?tag=%F0%9F%98%80', '?tag=%00', "?tag='", '?tag=%22', '?tag=a*'],
  ...[`?q=${'a'.repeat(200)}`, `?q=${'a'.repeat(201)}`, `?q=${'a+'.repeat(100)}`, `?tag=${'a'.repeat(40)}`],
  ...[
    `?tag=${'a'.repeat(41)}`,
    `?q=${'%EF%B7%B2'.repeat(200)}`,
    `?q=${'%CC%81'.repeat(200)}`,
    '?q=%EE%80%80one',
    '?q=%EE%80%82',
  ],
]

test('unusual and invalid queries', { skip }, async () => {
  for (const query of QUERIES) {
    for (const path of ['/api/entries', '/api/search']) await get(escaped(`${path}${query}`))
  }
  for (const query of QUERIES.slice(0, 20)) {
    for (const path of ['/api/stats', '/api/discovery', `/api/entries/${entry.slug}`])
      await get(escaped(`${path}${query}`))
    await pair.ask('POST', escaped(`/api/entries${query}`), { token, body: {} })
    await get(escaped(`/api/admin/snapshot${query}`), asAdmin())
  }
})

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const JSON_TEXTS: (string | Uint8Array)[] = [
  ...[
    '',
    ' ',
    '{',
    '[]',
    'null',
    '1',
    '"a"',
    '{}{}',
    '\ufeff{}',
    '{"a":1,}',
    'NaN',
    '['.repeat(5_000),
    '{"__proto__":1}',
  ],
  ...[bytes('7b2261223a22ff227d'), bytes('7b2261223a22eda080227d'), bytes('7b2261223a22c0af227d')],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00x"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"a\\u0000"'].flatMap(text => [
    `{"title":${text},"content":"c","summary":"s"}`,
    `{"title":"t","content":${text},"summary":"s","tags":[${text}]}`,
    `{"declaredName":${text}}`,
    `{${text}:1}`,
  ]),
  ...[
    '1e400',
    '-1e400',
    '1E-400',
    '123456789012345678901234567890',
    '0.1e1',
    '-0',
    '1e-7',
    '0.30000000000000004',
    '5e-324',
  ].flatMap(number => [
    `{"title":${number},"content":"c","summary":"s"}`,
    `{"revisionId":"~3~","result":"SUPPORTED","confidence":${number},"rationale":"r"}`,
  ]),
  `{"title":"t","content":"${'x'.repeat(20_000)}","summary":"s"}`,
  `{"title":"t","content":"${'é'.repeat(16_000)}","summary":"s"}`,
  `{"title":"t","content":"${'x'.repeat(20_001)}","summary":"s"}`,
  `{"title":"t","content":"${'x'.repeat(40_000)}","summary":"s"}`,
  '{"title":"first","content":"c","summary":"s","title":"last"}',
]

test('unusual and invalid bodies', { skip }, async () => {
  for (const raw of JSON_TEXTS) {
    for (const path of ['/api/actors', '/api/entries', `/api/entries/${entry.slug}/verify`, '/api/relations']) {
      await pair.ask('POST', path, { ...(path === '/api/actors' ? {} : { token }), raw })
    }
    await pair.ask('POST', '/api/admin/moderate', { ...asAdmin(), raw })
  }
  await get(`/api/entries/${entry.slug}/evidence?limit=50`)
  await get('/api/activity?limit=50')
})

const TYPES = [
  null,
  '',
  'text/plain',
  'application/json',
  'Application/JSON; Charset="UTF-8"',
  'application/json;',
  'application/json; charset=utf-16',
  'application/json, text/plain',
]

test('types, codings, methods, tokens and conditions', { skip }, async () => {
  for (const type of TYPES) await pair.ask('POST', '/api/entries', { token, type, body: writing })
  for (const coding of ['gzip', 'identity', '']) {
    await pair.ask('POST', '/api/entries', { token, body: writing, headers: { 'content-encoding': coding } })
  }
  for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH']) {
    for (const path of ['/api/entries', `/api/entries/${entry.slug}`, '/api/stats', '/health', '/ready', '/nowhere']) {
      await pair.ask(method, path)
    }
  }
  for (const wrong of ['', 'x', 'plm_', `${token} `, token.toUpperCase(), `plm_${'0'.repeat(33)}`, "' OR 1=1 --"]) {
    await get('/api/entries', { headers: { 'x-actor-token': wrong } })
    await pair.ask('POST', '/api/entries', { headers: { 'x-actor-token': wrong }, body: writing })
    await get('/api/admin/snapshot', { headers: { authorization: wrong } })
  }
  for (const etag of [`"${entry.currentRevisionId}"`, `W/"${entry.currentRevisionId}"`, '*', '"x"', '""', 'x']) {
    const conditional = { headers: { 'if-none-match': etag } }
    await get(`/api/entries/${entry.slug}`, conditional)
    await get(`/api/entries/${entry.slug}/revisions/${entry.currentRevisionId}`, conditional)
  }
  await get('/api/admin/snapshot', asAdmin())
})
