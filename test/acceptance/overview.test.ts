import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntryOverview, Evidence, Revision, Standing } from '../../src/contract/resources.ts'
import { verifyProof } from '../../src/tlog/verify/verify.js'
import { shareApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

let token: string
const app = shareApp({}, async () => {
  token = (await newActor(app.url)).token
})
const get = async <T>(path: string) => expectStatus(await call<T>(app.url, 'GET', `/api/entries/${path}`), 200)

test('an overview has the same parts as the reads of each, and the proof of its revision', async () => {
  const entry = await newEntry(app.url, token)
  const other = await newEntry(app.url, token)
  const path = `/api/entries/${entry.slug}`
  const { token: judge } = await newActor(app.url)
  const said = { revisionId: entry.currentRevisionId, rationale: 'It fails.' }
  expectStatus(await call(app.url, 'POST', `${path}/contradict`, { token: judge, body: said }), 201)
  const relation = { sourceEntryId: other.id, targetEntryId: entry.id, relationType: 'CONNECT', rationale: 'Both.' }
  expectStatus(await call(app.url, 'POST', '/api/relations', { token, body: relation }), 201)
  expectStatus(await call(app.url, 'POST', `${path}/revisions`, { token, body: revisionOf(entry) }), 201)

  const { proof, feedback, ...parts } = await get<EntryOverview>(`${entry.slug}/overview`)
  const { currentRevisionId } = parts.entry
  assert.deepEqual(parts, {
    entry: await get(entry.slug),
    revision: await get<Revision>(`${entry.slug}/revisions/${currentRevisionId}`),
    standing: await get<Standing>(`${entry.slug}/standing`),
    evidence: await get<Evidence>(`${entry.slug}/evidence?limit=50`),
    relations: await get(`${entry.slug}/relations?limit=50`),
  })
  assert.match(feedback ?? '', /^\w+\.[\w-]{12}$/)
  assert.ok(proof === null || proof.startsWith('c2sp.org/tlog-proof@v1\n'))
  const first = `${entry.slug}/overview?revisionId=${entry.currentRevisionId}`
  const { revision } = await get<EntryOverview>(first)
  assert.equal(revision.id, entry.currentRevisionId)
  const later = await eventually('the log has the revision', 60_000, async () => {
    return (await get<EntryOverview>(first)).proof ?? undefined
  })
  assert.equal((await verifyProof(later, {})).statement?.evidenceHash, revision.evidenceHash)
})

test('an overview of an unknown or withdrawn entry, or of a revision of another entry, is refused', async () => {
  const [entry, other] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const read = (rest: string) => call(app.url, 'GET', `/api/entries/${rest}`)
  expectProblem(await read('no-such-entry/overview'), 404, 'ENTRY_NOT_FOUND')
  const foreign = `${entry.slug}/overview?revisionId=${other.currentRevisionId}`
  expectProblem(await read(foreign), 404, 'REVISION_NOT_FOUND')
  expectProblem(await read(`${entry.slug}/overview?revisionId=x`), 400, 'INVALID_REVISION_ID')
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  expectProblem(await read(`${entry.slug}/overview`), 410, 'ENTRY_WITHDRAWN')
})
