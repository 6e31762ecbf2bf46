import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  ActorIssued,
  Entry,
  EntryOverview,
  EvidenceResult,
  FoundList,
  Standing,
} from '../../src/contract/resources.ts'
import { startApp, type TestApp, useApp } from '../support/app.ts'
import { type Answer, call, callPatiently, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

const HOUR = 3_600_000
const SETTINGS = { TRUSTED_PROXIES: '127.0.0.0/8' }

let author: string
let entry: Entry
const app = useApp(SETTINGS, async () => {
  author = (await newActor(app.url)).token
  entry = await published(app, 'Kettle whistles flat in winter')
})
const published = (at: TestApp, title: string) =>
  newEntry(at.url, author, { title, summary: `${title}.`, content: 'Scale closes the whistle. Descale it.' })

type Reader = { token?: string; from: string }
let networks = 0
/** A reader in a network of its own. */
const reader = async (at: TestApp = app): Promise<Required<Reader>> => {
  networks += 1
  const from = `10.20.0.${networks}`
  const made = await call<ActorIssued>(at.url, 'POST', '/api/actors', {
    body: {},
    headers: { 'x-forwarded-for': from },
  })
  return { token: expectStatus(made, 201).token, from }
}
const send = <T>(method: string, path: string, { token, from }: Reader, body?: object, at: TestApp = app) =>
  callPatiently<T>(at.url, method, path, {
    ...{ headers: { 'x-forwarded-for': from } },
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
  })
const overview = async (by: Reader, at = entry): Promise<string> =>
  expectStatus(await send<EntryOverview>('GET', `/api/entries/${at.slug}/overview`, by), 200).feedback ?? ''
const found = async (by: Reader, at: TestApp = app): Promise<FoundList['items'][number] | undefined> =>
  expectStatus(await send<FoundList>('GET', '/api/find?q=kettle+whistles+flat', by, undefined, at), 200).items[0]
const give = (by: Reader, body: object): Promise<Answer<EvidenceResult>> =>
  send<EvidenceResult>('POST', '/api/feedback', by, body)
const standing = async (of: Entry): Promise<Standing> =>
  expectStatus(await call<Standing>(app.url, 'GET', `/api/entries/${of.slug}/standing`), 200)

test('a reader confirms with the handle of an answer what it read, in one request that is charged as a write', async () => {
  const by = await reader()
  const row = await found(by)
  assert.equal(row?.id, entry.id)
  assert.ok((row?.feedback?.length ?? 99) <= 24, row?.feedback)
  const observedOn = [{ name: 'nodejs', version: '22.14' }]
  const answer = await give(by, { handle: row?.feedback, outcome: 'WORKED', observedOn })
  const { verification, status } = expectStatus(answer, 201)
  assert.equal(status, 201)
  assert.deepEqual([verification?.entryId, verification?.revisionId], [entry.id, entry.currentRevisionId])
  assert.deepEqual([verification?.result, verification?.observedOn], ['SUPPORTED', observedOn])
  assert.match(answer.headers.get('ratelimit') ?? '', /"write-token";r=999999;/)
  assert.equal((await standing(entry)).state, 'SUPPORTED')
})

test('what failed becomes a contradiction, which needs a reason', async () => {
  const own = await published(app, 'Teapot drips')
  const by = await reader()
  const handle = await overview(by, own)
  const { headers } = expectProblem(await give(by, { handle, outcome: 'FAILED' }), 400, 'MISSING_MEMBER')
  assert.match(headers.get('link') ?? '', /member="rationale"/)
  const { contradiction } = expectStatus(await give(by, { handle, outcome: 'FAILED', rationale: 'Drips on.' }), 201)
  assert.deepEqual([contradiction?.revisionId, contradiction?.rationale], [own.currentRevisionId, 'Drips on.'])
  assert.equal((await standing(own)).state, 'CONTRADICTED')
})

test('a handle judges the revision that was read, also after it was revised', async () => {
  const own = await published(app, 'Cup cracks')
  const by = await reader()
  const handle = await overview(by, own)
  const body = { title: own.title, summary: own.summary, content: 'Other text.', changeType: 'CORRECT', rationale: 'R' }
  const revising = { ...body, previousRevisionId: own.currentRevisionId }
  expectStatus(
    await call(app.url, 'POST', `/api/entries/${own.slug}/revisions`, { token: author, body: revising }),
    201,
  )
  const { verification } = expectStatus(await give(by, { handle, outcome: 'WORKED' }), 201)
  assert.equal(verification?.revisionId, own.currentRevisionId)
})

test('what a network read without a token can be judged with a token from there only', async () => {
  const { token, from } = await reader()
  const other = await reader()
  const handle = await overview({ from })
  expectProblem(await give(other, { handle, outcome: 'WORKED' }), 422, 'HANDLE_REFUSED')
  expectProblem(await give({ from }, { handle, outcome: 'WORKED' }), 401, 'ACTOR_TOKEN_REQUIRED')
  expectStatus(await give({ token, from }, { handle, outcome: 'WORKED' }), 201)
})

test('a forged handle, one of another reader and one that is older than two hours are refused, and record nothing', async () => {
  const own = await published(app, 'Spoon bends')
  const [by, other] = [await reader(), await reader()]
  const handle = await overview(by, own)
  const [revision = '', mark = ''] = handle.split('.')
  const turned = `${mark[0] === 'A' ? 'B' : 'A'}${mark.slice(1)}`
  const forged = [`${revision}.${turned}`, `1${revision}.${mark}`, `${revision}.`, `.${mark}`, 'x', `${handle}x`, '漢']
  for (const one of forged) expectProblem(await give(by, { handle: one, outcome: 'WORKED' }), 422, 'HANDLE_REFUSED')
  // The same network, and another actor.
  expectProblem(await give({ ...other, from: by.from }, { handle, outcome: 'WORKED' }), 422, 'HANDLE_REFUSED')
  app.advance(2 * HOUR)
  expectProblem(await give(by, { handle, outcome: 'WORKED' }), 422, 'HANDLE_REFUSED')
  assert.equal((await standing(own)).state, 'UNCHECKED')
  const fresh = await overview(by, own)
  app.advance(HOUR / 2)
  expectStatus(await give(by, { handle: fresh, outcome: 'WORKED' }), 201)
})

test('handles outlive a restart, and withdrawn and locked entries refuse them', async () => {
  const own = await published(app, 'Saucer slides')
  const by = await reader()
  const handle = await overview(by, own)
  await app.restart()
  expectStatus(await give(by, { handle, outcome: 'WORKED' }), 201)
  await moderate(app.url, 'ENTRY', own.id, 'BLOCK')
  expectProblem(await give(by, { handle, outcome: 'WORKED' }), 403, 'ENTRY_LOCKED')
  await moderate(app.url, 'ENTRY', own.id, 'HIDE')
  expectProblem(await give(by, { handle, outcome: 'WORKED' }), 410, 'ENTRY_WITHDRAWN')
})

test('feedback has the cooldown of the judgement that it records', async () => {
  await using strict = await startApp({ ...SETTINGS, COOLDOWN_SECONDS: '3600' })
  author = (await newActor(strict.url)).token
  await published(strict, 'Kettle whistles flat')
  const by = await reader(strict)
  const { feedback: handle } = (await found(by, strict)) ?? {}
  const worked = await send('POST', '/api/feedback', by, { handle, outcome: 'WORKED' }, strict)
  expectStatus(worked, 201)
  assert.match(worked.headers.get('ratelimit') ?? '', /"cooldown";r=0;t=3600/)
  expectProblem(await send('POST', '/api/feedback', by, { handle, outcome: 'WORKED' }, strict), 429, 'COOLDOWN')
  const failed = { handle, outcome: 'FAILED', rationale: 'Not on gas.' }
  expectStatus(await send('POST', '/api/feedback', by, failed, strict), 201)
})

test('an answer that shared caches may store has no handle', async () => {
  await using cached = await startApp({ ...SETTINGS, SHARED_CACHE_SECONDS: '60' })
  author = (await newActor(cached.url)).token
  await published(cached, 'Kettle whistles flat')
  const by = await reader(cached)
  assert.equal((await found({ from: by.from }, cached))?.feedback, undefined)
  assert.match((await found(by, cached))?.feedback ?? '', /^[0-9a-z]+\.[\w-]{12}$/)
})
