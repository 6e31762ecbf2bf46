import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry } from '../../../src/contract/resources.ts'
import { sql } from '../../../src/engine/database.ts'
import { openSource, type Source } from '../../../src/mirror/source.ts'
import { useApp } from '../../support/app.ts'
import {
  allPages,
  call,
  callPatiently,
  columnOf,
  expectProblem,
  expectStatus,
  newActor,
  newEntry,
  revisionOf,
} from '../../support/client.ts'
import { assertWithdrawn, moderate, snapshot, toNoon } from '../../support/moderation.ts'
import { publicView } from '../../support/public-view.ts'
import { type Copy, openCopy } from './copy.ts'

let copy: Copy
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  toNoon(app)
})

type Story = { entries: Entry[]; actorId: string; marker: string }

/** An entry that is full of a marker word, with a history, evidence of both kinds and relations, and the entries around it. */
async function writeStory(marker: string): Promise<Story> {
  const author = await newActor(app.url, { declaredName: `${marker} name`, declaredModel: 'm' })
  const { token: reader } = await newActor(app.url)
  const post = (path: string, body: unknown, token = author.token) => call(app.url, 'POST', path, { token, body })
  const rationale = `Because of ${marker}`
  const first = await newEntry(app.url, author.token, {
    title: `${marker} title 😀`,
    content: `Some ${marker}\u0001\u2028 content`,
    tags: [marker, 'Common'],
  })
  const sources = [{ entryId: first.id, revisionId: first.currentRevisionId }]
  const citing = await newEntry(app.url, reader, { title: `Citing ${marker}`, sources, tags: ['common'] })
  const at = `/api/entries/${first.slug}`
  const body = revisionOf(first, { rationale, content: `More ${marker}, verified by OpenAI`, changeType: 'CORRECT' })
  const entry = expectStatus(await post(`${at}/revisions`, body, reader), 201) as unknown as Entry
  const verification = { revisionId: first.currentRevisionId, result: 'UNSUPPORTED', confidence: 0.1, rationale }
  expectStatus(await post(`${at}/verify`, verification, reader), 201)
  expectStatus(await post(`${at}/contradict`, { revisionId: entry.currentRevisionId, rationale }, reader), 201)
  const contradiction = { revisionId: citing.currentRevisionId, rationale, sourceEntryId: entry.id }
  expectStatus(await post(`/api/entries/${citing.id}/contradict`, contradiction), 201)
  for (const [source, target] of [
    [entry, citing],
    [citing, entry],
  ]) {
    const relation = { sourceEntryId: source?.id, targetEntryId: target?.id, relationType: 'REUSES', rationale }
    expectStatus(await post('/api/relations', relation), 201)
  }
  expectStatus(await callPatiently(app.url, 'GET', '/api/search?q=common'), 200)
  return { entries: [entry, citing], actorId: author.actor.id, marker }
}

/** Asserts that the mirror answers like the original, except for the effects of the reads themselves. */
async function assertSame(stories: readonly Story[]): Promise<void> {
  const entries = stories.flatMap(one => one.entries)
  const words = [...stories.map(({ marker }) => marker), 'common']
  const [own, other] = [await publicView(app.url, entries, words), await publicView(copy.app.url, entries, words)]
  for (const path of Object.keys(own)) assert.deepEqual(other[path], own[path], path)
}

/** The addresses of an entry, of its resources and of the counts that include it, once each. */
const pathsOf = ({ entries, marker }: Story): string[] => [
  ...['/api/entries?limit=50', '/api/entries?limit=50&sort=evolution', '/api/stats', '/api/activity?limit=50'],
  ...[`/api/search?q=${marker}`, '/api/search?q=common', `/api/entries?tag=${marker}`],
  ...entries.flatMap(({ slug, id }) =>
    ['', '/revisions', '/relations', '/evidence', '/timeline'].map(
      under => `/api/entries/${under === '' ? id : slug}${under}`,
    ),
  ),
]
const MOVING = /"(?:requestId|externalInteractions|observedActors|recurrentActors)":(?:"[^"]*"|\d+)/g

/** Asserts that both list the same changes, in a few reads. Rows of reads are excluded, because this test adds some. */
async function assertAlike(story: Story, { app: copied }: Copy = copy): Promise<void> {
  for (const path of pathsOf(story)) {
    const [own, other] = await Promise.all([call(app.url, 'GET', path), call(copied.url, 'GET', path)])
    const shown = ({ status, text, body }: typeof own): unknown => {
      if (!/timeline|activity/.test(path) || status !== 200) return [status, text.replace(MOVING, '')]
      const { items } = body as unknown as { items: Activity[] }
      return items.filter(({ action }) => action !== 'READ' && action !== 'SEARCH')
    }
    assert.deepEqual(shown(other), shown(own), path)
  }
}

const stories: Story[] = []

test('a mirror answers every read like its original, and continues from the same positions', async () => {
  stories.push(await writeStory('quetzalcoat'))
  copy = await openCopy(app.url)
  assert.ok((await copy.catchUp()) > 8)
  await assertAlike(stories[0] as Story)
  stories.push(await writeStory('xylophagous'))
  assert.ok((await copy.catchUp()) > 8)
  await assertSame(stories)
  const { externalInteractions } = expectStatus(await call(app.url, 'GET', '/api/stats'), 200)
  await copy.catchUp()
  const copied = expectStatus(await call(copy.app.url, 'GET', '/api/stats'), 200)
  assert.equal(copied.externalInteractions, externalInteractions)
  assert.equal(await copy.catchUp(), 0)
})

test('an entry withdrawn at the original is withdrawn and erased at the mirror, and restored completely', async () => {
  const [story] = stories
  const [entry, citing] = story?.entries ?? []
  if (story === undefined || entry === undefined || citing === undefined) throw new Error('The story was not written.')
  const { entries } = await snapshot(app.url)
  const originId = entries.find(({ id }) => id === entry.id)?.originId ?? ''
  const steps = [
    ['ENTRY', entry.id, 'HIDE'],
    ['ENTRY', citing.id, 'BLOCK'],
    ['ENTRY', entry.id, 'RESTORE'],
    ['ACTOR', story.actorId, 'QUARANTINE'],
    ['ACTOR', story.actorId, 'HIDE'],
    ['ACTOR', story.actorId, 'RESTORE'],
    ['ORIGIN', originId, 'QUARANTINE'],
    ['ORIGIN', originId, 'RESTORE'],
    ['ENTRY', citing.id, 'UNBLOCK'],
  ] as const
  for (const [type, id, action] of steps) {
    await moderate(app.url, type, id, action)
    await copy.catchUp()
    await assertAlike(story)
    if (action !== 'HIDE' || type !== 'ENTRY') continue
    await assertWithdrawn(copy.app.url, entry.slug)
    const kept: { title: string; content: string }[] = await copy.app.store.reader.all(
      sql`SELECT title, content FROM revision WHERE id = ${entry.currentRevisionId}`,
    )
    assert.deepEqual(
      kept.map(row => ({ ...row })),
      [{ title: '', content: '' }],
    )
  }
})

test('a mirror that begins while an entry is withdrawn lacks it, and gets it when it is restored', async () => {
  const [, story] = stories
  const [entry] = story?.entries ?? []
  await moderate(app.url, 'ENTRY', entry?.id ?? '', 'HIDE')
  await moderate(app.url, 'ACTOR', story?.actorId ?? '', 'HIDE')
  const late = await openCopy(app.url)
  await late.catchUp()
  const exported = (await call(late.app.url, 'GET', '/api/export')).text
  for (const text of [
    `Some ${story?.marker}`,
    `More ${story?.marker}`,
    `${story?.marker} title`,
    `${story?.marker} name`,
  ]) {
    assert.ok(!exported.includes(text), text)
  }
  expectProblem(await call(late.app.url, 'GET', `/api/entries/${entry?.id}`), 404, 'ENTRY_NOT_FOUND')
  await moderate(app.url, 'ENTRY', entry?.id ?? '', 'RESTORE')
  await moderate(app.url, 'ACTOR', story?.actorId ?? '', 'RESTORE')
  await late.catchUp()
  for (const one of stories) await assertAlike(one, late)
  await copy.catchUp()
})

test('after an author is hidden or restored, no ETag of the mirror confirms the previous names', async () => {
  const { actor, token } = await newActor(app.url, { declaredName: 'Nemo', declaredModel: 'm' })
  const { slug } = await newEntry(app.url, token)
  const paths = [`/api/entries/${slug}`, `/api/batch?ids=${slug}`]
  await copy.catchUp()
  const late = await openCopy(app.url)
  for (const action of ['HIDE', 'RESTORE'] as const) {
    const read = (one: Copy) => Promise.all(paths.map(path => call(one.app.url, 'GET', path)))
    const before = { copy: await read(copy), late: action === 'HIDE' ? [] : await read(late) }
    await moderate(app.url, 'ACTOR', actor.id, action)
    await copy.catchUp()
    await late.catchUp()
    for (const [one, answers] of [
      [copy, before.copy],
      [late, before.late],
    ] as const) {
      for (const [index, { headers }] of answers.entries()) {
        const again = await call(one.app.url, 'GET', paths[index] ?? '', {
          headers: { 'if-none-match': headers.get('etag') ?? '' },
        })
        expectStatus(again, 200)
        assert.equal(again.text.includes('Nemo'), action === 'RESTORE')
      }
    }
  }
})

test('hidden names are hidden at the mirror, also of readers, and also if the manifest does not list all changes', async () => {
  const { actor, token } = await newActor(app.url, { declaredName: 'Outis' })
  expectStatus(await callPatiently(app.url, 'GET', '/api/search?q=anything', { token }), 200)
  await copy.catchUp()
  const shown = async (): Promise<boolean> =>
    (await call(copy.app.url, 'GET', '/api/activity?limit=50')).text.includes('Outis')
  assert.ok(await shown())
  await moderate(app.url, 'ACTOR', actor.id, 'HIDE')
  const source = openSource(app.url, new AbortController().signal)
  const manifest = async (after?: number) => ({ ...(await source.manifest(after)), actors: [], complete: false })
  await copy.catchUp({ ...source, manifest })
  assert.ok(!(await shown()))
})

test('the feed of a mirror has no row of a quarantined actor or a hidden entry, reads included, and has all again afterwards', async () => {
  const [{ actor, token }, host] = [await newActor(app.url, { declaredName: 'Momus' }), await newActor(app.url)]
  const entry = await newEntry(app.url, host.token)
  const at = `/api/entries/${entry.slug}`
  expectStatus(await call(app.url, 'POST', `${at}/revisions`, { token, body: revisionOf(entry) }), 201)
  for (const path of [at, '/api/search?q=momus']) expectStatus(await call(app.url, 'GET', path, { token }), 200)
  const rows = async (base: string) =>
    (await allPages<Activity>(base, '/api/activity')).filter(row => row.actorId === actor.id)
  const both = async () => {
    await copy.catchUp()
    return [await rows(app.url), await rows(copy.app.url)]
  }
  const [acted] = await both()
  assert.deepEqual(acted?.map(({ action }) => action).sort(), ['EXPAND', 'READ', 'SEARCH'])
  for (const [type, id, left] of [
    ['ACTOR', actor.id, []],
    ['ENTRY', entry.id, ['SEARCH']],
  ] as const) {
    await moderate(app.url, type, id, 'QUARANTINE')
    for (const shown of await both()) {
      assert.deepEqual(columnOf(shown, 'action'), left)
    }
    if (type === 'ACTOR') {
      const page = await call(copy.app.url, 'GET', `/entries/${entry.slug}/history`, {
        headers: { accept: 'text/html' },
      })
      assert.equal(page.status, 200)
      assert.ok(!page.text.includes('Momus'))
    }
    await moderate(app.url, type, id, 'RESTORE')
    for (const shown of await both()) assert.deepEqual(shown, acted)
  }
})

/** The server with something done to the bytes of its segments. */
const through = (change: (text: string) => string): Source => {
  const source = openSource(app.url, new AbortController().signal)
  return {
    ...source,
    async segment(from) {
      const { bytes } = await source.segment(from)
      return { bytes: Buffer.from(change(bytes.toString())), digest: null }
    },
  }
}

test('a tampered byte is found, its record named, and nothing of the answer stored', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { content: 'The moon is far.' })
  const revised = expectStatus(
    await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
      token,
      body: revisionOf(entry, { content: 'The moon is farther.' }),
    }),
    201,
  ) as unknown as Entry
  const lines = (await call(app.url, 'GET', '/api/export')).text.split('\n')
  const recordOf = (id: string): string => {
    const found = lines.find(line => line.includes(`"revision":{"id":"${id}"`)) ?? '{}'
    return String((JSON.parse(found) as { record: string }).record)
  }
  const before = await copy.app.store.reader.one(sql`SELECT count(*) AS n FROM revision`)
  const first = recordOf(entry.currentRevisionId)
  const second = recordOf(revised.currentRevisionId)
  for (const [from, to, expected] of [
    ['moon is far.', 'moon is fax.', new RegExp(`^Record ${first} .*${entry.currentRevisionId}.*evidenceHash`)],
    [
      'moon is farther',
      'moon is fatter!',
      new RegExp(`^Record ${second} .*${revised.currentRevisionId}.*evidenceHash`),
    ],
    [`"record":"${second}"`, `"record":"x"`, /^The row of sequence \d+ does not match the contract/],
    [`"entryRecord":"${first}"`, `"entryRecord":"99999"`, new RegExp(`^Record ${second} .*was never sent`)],
    ['"type":"end"', '"type":"and"', /does not match the contract/],
  ] as const) {
    await assert.rejects(copy.catchUp(through(text => text.replace(from, to))), (error: Error) => {
      assert.match(error.message, expected)
      return error.name === 'Error' || error.constructor.name === 'OperatorError'
    })
  }
  await assert.rejects(copy.catchUp(through(text => text.slice(0, text.lastIndexOf('{"type":"end"')))), /is incomplete/)
  assert.deepEqual(await copy.app.store.reader.one(sql`SELECT count(*) AS n FROM revision`), before)
  await copy.catchUp()
  await copy.reopen()
  for (const story of stories) await assertAlike(story)
})
