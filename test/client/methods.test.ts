import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, createClient, isClientError } from '../../src/client/index.ts'
import type { Entry } from '../../src/client/resources.ts'
import { OPERATIONS as TABLE } from '../../src/client/table.ts'
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { useApp } from '../support/app.ts'
import { call, columnOf, newActor } from '../support/client.ts'

let client: Client
let entry: Entry
const app = useApp({}, async () => {
  client = createClient({ baseUrl: `${app.url}/` })
})

const text = (title: string) => ({ title, summary: `About ${title}`, content: `All of ${title}` })

test('there is a method for every public operation that returns JSON, and for no other', () => {
  const operations = Object.entries(OPERATIONS) as [string, Operation][]
  const expected = operations.filter(([, { access, media }]) => access !== 'admin' && media === undefined)
  assert.deepEqual(
    Object.keys(TABLE),
    expected.map(([name]) => name),
  )
  for (const [name] of expected) assert.equal(typeof client[name as keyof Client], 'function', name)
})

test('createActor stores the token, and writes send it', async () => {
  await assert.rejects(client.createEntry(text('Too early')), { code: 'ACTOR_TOKEN_REQUIRED', status: 401 })
  const issued = await client.createActor({ actorType: 'AGENT', declaredName: 'Client' })
  assert.equal(client.token(), issued.token)
  entry = await client.createEntry({ ...text('Rain'), tags: ['Weather'] })
  assert.equal(entry.actor.id, issued.actor.id)
  const another = createClient({ baseUrl: app.url, token: issued.token })
  assert.equal((await another.createEntry(text('Snow'))).actor.id, issued.actor.id)
})

test('createActor needs no input', async () => {
  const { actor } = await createClient({ baseUrl: app.url }).createActor()
  assert.equal(actor.actorType, 'UNKNOWN')
})

test('entries are listed, searched and read by every parameter', async () => {
  const found = await client.searchEntries({
    q: 'all of "rain"',
    tag: 'weather',
    sort: 'relevance',
    limit: 3,
    offset: 0,
  })
  assert.deepEqual(columnOf(found.items, 'id'), [entry.id])
  assert.equal(found.limit, 3)
  assert.equal((await client.listEntries({ offset: 1, limit: 1 })).items[0]?.id, entry.id)
  assert.equal((await client.listEntries()).items.length, 2)
  assert.deepEqual(await client.readEntry(entry.slug), await client.readEntry(entry.id.toUpperCase()))
})

test('revisions, evidence and relations are written and read', async () => {
  const revised = await client.reviseEntry(entry.slug, {
    ...text('Rain'),
    previousRevisionId: entry.currentRevisionId,
    changeType: 'CORRECT',
    rationale: 'Wetter.',
  })
  assert.equal(revised.revisionCount, 2)
  const { items } = await client.listRevisions(entry.slug, { limit: 1 })
  assert.equal(items[0]?.id, revised.currentRevisionId)
  const first = await client.readRevision(entry.slug, entry.currentRevisionId)
  assert.equal(first.previousRevisionId, null)

  const verdict = { revisionId: first.id, rationale: 'Went outside.' }
  const verification = await client.verifyRevision(entry.slug, { ...verdict, result: 'SUPPORTED', confidence: 0.5 })
  const contradiction = await client.contradictRevision(entry.slug, verdict)
  const evidence = await client.listEvidence(entry.id)
  assert.equal(evidence.verifications[0]?.id, verification.id)
  assert.equal(evidence.contradictions[0]?.id, contradiction.id)

  const targetEntryId = (await client.readEntry('snow')).id
  const ends = { sourceEntryId: entry.id, targetEntryId }
  const relation = await client.relateEntries({ ...ends, relationType: 'CONNECT', rationale: 'Both fall.' })
  assert.equal((await client.listRelations('snow')).items[0]?.id, relation.id)
})

test('activity and the description of the service can be read', async () => {
  const { items } = await client.listTimeline(entry.slug, { limit: 50 })
  assert.ok(items.some(({ action }) => action === 'CORRECT'))
  const newest = (await client.listActivity({ limit: 1 })).items[0]
  assert.ok(newest)
  assert.ok(
    Number((await client.listActivity({ before: newest.sequence })).items[0]?.sequence) < Number(newest.sequence),
  )
  assert.equal((await client.readStats()).entries, 2)
  assert.equal((await client.readDiscovery()).name, 'Palimpsest')
  assert.equal((await client.readHealth()).status, 'ok')
  assert.equal((await client.readReadiness()).status, 'ok')
})

test('reads are anonymous unless tokenOnReads is set', async () => {
  const { actor, token } = await newActor(app.url, { declaredName: 'Reader' })
  const readers = async (): Promise<string[]> => {
    const { items } = await client.listTimeline('snow', { limit: 50 })
    return items.filter(({ action }) => action === 'READ').map(({ actorId }) => actorId)
  }
  await createClient({ baseUrl: app.url, token }).readEntry('snow')
  assert.ok(!(await readers()).includes(actor.id))
  await createClient({ baseUrl: app.url, token, tokenOnReads: true }).readEntry('snow')
  assert.ok((await readers()).includes(actor.id))
})

test('a refusal has its code, status, request and remedy', async () => {
  const refusal = await client.readEntry('nothing-here').catch((error: unknown) => error)
  assert.ok(isClientError(refusal))
  const { code, status, requestId, retryAfterSeconds, mayHaveHappened } = refusal
  assert.deepEqual(
    { code, status, retryAfterSeconds, mayHaveHappened },
    { code: 'ENTRY_NOT_FOUND', status: 404, retryAfterSeconds: null, mayHaveHappened: false },
  )
  assert.match(requestId ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(
    refusal.message,
    `ENTRY_NOT_FOUND: No entry has this id or slug; search for it. (GET /api/entries/nothing-here was answered 404, request ${requestId})`,
  )
})

test('an empty name is refused before it is sent, and every other name stays one segment of the path', async () => {
  for (const slug of ['', '.', '..', '\ud800']) {
    await assert.rejects(client.readEntry(slug), { code: 'INVALID_ARGUMENT', status: null }, JSON.stringify(slug))
  }
  await assert.rejects(client.readEntry('../stats'), { code: 'ENTRY_NOT_FOUND' })
  await assert.rejects(client.readEntry('rain?q=1#x'), { code: 'ENTRY_NOT_FOUND' })
})

test('a malformed address or token is refused when the client is made', () => {
  const user = new URL(app.url)
  user.username = 'somebody'
  for (const baseUrl of ['nowhere', 'ftp://memory.example', `${app.url}?a=1`, user.href]) {
    assert.throws(() => createClient({ baseUrl }), { code: 'INVALID_ARGUMENT' }, baseUrl)
  }
  for (const token of ['', 'two words', 'line\nbreak']) {
    assert.throws(() => createClient({ baseUrl: app.url, token }), { code: 'INVALID_ARGUMENT' })
  }
})

test('an answer of another server is reported as such, and its text is not repeated', async () => {
  const answer = (body: string, status: number, headers: Record<string, string> = {}) =>
    createClient({ baseUrl: app.url, fetch: async () => new Response(body, { status, headers }) })
  await assert.rejects(answer('<html>', 200).readStats(), { code: 'UNREADABLE_ANSWER', mayHaveHappened: false })
  await assert.rejects(answer('{"error":{"code":"rm -rf","requestId":"\\u001b[2J"}}', 404).readStats(), {
    code: 'HTTP_404',
    requestId: null,
  })
  await assert.rejects(answer('', 302, { location: 'https://elsewhere.example' }).readStats(), { code: 'REDIRECTED' })
  await assert.rejects(answer('', 200).createActor(), { code: 'UNREADABLE_ANSWER', mayHaveHappened: true })
})

test('texts arrive unchanged', async () => {
  const content = 'Zeile\r\n\u2028 "quoted" \\ 𝄞 \u202e'
  const made = await client.createEntry({ ...text('Text'), content })
  assert.equal((await client.readEntry(made.slug)).content, content)
  const raw = await call<Entry>(app.url, 'GET', `/api/entries/${made.slug}`)
  assert.deepEqual(await client.readEntry(made.slug), raw.body)
})
