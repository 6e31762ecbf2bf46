import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import type { ModerationAction, TargetType } from '../../src/contract/vocabulary.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { addressesOf, documentsOf, filesOf } from '../support/page-table.ts'

/** Words that occur only in the hidden texts. */
const SECRETS = {
  title: 'Zebrafish title',
  summary: 'Yellowhammer summary',
  content: 'Xylophone content',
  tag: 'walrus tag',
  name: 'Vulture name',
  judgement: 'Umbrella rationale',
  relation: 'Tortoise rationale',
} as const
const SECRET = /zebrafish|yellowhammer|xylophone|walrus|vulture|umbrella|tortoise/i

type Scene = { app: TestApp; hidden: Entry; shown: Entry; actorId: string; paths: string[] }

/** An entry to hide by an actor to hide, tied by every kind of record to one that stays. */
async function setScene(): Promise<Scene> {
  const app = await startApp({ PUBLIC_URL: 'https://memory.example' })
  const { actor, token } = await newActor(app.url, { declaredName: SECRETS.name })
  const other = await newActor(app.url, { declaredName: 'Somebody else' })
  const texts = { title: SECRETS.title, summary: SECRETS.summary, content: SECRETS.content }
  const begun = await newEntry(app.url, token, { ...texts, tags: [SECRETS.tag] })
  const shown = await newEntry(app.url, other.token, { tags: ['seen'] })
  const post = async <T>(path: string, body: unknown): Promise<T> =>
    expectStatus(await call<T>(app.url, 'POST', path, { token, body }), 201)
  const hidden = await post<Entry>(`/api/entries/${begun.slug}/revisions`, revisionOf(begun, texts))
  const about = { revisionId: shown.currentRevisionId, rationale: SECRETS.judgement }
  await post(`/api/entries/${shown.slug}/verify`, { ...about, result: 'UNSUPPORTED', confidence: 1 })
  await post(`/api/entries/${shown.slug}/contradict`, { ...about, sourceEntryId: hidden.id })
  const ends = { sourceEntryId: shown.id, targetEntryId: hidden.id }
  await post('/api/relations', { ...ends, relationType: 'REUSES', rationale: SECRETS.relation })
  const examples = [shown, hidden].flatMap(entry => {
    const pages = { entry, other: entry, first: { id: entry.currentRevisionId }, tokens: [] }
    return [...addressesOf(documentsOf(pages)), ...addressesOf(filesOf(pages))]
  })
  const forms = [hidden.slug, hidden.id].flatMap(one => ['', '.md', '.json'].map(end => `/entries/${one}${end}`))
  const query = encodeURIComponent(SECRETS.tag)
  const more = [`/search?q=zebrafish`, `/feeds/tag.atom?tag=${query}`, `/feeds/tag.json?tag=${query}`]
  return { app, hidden, shown, actorId: actor.id, paths: [...new Set([...examples, ...forms, ...more])] }
}

let scene: Scene
before(async () => {
  scene = await setScene()
})
after(() => scene.app.close())

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call(scene.app.url, 'GET', path, { headers: { accept: 'text/html', ...headers } })
/** The answer repeats the question of the caller. */
const withoutQuestion = (path: string, text: string): string =>
  path.includes('?') ? text.replaceAll(/zebrafish|walrus(?: |\+|%20)tag/gi, '') : text
const isUnder = (path: string): boolean =>
  [scene.hidden.slug, scene.hidden.id].some(one => path.startsWith(`/entries/${one}`))

/** Moderates, looks at every page and undoes it again; `gone` says which addresses must be 410 in between. */
async function assertGone(type: TargetType, id: string, action: ModerationAction, secret: RegExp, gone: boolean) {
  const before = new Map<string, string>()
  for (const path of scene.paths) {
    const answer = await get(path)
    if (answer.status === 200) before.set(path, answer.headers.get('etag') ?? '')
  }
  const paths = [...before.keys()].filter(isUnder)
  assert.ok(paths.length > 15, 'the pages of what gets hidden are there before')
  await moderate(scene.app.url, type, id, action)
  try {
    for (const path of scene.paths) {
      const name = `${path} after ${action} of ${type}`
      const etag = before.get(path)
      const answers = [await get(path), ...(etag === undefined ? [] : [await get(path, { 'if-none-match': etag })])]
      for (const answer of [...answers, await get(path, { accept: 'application/json' })]) {
        assert.doesNotMatch(withoutQuestion(path, answer.text), secret, name)
        if (gone && isUnder(path) && before.has(path)) assert.equal(answer.status, 410, name)
      }
      // A client with the previous version must not get 304 if that version shows hidden texts.
      if (gone && !isUnder(path) && /sitemaps|feeds|^\/$|^\/search$/.test(path) && !path.includes('?')) {
        assert.equal(answers[1]?.status, 200, name)
      }
    }
  } finally {
    await moderate(scene.app.url, type, id, 'RESTORE')
  }
  for (const path of paths) assert.notEqual((await get(path)).status, 410, path)
}

test('the later withdrawn texts are public before', async () => {
  const all = await Promise.all(scene.paths.map(async path => withoutQuestion(path, (await get(path)).text)))
  for (const word of SECRET.source.split('|')) {
    const places = all.filter(text => new RegExp(word, 'i').test(text)).length
    // Texts of an actor that was first seen today are only on the page of the evidence.
    assert.ok(places >= (word === 'umbrella' ? 1 : 2), `${word} stands on ${places} pages`)
  }
})

test('no answer that moderation can withdraw is fresh without revalidation', async () => {
  const { hidden, shown, paths } = scene
  const answered = [hidden, shown].flatMap(({ slug, id, currentRevisionId }) =>
    [slug, id].flatMap(address => ['', `/revisions/${currentRevisionId}`].map(end => `/api/entries/${address}${end}`)),
  )
  for (const path of [...paths.filter(one => !one.startsWith('/assets/')), ...answered]) {
    const answer = await get(path, { 'accept-encoding': 'identity' })
    const control = answer.headers.get('cache-control') ?? ''
    assert.match(control, /^(?:no-store|public, no-cache)$/, path)
    if (control !== 'no-store') assert.match(answer.headers.get('etag') ?? '', /^"[\w.-]+"$/, path)
  }
})

for (const action of ['HIDE', 'QUARANTINE'] as const) {
  test(`an entry after ${action} is on no page, feed, sitemap or 304`, () =>
    assertGone('ENTRY', scene.hidden.id, action, /zebrafish|yellowhammer|xylophone|walrus|tortoise/i, true))
}

test('entries and additions of a quarantined actor are on no page, feed, sitemap or 304', () =>
  assertGone('ACTOR', scene.actorId, 'QUARANTINE', new RegExp(SECRET.source.replace('|vulture', ''), 'i'), true))

test('judgements of a quarantined actor do not count for or against an entry', async () => {
  const verdict = async () =>
    /href="#state"><span class="badge \w+">(\w+)</.exec((await get(`/entries/${scene.shown.slug}`)).text)?.[1]
  assert.equal(await verdict(), 'Contradicted')
  await moderate(scene.app.url, 'ACTOR', scene.actorId, 'QUARANTINE')
  try {
    assert.equal(await verdict(), 'Unchecked')
  } finally {
    await moderate(scene.app.url, 'ACTOR', scene.actorId, 'RESTORE')
  }
})

test('the names of a hidden actor are on no page, feed or 304', () =>
  assertGone('ACTOR', scene.actorId, 'HIDE', /vulture/i, false))

test('a locked entry says so and offers nothing that it would refuse', async () => {
  const { slug } = scene.shown
  await moderate(scene.app.url, 'ENTRY', scene.shown.id, 'BLOCK')
  try {
    const { text } = await get(`/entries/${slug}`)
    assert.match(text, /This entry is locked/)
    assert.doesNotMatch(text, new RegExp(`/entries/${slug}/(?:verify|contradict|revise|relate)`))
  } finally {
    await moderate(scene.app.url, 'ENTRY', scene.shown.id, 'UNBLOCK')
  }
})
