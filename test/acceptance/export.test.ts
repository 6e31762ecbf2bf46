import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { checkOf } from '../../src/contract/check.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { type ChangeList, EXPORT_MEMBERS, ExportLine, type ExportManifest } from '../../src/contract/resources.ts'
import type { Action } from '../../src/contract/vocabulary.ts'
import type { Observation } from '../../src/memory/activity/observe.ts'
import { evidenceHash } from '../../src/memory/entries/rules.ts'
import { listChangedActors } from '../../src/mirror/export-rows.ts'
import { useApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { moderate, snapshot, toNoon } from '../support/moderation.ts'

const HOUR = 3_600_000
const { fits } = checkOf(ExportLine)

let entryId: string
let revisedId: string
let token: string
let actorId: string
const app = useApp({}, async () => {
  toNoon(app)
  const author = await newActor(app.url, { declaredName: 'Zwitterion' })
  token = author.token
  actorId = author.actor.id
  const entry = await newEntry(app.url, token, { content: 'Xylophagous beetles', tags: ['wood'] })
  const other = await newEntry(app.url, token)
  entryId = entry.id
  const at = `/api/entries/${entry.slug}`
  const post = async (path: string, body: object) =>
    expectStatus(await call(app.url, 'POST', path, { token, body }), 201)
  const revised = await post(`${at}/revisions`, revisionOf(entry))
  revisedId = String(revised.currentRevisionId)
  const evidence = { revisionId: revisedId, rationale: 'Xylophagous indeed' }
  await post(`${at}/verify`, { ...evidence, result: 'SUPPORTED', confidence: 1 })
  await post(`${at}/contradict`, { ...evidence, sourceEntryId: other.id })
  const ends = { sourceEntryId: other.id, targetEntryId: entry.id }
  await post('/api/relations', { ...ends, relationType: 'CONNECT', rationale: 'Related' })
  expectStatus(await call(app.url, 'GET', '/api/search?tag=secret-of-mine'), 200)
  // The lines of records have a salt once the log has begun, and then stay as they are.
  await signedCheckpoint(app)
})

const linesFrom = async (from: string): Promise<ExportLine[]> => {
  const { text } = await call(app.url, 'GET', `/api/export${from}`)
  assert.ok(text.endsWith('\n'))
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as ExportLine)
}

test('every line matches the contract, in the order of its sequence, and every hash can be recomputed from the lines alone', async () => {
  const answer = await call(app.url, 'GET', '/api/export')
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const lines = await linesFrom('')
  for (const line of lines) {
    assert.ok(fits(line), JSON.stringify(line))
    for (const member of EXPORT_MEMBERS[line.type]) assert.notEqual(line[member], undefined, `${line.type} ${member}`)
  }
  const types = lines.map(({ type }) => type)
  const written = ['entry', 'entry', 'revision', 'verification', 'contradiction', 'relation']
  assert.deepEqual(types, [...written, 'observation', 'end'])
  assert.deepEqual(columnOf(lines.slice(0, -1), 'sequence'), ['1', '2', '3', '4', '5', '6', '7'])
  assert.deepEqual(columnOf(lines.slice(0, 6), 'record'), ['1', '2', '3', '4', '5', '6'])
  const hashes = new Map<string | null, string | null>([[null, null]])
  for (const { revision } of lines) {
    if (revision === undefined) continue
    const { evidenceHash: stated, ...unhashed } = revision
    assert.equal(evidenceHash(unhashed, hashes.get(revision.previousRevisionId) ?? null), stated)
    hashes.set(revision.id, stated)
  }
  const head = lines.at(-1)?.head
  assert.deepEqual([head?.sequence, head?.record, head?.change, lines.at(-1)?.next], ['7', '6', '0', '8'])
  const { entries, revisions, relations } = expectStatus(await call(app.url, 'GET', '/api/stats'), 200)
  assert.deepEqual(
    [head?.totals.entries, head?.totals.revisions, head?.totals.relations],
    [entries, revisions, relations],
  )
  assert.deepEqual(columnOf(await linesFrom('?from=6'), 'sequence'), ['6', '7', undefined])
  assert.deepEqual(columnOf(await linesFrom('?from=900'), 'next'), ['900'])
})

test('the export has no token, digest of a token, origin, searched tag or row of the operator', async () => {
  const environment = { at: Date.now(), cooldown: 0, dataClass: 'INTERNAL' } as const
  const request = { params: {}, body: {}, caller: { requestId: crypto.randomUUID(), actor: null, origin: null } }
  const issued = (await app.store.write('createActor', request as never, environment)).body as unknown as {
    token: string
    actor: { id: string }
  }
  expectStatus(await call(app.url, 'GET', `/api/entries/${entryId}`, { token: issued.token }), 200)
  const timeline = (await call(app.url, 'GET', `/api/entries/${entryId}/timeline`)).text
  assert.ok(timeline.includes(issued.actor.id), 'the operator was observed')
  const { text } = await call(app.url, 'GET', '/api/export')
  const { entries } = await snapshot(app.url)
  const digest = createHash('sha256').update(token).digest('hex')
  for (const hidden of [token, digest, String(entries[0]?.originId), 'secret-of-mine', issued.actor.id, '127.0.0.1']) {
    assert.ok(hidden.length > 5 && !text.includes(hidden), hidden)
  }
})

/** Fills the first segment and begins the second, with rows of reads. */
async function fillSegment(): Promise<void> {
  const origin = { id: 'a fingerprint', day: '2026-11-20', networkKey: 'a network', voice: 'a voice' }
  const rows = Array.from({ length: LIMITS.exportSegment }, (_, n): Observation => {
    const at = Date.parse('2026-11-20T00:00:00Z') - n * HOUR
    const row = {
      actor: null,
      userAgent: 'x',
      origin,
      requestId: crypto.randomUUID(),
      at,
      lastAt: at,
      times: 1,
      counted: false,
    }
    return { ...row, action: 'READ' as Action, entry: 1, revision: 1, metadata: null }
  })
  await app.store.maintain('recordObservations', rows, { at: Date.now(), cooldown: 0, dataClass: 'EXTERNAL' })
}

test('a finished segment is cached by its digest, which is not confirmed once a line was withdrawn', async () => {
  await fillSegment()
  const get = (headers = {}, method = 'GET') => call(app.url, method, '/api/export?from=1', { headers })
  const whole = await get()
  const etag = whole.headers.get('etag') ?? ''
  const lines = whole.text.trimEnd().split('\n')
  assert.equal(whole.headers.get('cache-control'), 'public, no-cache')
  const digest = createHash('sha256').update(whole.text).digest('base64')
  assert.equal(whole.headers.get('repr-digest'), `sha-256=:${digest}:`)
  assert.match(etag, /^"[\w-]{43}"$/)
  assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { type: 'end', next: '1001' })
  assert.equal((await get({ 'if-none-match': etag })).status, 304)
  const head = await get({}, 'HEAD')
  assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag])
  const part = await call(app.url, 'GET', '/api/export?from=7')
  assert.deepEqual([part.headers.get('etag'), part.headers.get('cache-control')], [null, 'no-store'])
  assert.equal(part.text, `${lines.slice(6).join('\n')}\n`)
  assert.equal((await linesFrom('?from=1001')).at(-1)?.type, 'end')

  await moderate(app.url, 'ENTRY', entryId, 'HIDE')
  const without = await get({ 'if-none-match': etag })
  assert.equal(without.status, 200)
  for (const hidden of ['Xylophagous', entryId, revisedId]) assert.ok(!without.text.includes(hidden), hidden)
  const gone = without.text
    .split('\n')
    .filter(line => line.includes('"withdrawn"'))
    .map(line => JSON.parse(line) as ExportLine)
  const records = gone.filter(({ record }) => record !== undefined)
  const reads = gone.filter(({ record }) => record === undefined)
  assert.ok(reads.length > 900 && reads.every(({ withdrawn }) => withdrawn === 'RECORD'))
  assert.deepEqual(
    records.map(({ record, withdrawn, ends }) => [record, withdrawn, ends]),
    [
      ['1', 'ENTRY', undefined],
      ['3', 'ENTRY', undefined],
      ['4', 'ENTRY', undefined],
      ['5', 'ENTRY', undefined],
      ['6', 'RECORD', ['2', '1']],
    ],
  )
  await moderate(app.url, 'ACTOR', actorId, 'HIDE')
  assert.ok(!(await get()).text.includes('Zwitterion'))
  await moderate(app.url, 'ACTOR', actorId, 'RESTORE')
  await moderate(app.url, 'ENTRY', entryId, 'RESTORE')
  assert.equal((await get({ 'if-none-match': etag })).status, 304)
})

test('the latest withdrawal or restoration of an entry is a line at its own sequence', async () => {
  const moderated = async (): Promise<ExportLine[]> =>
    (await linesFrom('?from=1001')).filter(({ type }) => type === 'moderated')
  const places = async () =>
    (await call<ChangeList>(app.url, 'GET', `/api/activity/changes?entry=${entryId}&after=1000`)).body.items.map(
      ({ sequence }) => sequence,
    )
  const [first, ...more] = await moderated()
  assert.deepEqual([first?.entryRecord, more], ['1', []])
  assert.deepEqual(await places(), [first?.sequence])
  await moderate(app.url, 'ENTRY', entryId, 'HIDE')
  const [second, ...rest] = await moderated()
  assert.ok(Number(second?.sequence) > Number(first?.sequence) && rest.length === 0)
  assert.deepEqual(await places(), [second?.sequence])
  await moderate(app.url, 'ENTRY', entryId, 'RESTORE')
})

test('the manifest names the segments that moderation changed, and no others', async () => {
  const manifest = async (query = ''): Promise<ExportManifest> =>
    expectStatus(await call<ExportManifest>(app.url, 'GET', `/api/export/manifest${query}`), 200)
  const now = await manifest()
  assert.deepEqual([now.segmentSize, now.finished, now.segments, now.actors], [LIMITS.exportSegment, 1, [], []])
  assert.equal((await manifest(`?after=${now.change}`)).segments.length, 0)
  const late = await newEntry(app.url, token)
  await moderate(app.url, 'ENTRY', late.id, 'HIDE')
  const then = await manifest(`?after=${now.change}`)
  assert.deepEqual([then.segments, then.actors, then.complete], [['1001'], [], true])
  assert.equal(Number(then.change), Number(then.record))
  await moderate(app.url, 'ACTOR', actorId, 'HIDE')
  const after = await manifest(`?after=${then.change}`)
  assert.deepEqual(after.segments, ['1', '1001'])
  assert.deepEqual(after.actors, [
    { id: actorId, declared: { name: null, model: null, provider: null }, verificationStatus: 'UNVERIFIED' },
  ])
  await moderate(app.url, 'ACTOR', actorId, 'RESTORE')
  assert.equal((await manifest('?after=0')).actors[0]?.declared.name, 'Zwitterion')
  assert.deepEqual((await manifest(`?after=${'9'.repeat(19)}`)).segments, [])
})

test('if actors were moderated too often the manifest names all segments', async () => {
  const before = Number(expectStatus(await call<ExportManifest>(app.url, 'GET', '/api/export/manifest'), 200).change)
  const [first, second] = [await newActor(app.url), await newActor(app.url, { declaredName: 'Yttrium' })]
  for (const author of [first, second]) await newEntry(app.url, author.token)
  await moderate(app.url, 'ACTOR', first.actor.id, 'HIDE', 'RESTORE', 'HIDE')
  await moderate(app.url, 'ACTOR', second.actor.id, 'HIDE')
  const named = async (limit: number): Promise<[string[], boolean]> => {
    const { actors, all } = await listChangedActors(app.store.reader, before, limit)
    return [actors.map(({ id }) => id), all]
  }
  assert.deepEqual(await named(3), [[first.actor.id], false])
  assert.deepEqual(await named(4), [[first.actor.id, second.actor.id], true])
})

test('a malformed number is refused, and both paths are charged as reads', async () => {
  for (const [query, code] of [
    ['from=', 'INVALID_FROM'],
    ['from=-1', 'INVALID_FROM'],
    ['from=1.5', 'INVALID_FROM'],
    [`from=${'1'.repeat(20)}`, 'INVALID_FROM'],
    ['after=1', 'UNKNOWN_PARAMETER'],
    ['from=1&from=2', 'REPEATED_PARAMETER'],
    ['limit=5', 'UNKNOWN_PARAMETER'],
  ] as const) {
    expectProblem(await call(app.url, 'GET', `/api/export?${query}`), 400, code)
  }
  expectProblem(await call(app.url, 'GET', '/api/export/manifest?after=x'), 400, 'INVALID_AFTER')
  for (const path of ['/api/export', '/api/export/manifest']) {
    assert.match((await call(app.url, 'GET', path)).headers.get('ratelimit-policy') ?? '', /read-origin/)
  }
  assert.deepEqual(columnOf(await linesFrom(`?from=${'9'.repeat(19)}`), 'type'), ['end'])
})
