import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { hasWordnet, type Synset, synsets } from '../../scripts/wordnet.ts'
import type { Entry, EntryList, Evidence, Relation, Revision, Stats } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { allPages, call, expectProblem, expectStatus, newActor, revisionOf } from '../support/client.ts'
import { needs } from '../support/programs.ts'
import { seededRandom } from '../support/random.ts'

const skip = hasWordnet() ? false : needs('WordNet', 'wordnet-base')
/** The synsets of a run; test/long has a larger one. */
const SIZE = Number(process.env.WORDNET_ENTRIES ?? 400)
/** The fewest relations among them. */
const RELATED = 100
const ACTORS = 10
const AT_ONCE = 16

let app: TestApp
const random = seededRandom('wordnet')
const tokens: string[] = []
const chosen: Synset[] = []
const entries = new Map<string, Entry>()
const relations = new Map<string, Set<string>>()
let related = 0

const tokenFor = (index: number): string => tokens[index % tokens.length] ?? ''

async function inParallel<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      await work(items[index] as T, index)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const entryOf = (synset: Synset): Entry => {
  const entry = entries.get(synset.id)
  assert.ok(entry, `${synset.id} was published`)
  return entry
}

/** A run of neighbours, so that many of their relations lead to each other. */
async function chooseNeighbours(): Promise<Synset[]> {
  const run: Synset[] = []
  const skipped = random.below(20_000)
  let seen = 0
  for await (const synset of synsets()) {
    if (seen++ >= skipped) run.push(synset)
    if (run.length === SIZE) break
  }
  return run
}
/** The relations from one synset of a run to another. */
function linksIn(run: readonly Synset[]) {
  const ids = new Set(run.map(({ id }) => id))
  return run.flatMap(({ id, pointers }) =>
    pointers.filter(({ target }) => ids.has(target)).map(link => ({ id, ...link })),
  )
}

async function publish(): Promise<void> {
  for (let n = 0; n < ACTORS; n++) tokens.push((await newActor(app.url, { declaredName: `Lexicographer ${n}` })).token)
  let run = await chooseNeighbours()
  while (linksIn(run).length <= RELATED) run = await chooseNeighbours()
  chosen.push(...run)
  await inParallel(chosen, async ({ id, title, summary, content, tags }, index) => {
    const body = { title, summary, content, tags }
    entries.set(
      id,
      expectStatus(await call<Entry>(app.url, 'POST', '/api/entries', { body, token: tokenFor(index) }), 201),
    )
  })
  const links = linksIn(chosen)
  related = links.length
  await inParallel(links, async ({ id, target, rationale }, index) => {
    const [source, end] = [entries.get(id)?.id ?? '', entries.get(target)?.id ?? '']
    const body = { sourceEntryId: source, targetEntryId: end, relationType: 'CONNECT', rationale }
    const relation = expectStatus(
      await call<Relation>(app.url, 'POST', '/api/relations', { body, token: tokenFor(index) }),
      201,
    )
    for (const one of [source, end]) relations.set(one, (relations.get(one) ?? new Set()).add(relation.id))
  })
}

before(async () => {
  if (skip) return
  app = await startApp()
  await publish()
})
after(() => app?.close())

async function wholeList(path: string): Promise<Entry[]> {
  const items: Entry[] = []
  for (let offset = 0; ; offset += 50) {
    const page = expectStatus(await call<EntryList>(app.url, 'GET', `${path}limit=50&offset=${offset}`), 200)
    assert.equal(page.offset, offset)
    items.push(...page.items)
    if (page.items.length < 50) return items
  }
}

const newestFirst = (a: Entry, b: Entry): number => b.updatedAt.localeCompare(a.updatedAt) || b.id.localeCompare(a.id)

test('every synset is served with the texts of its source, in a list of exactly all of them, newest first', {
  skip,
}, async () => {
  const list = await wholeList('/api/entries?')
  assert.equal(list.length, SIZE)
  assert.deepEqual(
    list.map(({ id }) => id),
    [...list].sort(newestFirst).map(({ id }) => id),
  )
  assert.equal(new Set(list.map(({ slug }) => slug)).size, SIZE)
  const byId = new Map(list.map(entry => [entry.id, entry]))
  for (const synset of chosen) {
    const entry = byId.get(entryOf(synset).id)
    assert.ok(entry)
    assert.deepEqual(
      { title: entry.title, summary: entry.summary, content: entry.content, tags: entry.tags },
      { title: synset.title, summary: synset.summary, content: synset.content, tags: synset.tags },
    )
  }
})

/** ASCII words, counted without code of the service. */
const wordsOf = (synset: Synset): string[] =>
  `${synset.title}\n${synset.summary}\n${synset.tags.join('\n')}\n${synset.content}`
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? []

test('a search finds exactly the synsets whose text has the words', { skip }, async () => {
  const ascii = chosen.filter(({ title, content }) => /^[\n -~]*$/.test(title + content))
  const outside = new Set(chosen.filter(synset => !ascii.includes(synset)).map(synset => entryOf(synset).id))
  for (let round = 0; round < 40; round++) {
    const about = random.pick(ascii)
    const words = wordsOf(about)
    const wanted = [random.pick(words), random.pick(words), random.pick(words)].slice(0, 1 + random.below(3))
    const last = wanted.at(-1) ?? ''
    const fits = (synset: Synset): boolean => {
      const own = wordsOf(synset)
      const whole = wanted.slice(0, -1).every(word => own.includes(word))
      return whole && own.some(word => (last.length >= 3 ? word.startsWith(last) : word === last))
    }
    const expected = ascii
      .filter(fits)
      .map(synset => entryOf(synset).id)
      .sort()
    const sort = random.pick(['recent', 'evolution', 'relevance'] as const)
    const found = await wholeList(`/api/search?q=${encodeURIComponent(wanted.join(' '))}&sort=${sort}&`)
    const all = found.map(({ id }) => id).filter(id => !outside.has(id))
    // By relevance, entries with any of the words come after those with all of them.
    const ids = sort === 'relevance' ? all.slice(0, expected.length) : all
    assert.deepEqual(ids.sort(), expected, `q=${wanted.join(' ')} sort=${sort}`)
    if (sort === 'recent')
      assert.deepEqual(
        found.map(({ id }) => id),
        [...found].sort(newestFirst).map(({ id }) => id),
      )
  }
})

test('a tag in any case finds exactly the synsets that have it', { skip }, async () => {
  for (const tag of new Set(chosen.flatMap(({ tags }) => tags))) {
    const expected = chosen.filter(({ tags }) => tags.includes(tag)).map(synset => entryOf(synset).id)
    const found = await wholeList(`/api/entries?tag=${encodeURIComponent(tag.toUpperCase())}&`)
    assert.deepEqual(found.map(({ id }) => id).sort(), expected.sort(), tag)
  }
})

test('every relation is listed once at each of its ends', { skip }, async () => {
  assert.ok(related > RELATED, `${related} relations lead from one chosen synset to another`)
  await inParallel([...entries.values()], async ({ id, slug }) => {
    const listed = await allPages<Relation>(app.url, `/api/entries/${slug}/relations`, 3)
    assert.deepEqual(new Set(listed.map(relation => relation.id)), relations.get(id) ?? new Set())
    assert.equal(listed.length, relations.get(id)?.size ?? 0)
  })
})

test('revisions, verifications and contradictions add up, and every hash can be recomputed from public reads', {
  skip,
}, async () => {
  const sample = chosen.filter((_, index) => index % 10 === 0).map(entryOf)
  await inParallel(sample, async (entry, index) => {
    const path = `/api/entries/${entry.slug}`
    const token = tokenFor(index)
    const first = expectStatus(
      await call<Entry>(app.url, 'POST', `${path}/revisions`, { token, body: revisionOf(entry) }),
      201,
    )
    expectProblem(
      await call(app.url, 'POST', `${path}/revisions`, { token, body: revisionOf(entry) }),
      409,
      'STALE_REVISION',
    )
    const sources = [{ entryId: entry.id, revisionId: entry.currentRevisionId }]
    const body = revisionOf(first, { changeType: 'CORRECT', sources })
    expectStatus(await call<Entry>(app.url, 'POST', `${path}/revisions`, { token, body }), 201)
    const revisionId = entry.currentRevisionId
    const verify = { revisionId, result: 'SUPPORTED', confidence: 0.75, rationale: 'Looked it up.' }
    const contradict = { revisionId, rationale: 'Another dictionary differs.' }
    expectStatus(await call(app.url, 'POST', `${path}/verify`, { token, body: verify }), 201)
    expectStatus(await call(app.url, 'POST', `${path}/contradict`, { token, body: contradict }), 201)
  })
  await inParallel([...entries.values()], async entry => {
    const path = `/api/entries/${entry.id}`
    const chain = await allPages<Revision>(app.url, `${path}/revisions`, 2)
    const revised = sample.includes(entry)
    assert.equal(chain.length, revised ? 3 : 1)
    assertChain(chain.reverse())
    const evidence = expectStatus(await call<Evidence>(app.url, 'GET', `${path}/evidence`), 200)
    assert.deepEqual([evidence.verifications.length, evidence.contradictions.length], revised ? [1, 1] : [0, 0])
  })
  const stats = expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)
  const { entries: published, revisions, verifications, contradictions, relations: connected } = stats
  const twice = sample.length * 2
  assert.deepEqual(
    { published, revisions, verifications, contradictions, connected },
    {
      published: SIZE,
      revisions: SIZE + twice,
      verifications: sample.length,
      contradictions: sample.length,
      connected: related,
    },
  )
})

/** RFC 8785 for the values of revisions: strings, null, arrays and objects only. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}

function assertChain(oldestFirst: Revision[]): void {
  let previous: Revision | undefined
  for (const revision of oldestFirst) {
    assert.equal(revision.previousRevisionId, previous?.id ?? null)
    const { evidenceHash, ...rest } = revision
    const text = canonical({ ...rest, previousEvidenceHash: previous?.evidenceHash ?? null })
    assert.equal(createHash('sha256').update(text).digest('hex'), evidenceHash)
    previous = revision
  }
}
