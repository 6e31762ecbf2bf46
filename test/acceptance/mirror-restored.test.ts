import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Evidence, Standing } from '../../src/contract/resources.ts'
import { openSource, type Source } from '../../src/mirror/source.ts'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { writeEntries } from '../support/mirror-rounds.ts'
import { moderate } from '../support/moderation.ts'

/** More rows than a segment of the export has. */
const ROWS = 1_010

let copy: Copy
let token: string
let entry: Entry
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  ;({ token } = await newActor(app.url))
  entry = await newEntry(app.url, token)
})
const write = async <T>(path: string, body: object): Promise<T> =>
  expectStatus(await call<T>(app.url, 'POST', `/api/entries/${entry.slug}${path}`, { body, token }), 201)

test('a mirror has what was written about an entry after its restoration, in a later segment of the export', async () => {
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  await writeEntries(app, ROWS)
  await signedCheckpoint(app)
  copy = await openCopy(app.url)
  await copy.catchUp()
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  entry = await write<Entry>('/revisions', revisionOf(entry))
  const judged = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 0.9, rationale: 'Tried it.' }
  await write('/verify', judged)
  await signedCheckpoint(app)
  await copy.catchUp()
  for (const path of [`/api/entries/${entry.slug}/revisions`, `/api/entries/${entry.slug}/evidence`]) {
    const [own, original] = await Promise.all([copy.app.url, app.url].map(url => call<Evidence>(url, 'GET', path)))
    assert.deepEqual(own?.body, original?.body)
  }
})

test('a mirror counts evidence whose author was restored while an entry of several segments was withdrawn', async () => {
  const judge = await newActor(app.url)
  const judged = await newEntry(app.url, token)
  const path = `/api/entries/${judged.slug}`
  const verification = {
    ...{ revisionId: judged.currentRevisionId, result: 'INCONCLUSIVE', confidence: 0.9, rationale: 'Tried it.' },
  }
  expectStatus(await call(app.url, 'POST', `${path}/verify`, { body: verification, token: judge.token }), 201)
  await writeEntries(app, ROWS)
  expectStatus(await call(app.url, 'POST', `${path}/revisions`, { body: revisionOf(judged), token }), 201)
  for (const [type, id, action] of [
    ['ACTOR', judge.actor.id, 'QUARANTINE'],
    ['ENTRY', judged.id, 'HIDE'],
    ['ACTOR', judge.actor.id, 'RESTORE'],
    ['ENTRY', judged.id, 'RESTORE'],
  ] as const) {
    await moderate(app.url, type, id, action)
    await signedCheckpoint(app)
    await copy.catchUp()
  }
  const [own, original] = await Promise.all(
    [copy.app.url, app.url].map(url => call<Standing>(url, 'GET', `${path}/standing`)),
  )
  assert.equal(original?.body.tally.inconclusive, 1)
  assert.deepEqual(own?.body, original?.body)
})

test('a mirror refuses another text for a revision that it has, also if the line names an unknown previous revision', async () => {
  const source = openSource(app.url, new AbortController().signal)
  const raised = (change: string): string => String(Number(change) + 1)
  const forged: Source = {
    ...source,
    async manifest(after) {
      const manifest = await source.manifest(after)
      return { ...manifest, change: raised(manifest.change), segments: ['1', '1001', '2001'], complete: true }
    },
    async segment(from) {
      const text = (await source.segment(from)).bytes.toString()
      const changed = text
        .replace(/"change":"(\d+)"/, (_member, change: string) => `"change":"${raised(change)}"`)
        .replaceAll(/"previousRevisionId":"[^"]*"/g, `"previousRevisionId":"${crypto.randomUUID()}"`)
        .replaceAll(entry.content, 'Forged.')
      return { bytes: Buffer.from(changed), digest: null }
    },
  }
  await assert.rejects(copy.catchUp(forged), {
    message: /^Record \d+ .* its previous revision was never sent; its answer was not stored\.$/,
  })
  const { body } = await call<Entry>(copy.app.url, 'GET', `/api/entries/${entry.slug}`)
  assert.equal(body.content, entry.content)
})
