import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import type { Batch, Entry, LogRecord, ModerationResult, PinsReport, Revision } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { writeCanary } from '../support/canary.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { makeWorld, readExport, signedCheckpoint } from '../support/logged-world.ts'
import { AS_ADMIN, adminEvidence, moderate, tryModerate } from '../support/moderation.ts'
import { publicView } from '../support/public-view.ts'

let token: string
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  ;({ token } = await newActor(app.url))
  await makeWorld(app.url, token)
})

const get = <T>(path: string) => call<T>(app.url, 'GET', path)
const recordsOf = async (path: string): Promise<string[]> =>
  (await get(path)).headers.get('log-records')?.split(', ') ?? []
const recordOf = async (path: string): Promise<string> => (await recordsOf(path))[0] ?? ''
const erase = (targetType: 'ENTRY' | 'RECORD', id: string): Promise<ModerationResult> =>
  moderate(app.url, targetType, id, 'ERASE')

/** The records that tests erased. */
const erased = new Set<string>()

/** Asserts that the proof of every record verifies that is neither erased nor an act, and that the erased ones have no statement. */
async function assertProofs(records: readonly string[]): Promise<void> {
  for (const record of records) erased.add(record)
  const { size } = await signedCheckpoint(app)
  const keys = [(await get('/log/keys')).text.split('\n')[0] ?? '']
  const client = createClient({ baseUrl: app.url })
  for (let record = 1; record <= size; record++) {
    const { kind, salt, statement } = expectStatus(await get<LogRecord>(`/api/log/records/${record}`), 200)
    if (erased.has(String(record))) assert.deepEqual([salt, statement], [undefined, undefined])
    else if (kind !== 'moderation')
      assert.deepEqual((await client.verifyRecord(record, { keys })).reasons, [], `${record}`)
  }
  assert.equal((await client.verifyLog({ keys })).holds, true)
}

test('an erased entry answers 410 ERASED everywhere, is in no answer, and cannot be restored', async () => {
  const canary = 'zq1aerasedentryacceptancexv0123456789abc'
  const { entry, revised, other, relation, verification } = await writeCanary(app.url, token, canary)
  const stats = expectStatus(await get<{ entries: number; relations: number }>('/api/stats'), 200)
  const at = `/api/entries/${entry.id}`
  const records = [
    ...(await recordsOf(`${at}/revisions`)),
    ...(await recordsOf(`${at}/evidence`)),
    ...(await recordsOf(`${at}/relations`)),
  ]
  assert.equal(records.length, 5)
  await signedCheckpoint(app)
  const result = await erase('ENTRY', entry.slug)
  assert.deepEqual([result.changed, result.state.hidden, result.affected.entries], [true, true, 1])
  for (const path of [
    at,
    `${at}/revisions`,
    `${at}/revisions/${entry.currentRevisionId}`,
    `${at}/evidence`,
    `${at}/relations`,
    `${at}/blame`,
    `${at}/timeline`,
    `${at}/overview`,
  ])
    expectProblem(await get(path), 410, 'ERASED')
  expectProblem(await get(`/api/entries/${entry.slug}`), 404, 'ENTRY_NOT_FOUND')
  const { items } = expectStatus(await get<Batch>(`/api/batch?ids=${entry.id},${revised.currentRevisionId}`), 200)
  assert.deepEqual(
    items.map(item => ('problem' in item ? item.problem : undefined)),
    ['ERASED', 'ENTRY_WITHDRAWN'],
  )
  const views = {
    public: await publicView(app.url, [other], ['common']),
    export: (await readExport(app.url)).lines,
    snapshot: (await call(app.url, 'GET', '/api/admin/snapshot', { headers: AS_ADMIN })).text,
    dossier: await adminEvidence(app.url, entry.id),
    reports: (await call(app.url, 'GET', '/api/admin/reports?state=all', { headers: AS_ADMIN })).text,
  }
  for (const [name, view] of Object.entries(views)) assert.ok(!JSON.stringify(view).includes(canary), name)
  const after = expectStatus(await get<{ entries: number; relations: number }>('/api/stats'), 200)
  assert.deepEqual([after.entries, after.relations], [stats.entries - 1, stats.relations - 1])
  expectProblem(await tryModerate(app.url, 'ENTRY', entry.id, 'RESTORE'), 422, 'ACTION_NOT_APPLICABLE')
  assert.equal((await erase('ENTRY', entry.id)).changed, false)
  for (const { id } of [relation, verification])
    assert.ok(!JSON.stringify((await readExport(app.url)).lines).includes(id))
  await assertProofs(records)
  const ledger = readFileSync(join(app.dataDir, 'erasures'), 'utf8')
  for (const record of records) assert.match(ledger, new RegExp(`^${record} [0-9a-f-]{36}$`, 'm'))
})

test('an erased earlier revision leaves its entry, whose history and hashes go on', async () => {
  const canary = 'zq2berasedrevisionacceptancexv0123456789'
  const entry = await newEntry(app.url, token, { title: 'Kept', content: `Call ${canary} now.` })
  const next = async (before: Entry, content: string): Promise<Entry> =>
    expectStatus(
      await call<Entry>(app.url, 'POST', `/api/entries/${before.slug}/revisions`, {
        token,
        body: revisionOf(before, { content }),
      }),
      201,
    )
  const cleaned = await next(entry, 'Call nobody.')
  const last = await next(cleaned, 'Call somebody.')
  const at = `/api/entries/${entry.slug}`
  const first = `${at}/revisions/${entry.currentRevisionId}`
  const record = await recordOf(first)
  const { sequence } = expectStatus(await get<{ items: { sequence: string }[] }>('/api/activity?limit=1'), 200)
    .items[0] as { sequence: string }
  await signedCheckpoint(app)
  await erase('RECORD', record)
  expectProblem(await get(first), 410, 'ERASED')
  assert.equal(expectStatus(await get<Entry>(at), 200).content, 'Call somebody.')
  const { items } = expectStatus(await get<{ items: Revision[] }>(`${at}/revisions`), 200)
  assert.deepEqual(columnOf(items, 'id'), [last.currentRevisionId, cleaned.currentRevisionId])
  expectStatus(await get(`${at}/blame`), 200)
  expectStatus(await get(`/api/asof/${sequence}/entries/${entry.slug}`), 200)
  const judged = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Tried.' }
  expectProblem(await call(app.url, 'POST', `${at}/verify`, { token, body: judged }), 410, 'ERASED')
  const pins = { pins: [{ entryId: entry.id, revisionId: entry.currentRevisionId }] }
  const report = expectStatus(await call<PinsReport>(app.url, 'POST', '/api/pins/check', { body: pins }), 200)
  assert.equal(report.items[0]?.kind, 'WITHDRAWN')
  const history = await createClient({ baseUrl: app.url }).verifyHistory(entry.slug)
  assert.deepEqual(history, { holds: true, revisions: 2, broken: [], unchecked: [cleaned.currentRevisionId] })
  assert.ok(!JSON.stringify((await readExport(app.url)).lines).includes(canary))
  await assertProofs([record])
  // The current revision takes its entry with it.
  await erase('RECORD', await recordOf(`${at}/revisions/${last.currentRevisionId}`))
  expectProblem(await get(`/api/entries/${entry.id}`), 410, 'ERASED')
})

test('erased evidence does not count, and stays erased when its author is restored', async () => {
  const canary = 'zq3cerasedevidenceacceptancexv0123456789'
  const author = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  const at = `/api/entries/${entry.slug}`
  const body = { revisionId: entry.currentRevisionId, rationale: `No, ${canary}.` }
  expectStatus(await call(app.url, 'POST', `${at}/contradict`, { token: author.token, body }), 201)
  assert.equal(expectStatus(await get<Entry>(at), 200).standing.state, 'CONTRADICTED')
  await erase('RECORD', await recordOf(`${at}/evidence`))
  const seen = async () => [
    expectStatus(await get<Entry>(at), 200).standing.state,
    expectStatus(await get<{ contradictions: object[] }>(`${at}/evidence`), 200).contradictions.length,
  ]
  assert.deepEqual(await seen(), ['UNCHECKED', 0])
  await moderate(app.url, 'ACTOR', author.actor.id, 'QUARANTINE', 'RESTORE')
  assert.deepEqual(await seen(), ['UNCHECKED', 0])
  const dossier = JSON.stringify(await adminEvidence(app.url, entry.id))
  assert.ok(!dossier.includes(canary))
})

test('a retry of the write of an erased text answers 410, and writes nothing', async () => {
  const headers = { 'idempotency-key': 'zq4d-a-key-of-the-erased-entry' }
  const body = { title: 'Once', content: 'zq4d once', summary: 'Once' }
  const send = () => call<Entry>(app.url, 'POST', '/api/entries', { token, body, headers })
  const entry = expectStatus(await send(), 201)
  assert.equal(expectStatus(await send(), 201).id, entry.id)
  await erase('ENTRY', entry.id)
  expectProblem(await send(), 410, 'ERASED')
})

test('a record, an actor and an origin take only the actions that fit them', async () => {
  const { actor } = await newActor(app.url)
  expectProblem(await tryModerate(app.url, 'ACTOR', actor.id, 'ERASE'), 422, 'ACTION_NOT_APPLICABLE')
  for (const action of ['HIDE', 'QUARANTINE', 'RESTORE', 'BLOCK', 'UNBLOCK'] as const)
    expectProblem(await tryModerate(app.url, 'RECORD', '1', action), 422, 'ACTION_NOT_APPLICABLE')
  for (const id of ['0', '999999', 'x', '-1', '1e3'])
    expectProblem(await tryModerate(app.url, 'RECORD', id, 'ERASE'), 404, 'TARGET_NOT_FOUND')
})
