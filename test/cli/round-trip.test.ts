import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Entry, Relation, Revision } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { allPages, call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { expectDone, expectRefusal, palimpsest, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
type Line = Record<string, unknown> & { type: string; id: string }

let app: TestApp
let directory: ReturnType<typeof temporaryDirectory>
let exported: string
let withdrawn: Entry
const path = (name: string): string => join(directory.path, name)
const linesIn = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
const ofType = (text: string, type: string): Line[] => linesIn(text).filter(line => line.type === type)

test('an export names the licence of the content in its first line, and an import accepts that line', async () => {
  const to = path('licensed.ndjson')
  const env = { DATA_DIR: app.dataDir, CONTENT_LICENSE: 'CC-BY-4.0' }
  expectDone(await inProcess(['export', '--to', to], { env }))
  const text = readFileSync(to, 'utf8')
  const [first = '', ...rest] = text.split('\n')
  assert.deepEqual(JSON.parse(first), { type: 'license', url: 'https://spdx.org/licenses/CC-BY-4.0.html' })
  assert.equal(rest.join('\n'), exported)
  expectDone(await inProcess(['import', '--from', to], { env: { DATA_DIR: path('licensed') } }))
})

before(async () => {
  directory = temporaryDirectory()
  app = await startApp()
  const write = async <T>(as: string, where: string, body: object): Promise<T> =>
    expectStatus(await call<T>(app.url, 'POST', where, { body, token: as }), 201)
  const ann = await newActor(app.url, { actorType: 'AGENT', declaredName: 'Ann', declaredProvider: 'Acme' })
  const bob = await newActor(app.url, { actorType: 'HUMAN', declaredName: 'Hidden Bob' })
  const eve = await newActor(app.url, { declaredName: 'Quarantined Eve' })
  const fox = await newEntry(app.url, ann.token, {
    title: 'Füchse "quoted"',
    content: 'Line one\n\u2028two\t\\',
    tags: ['Fauna', 'red fur'],
  })
  withdrawn = await newEntry(app.url, bob.token, { title: 'Withdrawn secret', content: 'Not to be seen' })
  const sources = [fox, withdrawn].map(({ id, currentRevisionId }) => ({ entryId: id, revisionId: currentRevisionId }))
  const owl = await newEntry(app.url, bob.token, { title: 'Owls', sources })
  const first = await write<Entry>(
    bob.token,
    `/api/entries/${fox.slug}/revisions`,
    revisionOf(fox, { title: 'Foxes 2', sources: sources.slice(0, 1) }),
  )
  await write(
    ann.token,
    `/api/entries/${fox.slug}/revisions`,
    revisionOf(first, { changeType: 'CORRECT', title: 'Foxes 3' }),
  )
  const judged = { revisionId: fox.currentRevisionId, rationale: 'Tried it' }
  await write(bob.token, `/api/entries/${fox.slug}/verify`, { ...judged, result: 'UNSUPPORTED', confidence: 0.25 })
  await write(ann.token, `/api/entries/${fox.slug}/contradict`, { ...judged, sourceEntryId: owl.id })
  await write(ann.token, `/api/entries/${fox.slug}/contradict`, { ...judged, sourceEntryId: withdrawn.id })
  await write(eve.token, `/api/entries/${fox.slug}/contradict`, { ...judged, rationale: 'Eve was here' })
  const relation = { relationType: 'REUSES', rationale: 'Both hunt' }
  await write(ann.token, '/api/relations', { ...relation, sourceEntryId: fox.id, targetEntryId: owl.id })
  await write(ann.token, '/api/relations', {
    ...relation,
    sourceEntryId: fox.id,
    targetEntryId: withdrawn.id,
    rationale: 'To be gone',
  })
  await moderate(app.url, 'ENTRY', withdrawn.id, 'HIDE')
  await moderate(app.url, 'ACTOR', bob.actor.id, 'HIDE')
  await moderate(app.url, 'ACTOR', eve.actor.id, 'QUARANTINE')
  exported = expectDone(await palimpsest(['export', '--data-dir', app.dataDir]))
})
after(async () => {
  await app.close()
  directory.remove()
})

test('an export has everything public in the order of creation, each actor before its first record', () => {
  const types = linesIn(exported).map(line => line.type)
  assert.deepEqual(types, [
    ...['actor', 'entry', 'actor', 'entry', 'revision', 'revision'],
    ...['verification', 'contradiction', 'contradiction', 'relation'],
  ])
  assert.deepEqual(
    ofType(exported, 'entry').map(line => Object.keys(line)),
    Array.from({ length: 2 }, () => [
      'type',
      'id',
      'revisionId',
      'actorId',
      'title',
      'summary',
      'content',
      'tags',
      'sources',
    ]),
  )
  const [ann, bob] = ofType(exported, 'actor')
  assert.deepEqual(ann, {
    type: 'actor',
    id: ann?.id,
    actorType: 'AGENT',
    declaredName: 'Ann',
    declaredProvider: 'Acme',
  })
  assert.deepEqual(bob, { type: 'actor', id: bob?.id, actorType: 'HUMAN' })
})

test('an export has no withdrawn or hidden record, nor records that refer to one', () => {
  for (const secret of [
    withdrawn.id,
    withdrawn.currentRevisionId,
    'Withdrawn',
    'Not to be seen',
    'Hidden Bob',
    'Eve',
    'To be gone',
    'plm_',
  ]) {
    assert.ok(!exported.includes(secret), secret)
  }
  assert.deepEqual(
    ofType(exported, 'entry').map(({ sources }) => (sources as object[]).length),
    [0, 1],
  )
  assert.equal('sourceEntryId' in (ofType(exported, 'contradiction')[1] ?? {}), false)
})

/** Ids by the order of their first occurrence, so that equal content has equal texts. */
function withoutIds(text: string): string {
  const seen = new Map<string, string>()
  return text.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, id => {
    if (!seen.has(id)) seen.set(id, `#${seen.size}`)
    return seen.get(id) ?? id
  })
}

test('an imported export is exported again with the same content but for ids, and served with the same chains', async () => {
  const to = ['--data-dir', path('copy')]
  const imported = expectDone(await palimpsest(['import', '--from', '-', '--batch', '3', ...to], { input: exported }))
  assert.match(imported, /^Imported 10 lines/)
  expectDone(await inProcess(['export', '--to', path('again.ndjson'), ...to]))
  assert.equal(withoutIds(readFileSync(path('again.ndjson'), 'utf8')), withoutIds(exported))
  expectDone(await inProcess(['check', ...to]))

  const copy = await startApp({ DATA_DIR: path('copy') })
  try {
    const chain = async (base: string): Promise<Partial<Revision>[]> => {
      const { items } = expectStatus(await call<{ items: Entry[] }>(base, 'GET', '/api/entries?q=%22foxes+3%22'), 200)
      assert.equal(items.length, 1)
      const revisions = await allPages<Revision>(base, `/api/entries/${items[0]?.slug}/revisions`)
      return revisions.map(({ title, summary, content, changeType, rationale }) => ({
        title,
        summary,
        content,
        changeType,
        rationale,
      }))
    }
    const copied = await chain(copy.url)
    assert.equal(copied.length, 3)
    assert.deepEqual(copied, await chain(app.url))
    const { items } = expectStatus(await call<{ items: Entry[] }>(copy.url, 'GET', '/api/entries?tag=red+fur'), 200)
    assert.deepEqual(
      items.map(({ dataClass, revisionCount }) => [dataClass, revisionCount]),
      [['SYNTHETIC', 3]],
    )
    const relations = await allPages<Relation>(copy.url, `/api/entries/${items[0]?.slug}/relations`)
    assert.deepEqual(
      relations.map(({ relationType, rationale }) => [relationType, rationale]),
      [['REUSES', 'Both hunt']],
    )
    const feed = expectStatus(await call<{ items: object[] }>(copy.url, 'GET', '/api/activity'), 200)
    assert.deepEqual(
      feed.items.filter(
        row => (row as { action: string }).action !== 'SEARCH' && (row as { action: string }).action !== 'READ',
      ),
      [],
    )
  } finally {
    await copy.close()
  }
})

test('an export to a file overwrites no file and leaves no partial file', async () => {
  const to = ['export', '--data-dir', app.dataDir, '--to', path('once.ndjson')]
  expectDone(await inProcess(to))
  expectRefusal(await inProcess(to), 1, /once\.ndjson exists already/)
  assert.equal(readFileSync(path('once.ndjson'), 'utf8'), exported)
})
