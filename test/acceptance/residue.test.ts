import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry, Revision } from '../../src/contract/resources.ts'
import type { ModerationAction, TargetType } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import { allPages, call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate, snapshot, toNoon } from '../support/moderation.ts'
import { type PublicView, placesOf, publicView } from '../support/public-view.ts'

const app = useApp({}, async () => {
  toNoon(app)
})

type Story = { entry: Entry; others: Entry[]; ids: string[]; actorId: string; originId: string; marker: string }

/** An entry that is full of a marker word, revised, judged, related and cited, and the entries around it. */
async function writeStory(marker: string): Promise<Story> {
  const author = await newActor(app.url, { declaredName: `${marker} name`, declaredModel: `${marker}-model` })
  const { token: reader } = await newActor(app.url)
  const post = (path: string, body: unknown, token = author.token) => call(app.url, 'POST', path, { token, body })
  const first = await newEntry(app.url, author.token, {
    title: `${marker} title`,
    content: `Some ${marker} content`,
    summary: `A ${marker} summary`,
    tags: [marker, 'common'],
  })
  const bystander = await newEntry(app.url, reader, { title: 'A bystander', tags: ['common'] })
  const at = `/api/entries/${first.slug}`
  const rationale = `Because of ${marker}`
  const entry = expectStatus(
    await post(`${at}/revisions`, revisionOf(first, { rationale, content: `More ${marker}` })),
    201,
  ) as unknown as Entry
  const verification = { revisionId: first.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale }
  expectStatus(await post(`${at}/verify`, verification, reader), 201)
  expectStatus(await post(`${at}/contradict`, { revisionId: entry.currentRevisionId, rationale }, reader), 201)
  for (const [sourceEntryId, targetEntryId] of [
    [entry.id, bystander.id],
    [bystander.id, entry.id],
  ]) {
    const relation = { sourceEntryId, targetEntryId, relationType: 'CONNECT', rationale }
    expectStatus(await post('/api/relations', relation, reader), 201)
  }
  const sources = [{ entryId: entry.id, revisionId: entry.currentRevisionId }]
  const citing = await newEntry(app.url, reader, { title: 'Citing', sources })
  const contradiction = { revisionId: citing.currentRevisionId, rationale: 'See there', sourceEntryId: entry.id }
  expectStatus(await post(`/api/entries/${citing.id}/contradict`, contradiction, reader), 201)
  const { entries } = await snapshot(app.url)
  return {
    entry,
    others: [bystander, citing],
    ids: [entry.id, entry.slug, first.currentRevisionId, entry.currentRevisionId],
    actorId: author.actor.id,
    originId: entries.find(({ id }) => id === entry.id)?.originId ?? '',
    marker,
  }
}

const view = ({ entry, others, marker }: Story): Promise<PublicView> =>
  publicView(app.url, [entry, ...others], [marker, 'common'])

const WAYS: [string, (story: Story) => [TargetType, string], ModerationAction][] = [
  ['hidden', story => ['ENTRY', story.entry.id], 'HIDE'],
  ['quarantined', story => ['ENTRY', story.entry.slug], 'QUARANTINE'],
  ['made by a quarantined actor', story => ['ACTOR', story.actorId], 'QUARANTINE'],
]

for (const [index, [how, targetOf, action]] of WAYS.entries()) {
  test(`an entry that is ${how} is on no public path, and undoing restores all of it`, async () => {
    const story = await writeStory(['quetzalcoat', 'xylophagous', 'zwitterionic'][index] ?? '')
    const [type, id] = targetOf(story)
    const before = await view(story)
    for (const text of [story.marker, ...story.ids]) {
      assert.ok(placesOf(before, text).length > 3, `${text} is there before`)
    }
    await moderate(app.url, type, id, action)
    const during = await view(story)
    for (const text of story.ids) assert.deepEqual(placesOf(during, text), [], text)
    // Withdrawing an entry does not blank the names of its author elsewhere: those are shown until the actor is hidden.
    await moderate(app.url, 'ACTOR', story.actorId, 'HIDE')
    assert.deepEqual(placesOf(await view(story), story.marker), [])
    // The rows of reads too, which the view omits. Tags in queries belong to the searchers.
    const feed = await allPages<Activity>(app.url, '/api/activity')
    const shown = JSON.stringify(feed.filter(({ action: done }) => done !== 'SEARCH'))
    for (const text of [story.marker, ...story.ids]) assert.ok(!shown.includes(text), text)
    assert.ok(feed.every(row => row.action === 'SEARCH' || row.entryId !== null))

    const cites = await allPages<Revision>(app.url, `/api/entries/${story.others[1]?.slug}/revisions`)
    assert.equal(cites[0]?.sources[0]?.entryId, story.entry.id)
    await moderate(app.url, 'ACTOR', story.actorId, 'RESTORE')
    await moderate(app.url, type, id, 'RESTORE')
    assert.deepEqual(await view(story), before)
  })
}

test('no cached copy is confirmed: there is no 304 for any resource of a withdrawn entry', async () => {
  const { entry } = await writeStory('vexillology')
  const paths = [`/api/entries/${entry.slug}`, `/api/entries/${entry.id}/revisions/${entry.currentRevisionId}`]
  for (const path of paths) {
    const etag = (await call(app.url, 'GET', path)).headers.get('etag') ?? ''
    const headers = { 'if-none-match': etag }
    assert.equal((await call(app.url, 'GET', path, { headers })).status, 304)
    await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
    for (const method of ['GET', 'HEAD']) {
      for (const tag of [etag, `W/${etag}`, '*']) {
        const answer = await call(app.url, method, path, { headers: { 'if-none-match': tag } })
        assert.deepEqual([answer.status, answer.headers.get('etag')], [410, null])
        assert.equal(answer.headers.get('cache-control'), 'no-store')
      }
    }
    await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
    assert.equal((await call(app.url, 'GET', path, { headers })).status, 304)
  }
})

test('a restart changes no public answer', async () => {
  const story = await writeStory('yttriferous')
  const before = await view(story)
  await app.restart()
  assert.deepEqual(await view(story), before)
})
