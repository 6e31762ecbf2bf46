import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor, Entry, Relation } from '../../src/contract/resources.ts'
import { TRUST } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NIL = '00000000-0000-0000-0000-000000000000'

let token: string
let actor: Actor
const app = useApp({}, async () => {
  ;({ token, actor } = await newActor(app.url, { declaredName: 'Connector' }))
})

type Page = { items: Relation[]; nextCursor: string | null }
const tryRelate = (
  sourceEntryId: string,
  targetEntryId: string,
  input: object = {},
  by: string | undefined = token,
) => {
  const body = { sourceEntryId, targetEntryId, relationType: 'CONNECT', rationale: 'They belong together.', ...input }
  return call<Relation>(app.url, 'POST', '/api/relations', { body, token: by })
}
const relate = async (source: Entry, target: Entry, input: object = {}): Promise<Relation> =>
  expectStatus(await tryRelate(source.id, target.id, input), 201)
const relations = async (entry: Entry, query = ''): Promise<Page> =>
  expectStatus(await call<Page>(app.url, 'GET', `/api/entries/${entry.slug}/relations${query}`), 200)
const rationales = ({ items }: Page): string[] => items.map(({ rationale }) => rationale)
const pair = async (): Promise<[Entry, Entry]> => [await newEntry(app.url, token), await newEntry(app.url, token)]

/** Two entries with `count` relations between them, to and fro; the rationales are their numbers, from 1. */
async function related(count: number): Promise<[Entry, Entry]> {
  const [a, b] = await pair()
  for (let n = 1; n <= count; n++) await relate(n % 2 ? a : b, n % 2 ? b : a, { rationale: String(n) })
  return [a, b]
}
const countDown = (from: number, to: number): string[] => Array.from({ length: from - to + 1 }, (_, n) => `${from - n}`)

test('a relation of every type is answered with every member and its author, and listed at both ends', async () => {
  const [source, target] = await pair()
  for (const relationType of ['CONNECT', 'REUSES', 'SYNTHESIZES', 'CONTRADICTS']) {
    const {
      id,
      createdAt,
      actor: author,
      ...rest
    } = await relate(source, target, { relationType, rationale: ' ü\n🦊' })
    assert.match(id, UUID_V7)
    assert.match(createdAt, TIME)
    assert.deepEqual(author, { id: actor.id, declared: actor.declared, verificationStatus: 'UNVERIFIED' })
    assert.deepEqual(rest, {
      sourceEntryId: source.id,
      targetEntryId: target.id,
      relationType,
      actorId: actor.id,
      rationale: ' ü\n🦊',
      ...TRUST,
    })
    for (const end of [source, target]) {
      assert.deepEqual((await relations(end, '?limit=1')).items, [{ id, createdAt, actor: author, ...rest }])
    }
  }
})

test('ends may be named in upper case, but by id only', async () => {
  const [source, target] = await pair()
  const relation = expectStatus(await tryRelate(source.id.toUpperCase(), target.id.toUpperCase()), 201)
  assert.deepEqual([relation.sourceEntryId, relation.targetEntryId], [source.id, target.id])
  expectProblem(await tryRelate(source.slug, target.id), 400, 'INVALID_SOURCE_ENTRY_ID')
})

test('neither end is changed by a relation', async () => {
  const [source, target] = await pair()
  app.advance(1_000)
  await relate(source, target)
  for (const end of [source, target]) {
    assert.deepEqual(expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${end.id}`), 200), end)
  }
})

test('an entry is not related to itself', async () => {
  const [entry] = await pair()
  for (const target of [entry.id, entry.id.toUpperCase()]) {
    expectProblem(await tryRelate(entry.id, target), 422, 'SELF_RELATION')
  }
  assert.deepEqual(await relations(entry), { items: [], nextCursor: null })
})

test('refusals have the documented order', async () => {
  const [open, other] = await pair()
  const [locked, hidden] = await pair()
  await moderate(app.url, 'ENTRY', locked.id, 'BLOCK')
  await moderate(app.url, 'ENTRY', hidden.id, 'HIDE')
  expectProblem(await tryRelate(NIL, NIL, { relationType: 'LIKES' }, 'bad'), 401, 'ACTOR_TOKEN_INVALID')
  expectProblem(await tryRelate(NIL, NIL, { relationType: 'LIKES' }), 400, 'INVALID_RELATION_TYPE')
  for (const [a, b] of [
    [NIL, open.id],
    [open.id, NIL],
    [NIL, NIL],
    [locked.id, NIL],
  ] as const) {
    expectProblem(await tryRelate(a, b), 404, 'ENTRY_NOT_FOUND')
  }
  for (const [a, b] of [
    [hidden.id, open.id],
    [open.id, hidden.id],
    [locked.id, hidden.id],
    [hidden.id, locked.id],
    [hidden.id, hidden.id],
  ] as const) {
    expectProblem(await tryRelate(a, b), 410, 'ENTRY_WITHDRAWN')
  }
  for (const [a, b] of [
    [locked.id, open.id],
    [open.id, locked.id],
    [locked.id, locked.id],
  ] as const) {
    expectProblem(await tryRelate(a, b), 403, 'ENTRY_LOCKED')
  }
  expectStatus(await tryRelate(open.id, other.id), 201)
})

test('relations with a withdrawn entry are not listed at the other end until it is restored', async () => {
  const [a, b] = await related(4)
  const c = await newEntry(app.url, token)
  await relate(a, c, { rationale: 'stays' })
  await moderate(app.url, 'ENTRY', b.id, 'QUARANTINE')
  assert.deepEqual(rationales(await relations(a)), ['stays'])
  expectProblem(await call(app.url, 'GET', `/api/entries/${b.slug}/relations`), 410, 'ENTRY_WITHDRAWN')
  await moderate(app.url, 'ENTRY', b.id, 'RESTORE')
  assert.deepEqual(rationales(await relations(a)), ['stays', ...countDown(4, 1)])
})
