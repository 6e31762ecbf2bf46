import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ActorInput,
  ContradictInput,
  CreateInput,
  ModerationInput,
  RelationInput,
  RevisionInput,
  VerifyInput,
} from '../../src/contract/inputs.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../src/contract/operations.ts'
import { BAD_UUIDS, bodyCases, GOOD_UUIDS, type Schema } from '../contract/cases.ts'
import type { Sending } from '../contract/wire.ts'
import { inUpperCase } from './names.ts'
import { asAdmin, type NamedAnswer, NO_POSTGRES, type Pair, startPair } from './pair.ts'

type Made = { id: string; slug: string; currentRevisionId: string }
const skip = NO_POSTGRES
let pair: Pair
let token: string
let entry: Made
let other: Made
before(async () => {
  if (skip) return
  pair = await startPair()
  const issued = await pair.ask('POST', '/api/actors', { body: { declaredName: 'Fox' } })
  token = String(issued.body.token)
  entry = await publish({ title: 'The first', tags: ['sea', 'Deep Sea'] })
  other = await publish({ title: 'The second' })
})
after(() => pair?.close())

const writing = { title: 'A title', content: 'A content', summary: 'A summary' }
const rationale = 'Tried it.'
const made = ({ status, body, text }: NamedAnswer): Made => {
  assert.equal(status, 201, text)
  return body as Made
}
async function publish(input: object): Promise<Made> {
  return made(await pair.ask('POST', '/api/entries', { token, body: { ...writing, ...input } }))
}
const get = (path: string, sending: Sending = {}): Promise<NamedAnswer> => pair.ask('GET', path, sending)
const query = (path: string, parameters: Record<string, string>): Promise<NamedAnswer> =>
  get(`${path}?${new URLSearchParams(parameters)}`)
/** Everything there is to see, on both. */
async function lookAround(): Promise<void> {
  for (const path of ['/api/activity?limit=50', '/api/stats', '/api/entries?limit=50']) await get(path)
  for (const { slug } of [entry, other]) {
    for (const part of ['', '/revisions', '/relations', '/evidence', '/timeline']) {
      await get(`/api/entries/${slug}${part}`)
    }
  }
}

type Case = [OperationName, path: () => string, body: () => Record<string, unknown>]
const SCHEMAS: Record<string, object> = {
  ActorInput,
  CreateInput,
  RevisionInput,
  VerifyInput,
  ContradictInput,
  RelationInput,
  ModerationInput,
}
const CASES: readonly Case[] = [
  ['createActor', () => '/api/actors', () => ({ actorType: 'HUMAN', declaredName: 'n', declaredModel: 'm' })],
  [
    'createEntry',
    () => '/api/entries',
    () => ({ ...writing, tags: ['one'], sources: [{ entryId: other.id, revisionId: other.currentRevisionId }] }),
  ],
  [
    'reviseEntry',
    () => `/api/entries/${entry.slug}/revisions`,
    () => ({
      ...writing,
      previousRevisionId: entry.currentRevisionId,
      changeType: 'EXPAND',
      rationale,
      sources: [{ entryId: other.id, revisionId: other.currentRevisionId }],
    }),
  ],
  [
    'verifyRevision',
    () => `/api/entries/${entry.slug}/verify`,
    () => ({ revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 0.25, rationale }),
  ],
  [
    'contradictRevision',
    () => `/api/entries/${entry.slug}/contradict`,
    () => ({ revisionId: entry.currentRevisionId, rationale, sourceEntryId: other.id }),
  ],
  [
    'relateEntries',
    () => '/api/relations',
    () => ({ sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'REUSES', rationale }),
  ],
  [
    'moderate',
    () => '/api/admin/moderate',
    () => ({ targetType: 'ENTRY', targetId: other.id, action: 'UNBLOCK', reason: 'Asked for.' }),
  ],
]
const credential = (name: OperationName): Sending =>
  name === 'moderate' ? asAdmin() : name === 'createActor' ? {} : { token }

for (const [name, path, body] of CASES) {
  test(`${name}: the same of bodies at, over and under their bounds`, {
    skip,
  }, async () => {
    const { body: schema }: Operation = OPERATIONS[name]
    // Names have no character that JSON escapes, so that cases made with names are the same for both engines.
    const all = bodyCases(SCHEMAS[schema ?? ''] as Schema, body())
    // A body that the schema refuses reaches no engine: a part of the cases shows that.
    const cases = all.filter(({ fault }, index) => fault === undefined || index % 6 === 0)
    assert.ok(cases.length > 20)
    const statuses = new Set<number>()
    for (const { text } of cases) {
      const { status } = await pair.ask('POST', path(), { ...credential(name), raw: text })
      statuses.add(status)
    }
    assert.ok(statuses.size > 1, `all are ${[...statuses]}`)
    await lookAround()
  })
}

/** Texts that other stores have changed. */
const ODD_TEXTS = [
  'İstanbul ı I i',
  'Straße STRASSE ẞ',
  'Σίσυφος σς ΣΑΣ',
  'e\u0301 é \u212b Å',
  'ﬁ ﷺ ㌀ ½',
  '\ufeff\u200b\u202e\u0001\u007f\r\n\t ',
  '𐐀𐐨 😀 👩‍👩‍👧 \u{10ffff}\uffff',
  '\'; DROP TABLE entry; -- %_\\\\ $1 ? "',
  'E\'\\x00\' \\u0000 {"a":[1]} {1,2,NULL}',
  'a'.repeat(180),
  '\u0300'.repeat(180),
  '日本語ไทยمرحبا हिन्दी',
]

test('texts are returned byte for byte, in every member', { skip }, async () => {
  for (const text of ODD_TEXTS) {
    const short = [...text].slice(0, 100).join('')
    const actor = await pair.ask('POST', '/api/actors', { body: { declaredName: short, declaredModel: short } })
    const own = String(actor.body.token)
    const input = { title: text, summary: text, content: text.repeat(20) }
    const one = await pair.ask('POST', '/api/entries', { token: own, body: input })
    const { id, slug, currentRevisionId: revisionId } = made(one)
    assert.equal(one.body.content, input.content)
    const more = { ...input, content: `${text}!`, previousRevisionId: revisionId, changeType: 'CORRECT' }
    made(await pair.ask('POST', `/api/entries/${id}/revisions`, { token: own, body: { ...more, rationale: text } }))
    const judged = { revisionId, rationale: text }
    made(await pair.ask('POST', `/api/entries/${slug}/contradict`, { token: own, body: judged }))
    for (const part of ['', '/revisions', `/revisions/${revisionId}`, '/evidence', '/timeline']) {
      const answer = await get(`/api/entries/${encodeURI(slug)}${part}`)
      assert.equal(answer.status, 200)
    }
    const q = [...text].slice(0, 150).join('')
    for (const sort of ['recent', 'evolution', 'relevance']) await query('/api/search', { q, sort, limit: '50' })
    await get(`/api/entries/${encodeURIComponent(text.slice(0, 20))}`)
  }
  await get('/api/activity?limit=50')
  await get('/api/admin/snapshot', asAdmin())
})

test('tags are equal, counted and found by their key, and shown as sent', { skip }, async () => {
  const sets = [
    ['İ', 'i', 'ı', 'I'],
    ['Straße', 'STRASSE', 'strasse'],
    ['ΣΑΣ', 'σας', 'σασ'],
    ['é', 'e\u0301', 'É', 'e'],
    ['deep  sea', ' Deep Sea ', 'DEEP-SEA', 'deep sea'],
    ['ﬁ', 'fi', 'ⅻ', 'xii'],
    ['-', ' ', '--', '٣', '3'],
    ['日本', '日 本', '日本', 'ﾆﾎﾝ', 'ニホン'],
    ['a', 'A', 'Z', 'z', 'á', 'Ä', 'ä', 'ß'],
  ]
  for (const tags of sets) await publish({ title: 'Tagged', tags })
  for (const tag of new Set(sets.flat())) {
    for (const sort of ['recent', 'evolution']) await query('/api/entries', { tag, sort, limit: '50' })
    await query('/api/search', { tag, q: tag, sort: 'recent' })
  }
  const stats = await get('/api/stats')
  assert.ok((stats.body.topics as unknown[]).length > 15)
})

test('titles with equal slugs, and without a slug', { skip }, async () => {
  const titles = [
    'Same',
    'same',
    'SAME!',
    'sàme',
    'Same',
    '...',
    '日本',
    '日本',
    entry.id,
    '019a9b1c-0c40-7a10-8f3e-2b8a51d0c999',
  ]
  for (const title of titles) {
    const { slug } = await publish({ title })
    for (const address of [slug, slug.toUpperCase()]) await get(`/api/entries/${address}`)
  }
})

test('ids in either case, malformed ids and unknown ids', { skip }, async () => {
  const addresses = [...GOOD_UUIDS, ...BAD_UUIDS, inUpperCase(entry.id), 'x'.repeat(120), 'x'.repeat(121), '%00', '%ff']
  addresses.push('%F0%9F%98%80', "'", '%25', '..', '%2e%2e', '%2F', '\\', 'a%20b', 'null', 'undefined')
  for (const address of addresses) {
    const path = `/api/entries/${address.startsWith('%') ? address : address.replaceAll(/[^~\w-]/g, encodeURIComponent)}`
    for (const part of ['', '/revisions', '/evidence', `/revisions/${inUpperCase(entry.currentRevisionId)}`]) {
      await get(`${path}${part}`)
    }
    await get(`/api/entries/${entry.slug}/revisions/${path.slice('/api/entries/'.length)}`)
    await get(path.replace('/api/', '/api/admin/'), asAdmin())
  }
  for (const targetId of [inUpperCase(entry.id), entry.slug.toUpperCase(), ...BAD_UUIDS, ...ODD_TEXTS]) {
    for (const targetType of ['ENTRY', 'ACTOR', 'ORIGIN']) {
      const body = { targetType, targetId: [...targetId].slice(0, 100).join(''), action: 'UNBLOCK', reason: 'r' }
      await pair.ask('POST', '/api/admin/moderate', asAdmin(body))
    }
  }
})
