import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { assertOneStanding, countsOf, judgingWorld, proseOf, type Voice } from '../support/judging.ts'

let author: Voice
let editor: Voice
const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  ;[author, editor] = (await world.voices(2)) as [Voice, Voice]
})

/** Replaces so many of the words of a content by new ones, spread over it. */
const rewritten = (content: string, count: number): string => {
  const words = content.split(' ')
  const step = Math.floor(words.length / Math.max(1, count))
  return words.map((word, n) => (n % step === 1 && n / step < count ? `new${word}` : word)).join(' ')
}

test('an entry without judgements is UNCHECKED in every interface', async () => {
  const entry = await world.publish(author)
  assert.equal(entry.standing.state, 'UNCHECKED')
  const standing = await assertOneStanding(world, entry)
  assert.partialDeepStrictEqual(standing, {
    entryId: entry.id,
    state: 'UNCHECKED',
    revisionId: entry.currentRevisionId,
    kept: null,
    lastCheckedAt: null,
    best: null,
    contradictions: [],
  })
  assert.deepEqual(countsOf(standing), {})
})

test('every result has its state, and both sides together are a dispute', async () => {
  const [one, other] = (await world.voices(2)) as [Voice, Voice]
  const states = async (...acts: ((entry: Entry) => Promise<unknown>)[]): Promise<string> => {
    const entry = await world.publish(author)
    for (const act of acts) await act(entry)
    return (await assertOneStanding(world, entry)).state
  }
  assert.equal(await states(entry => world.verify(one, entry)), 'SUPPORTED')
  assert.equal(await states(entry => world.verify(one, entry, 'UNSUPPORTED')), 'CONTRADICTED')
  assert.equal(await states(entry => world.contradict(one, entry)), 'CONTRADICTED')
  assert.equal(await states(entry => world.verify(one, entry, 'INCONCLUSIVE')), 'INCONCLUSIVE')
  const dispute = [(entry: Entry) => world.verify(one, entry), (entry: Entry) => world.contradict(other, entry)]
  assert.equal(await states(...dispute), 'DISPUTED')
})

test('the latest judgement of each actor counts', async () => {
  const entry = await world.publish(author)
  const judge = await world.voice()
  await world.contradict(judge, entry)
  await world.contradict(judge, entry)
  assert.deepEqual(countsOf(await world.standing(entry)), {
    contradicted: 1,
    actors: 1,
    independent: 1,
    independentAgainst: 1,
  })
  const { createdAt } = await world.verify(judge, entry)
  const standing = await assertOneStanding(world, entry)
  assert.equal(standing.state, 'SUPPORTED')
  assert.equal(standing.lastCheckedAt, createdAt)
  assert.deepEqual(countsOf(standing), { supported: 1, actors: 1, independent: 1, independentFor: 1 })
  assert.deepEqual(standing.contradictions, [])
})

test('a revision that changes nothing, or adds a space, does not change the contradictions', async () => {
  let entry = await world.publish(author)
  const judges = await world.voices(5)
  for (const judge of judges) await world.contradict(judge, entry)
  const before = await world.standing(entry)
  assert.equal(before.state, 'CONTRADICTED')
  for (const content of [
    entry.content,
    `${entry.content} `,
    entry.content.toUpperCase(),
    entry.content.replaceAll(' ', '\n'),
  ]) {
    entry = await world.revise(author, entry, { content, changeType: 'CORRECT' })
    assert.equal(entry.standing.state, 'CONTRADICTED')
    const standing = await assertOneStanding(world, entry)
    assert.deepEqual({ ...standing, revisionId: '' }, { ...before, revisionId: '' })
  }
})

test('a revision that changes nothing extends the chain and has no other effect', async () => {
  const [entry, newer] = [await world.publish(author), await world.publish(author)]
  const lists = async (sort: string) =>
    (await world.read<{ items: Entry[] }>(`/api/entries?sort=${sort}&limit=50`)).items.map(({ id }) => id)
  const found = async (sort: string) =>
    (await world.read<{ items: Entry[] }>(`/api/search?q=number&sort=${sort}&limit=50`)).items.map(({ id }) => id)
  const orders = async () => [
    await lists('recent'),
    await lists('evolution'),
    await found('recent'),
    await found('evolution'),
  ]
  const before = await orders()
  let current = entry
  for (let n = 0; n < 40; n++) {
    app.advance(10)
    current = await world.revise(editor, current)
  }
  assert.equal(current.revisionCount, 41)
  assert.equal(current.updatedAt, entry.updatedAt)
  assert.deepEqual(await orders(), before)
  assert.deepEqual((await world.now(entry)).currentRevisionId, current.currentRevisionId)
  const changed = await world.revise(editor, current, { content: `${entry.content} and more` })
  assert.ok(changed.updatedAt > newer.updatedAt)
  assert.equal((await lists('recent'))[0], entry.id)
  assert.equal((await found('recent'))[0], entry.id)
  const evolved = await lists('evolution')
  assert.ok(evolved.indexOf(entry.id) < evolved.indexOf(newer.id))
})

test('a revision that changes only the sources is a change', async () => {
  const [entry, source] = [await world.publish(author), await world.publish(author)]
  app.advance(10)
  const sources = [{ entryId: source.id, revisionId: source.currentRevisionId }]
  const revised = await world.revise(author, entry, { sources })
  assert.ok(revised.updatedAt > entry.updatedAt)
  app.advance(10)
  const again = await world.revise(author, revised, { sources })
  assert.equal(again.updatedAt, revised.updatedAt)
})

test('a text that was vandalised and restored has its confirmations again', async () => {
  const entry = await world.publish(author)
  for (const judge of await world.voices(2)) await world.verify(judge, entry)
  const vandalised = await world.revise(editor, entry, { content: 'Buy this now.', title: 'Advert', summary: 'Sale' })
  const between = await assertOneStanding(world, vandalised)
  assert.equal(between.state, 'UNCHECKED')
  assert.equal(between.earlier.supported, 2)
  assert.equal(between.earlier.independent, 2)
  assert.deepEqual(between.best, { revisionId: entry.currentRevisionId, state: 'SUPPORTED' })
  assert.ok((between.kept ?? 1) < 0.1)
  const { title, summary, content } = entry
  const restored = await world.revise(author, vandalised, { title, summary, content, changeType: 'CORRECT' })
  const standing = await assertOneStanding(world, restored)
  assert.equal(standing.state, 'SUPPORTED')
  assert.deepEqual(countsOf(standing), { supported: 2, actors: 2, independent: 2, independentFor: 2 })
  assert.equal(standing.kept, 1)
  assert.equal(standing.best, null)
})

test('evidence counts for a text that retains nine tenths of its words, and for none that retains fewer', async () => {
  const entry = await world.publish(author, { content: proseOf(200, 5_000) })
  await world.verify(await world.voice(), entry)
  const little = await world.revise(editor, entry, { content: rewritten(entry.content, 15) })
  assert.equal((await assertOneStanding(world, little)).state, 'SUPPORTED')
  const longer = await world.revise(editor, little, { content: `${little.content}\n\n${proseOf(500, 9_000)}` })
  assert.equal((await assertOneStanding(world, longer)).state, 'SUPPORTED')
  const much = await world.revise(editor, longer, { content: rewritten(entry.content, 40) })
  const standing = await assertOneStanding(world, much)
  assert.equal(standing.state, 'UNCHECKED')
  assert.ok((standing.kept ?? 1) > 0.75 && (standing.kept ?? 1) < 0.85, `${standing.kept}`)
})

test('a removed copy of words is not retained by another copy: evidence leaves an entry whose content was replaced', async () => {
  const words = proseOf(30, 60_000)
  const entry = await world.publish(author, { title: 'Dose', summary: words, content: words })
  await world.verify(await world.voice(), entry)
  const replaced = await world.revise(editor, entry, { content: proseOf(30, 70_000) })
  const standing = await assertOneStanding(world, replaced)
  assert.deepEqual([standing.state, standing.earlier.supported], ['UNCHECKED', 1])
  assert.ok((standing.kept ?? 1) > 0.45 && (standing.kept ?? 1) < 0.55, `${standing.kept}`)
  assert.equal((await world.revise(author, replaced, { content: words })).standing.state, 'SUPPORTED')
})

test('fifty identities from one network are one voice, and from fifty networks fifty', async () => {
  const [one, many] = [await world.publish(author), await world.publish(author)]
  for (const judge of await world.voices(50, '203.0.113.7')) await world.verify(judge, one)
  assert.deepEqual(countsOf(await assertOneStanding(world, one)), {
    ...{ supported: 50, actors: 50, independent: 1, independentFor: 1 },
  })
  for (const judge of await world.voices(50)) await world.verify(judge, many)
  assert.deepEqual(countsOf(await assertOneStanding(world, many)), {
    ...{ supported: 50, actors: 50, independent: 50, independentFor: 50 },
  })
})

test("an author's judgement of its own text changes no state, also after a revision by another actor that retains the text", async () => {
  const entry = await world.publish(author)
  await world.verify(author, entry)
  assert.equal((await world.standing(entry)).state, 'UNCHECKED')
  const spaced = await world.revise(editor, entry, { content: `${entry.content} .` })
  await world.verify(author, spaced)
  await world.verify(editor, spaced)
  const standing = await assertOneStanding(world, spaced)
  assert.equal(standing.state, 'UNCHECKED')
  assert.deepEqual(countsOf(standing), { own: 2 })
  const rewrittenEntry = await world.revise(editor, spaced, {
    content: proseOf(80, 40_000),
    title: 'New',
    summary: 'New',
  })
  await world.verify(author, rewrittenEntry)
  assert.equal((await world.standing(entry)).state, 'SUPPORTED')
})

test('a CONTRADICTS relation is one objection of its actor to the text that was current', async () => {
  const [target, source] = [await world.publish(author), await world.publish(editor)]
  const judge = await world.voice()
  const relation = await world.object(judge, source, target)
  await world.object(judge, source, target)
  const standing = await assertOneStanding(world, target)
  assert.equal(standing.state, 'CONTRADICTED')
  assert.deepEqual(countsOf(standing), { contradicted: 1, actors: 1, independent: 1, independentAgainst: 1 })
  assert.partialDeepStrictEqual(standing.contradictions, [
    { kind: 'RELATION', revisionId: target.currentRevisionId, sourceEntryId: source.id, status: 'STANDING' },
  ])
  assert.notEqual(standing.contradictions[0]?.id, relation.id)
  assert.equal((await world.standing(source)).state, 'UNCHECKED')
  const corrected = await world.revise(author, target, { content: proseOf(70, 30_000), changeType: 'CORRECT' })
  const after = await assertOneStanding(world, corrected)
  assert.equal(after.state, 'UNCHECKED')
  assert.partialDeepStrictEqual(after.contradictions, [
    { status: 'ADDRESSED', addressedBy: corrected.currentRevisionId, revisionId: target.currentRevisionId },
  ])
})

test('a contradiction is addressed by the correction that changes its text, until the new text is contradicted', async () => {
  const entry = await world.publish(author, { content: proseOf(100, 60_000) })
  const [judge, other] = (await world.voices(2)) as [Voice, Voice]
  const { id } = await world.contradict(judge, entry, 'Wrong port.')
  const small = await world.revise(author, entry, { content: rewritten(entry.content, 3), changeType: 'CORRECT' })
  const life = async (of: Entry) => {
    const { state, contradictions } = await assertOneStanding(world, of)
    return [state, contradictions.map(one => [one.id, one.status, one.addressedBy])]
  }
  assert.deepEqual(await life(small), ['CONTRADICTED', [[id, 'STANDING', null]]])
  const expanded = await world.revise(author, small, { content: proseOf(100, 70_000), changeType: 'EXPAND' })
  assert.deepEqual(await life(expanded), ['UNCHECKED', [[id, 'STANDING', null]]])
  const restored = await world.revise(author, expanded, { content: entry.content })
  assert.deepEqual(await life(restored), ['CONTRADICTED', [[id, 'STANDING', null]]])
  const corrected = await world.revise(author, restored, { content: proseOf(100, 80_000), changeType: 'CORRECT' })
  assert.deepEqual(await life(corrected), ['UNCHECKED', [[id, 'ADDRESSED', corrected.currentRevisionId]]])
  const again = await world.contradict(other, corrected, 'Still wrong.')
  assert.deepEqual(await life(corrected), [
    'CONTRADICTED',
    [
      [again.id, 'STANDING', null],
      [id, 'STANDING', null],
    ],
  ])
})

test('at most three contradictions are shown, one from each network, with the texts of their records', async () => {
  const entry = await world.publish(author)
  for (const judge of await world.voices(4, '203.0.113.9')) await world.contradict(judge, entry, 'Same network.')
  const judges = await world.voices(3)
  for (const [n, judge] of judges.entries()) await world.contradict(judge, entry, `Reason ${n}`)
  const { contradictions, tally } = await assertOneStanding(world, entry)
  assert.deepEqual(
    contradictions.map(({ rationale }) => rationale),
    ['Reason 2', 'Reason 1', 'Reason 0'],
  )
  assert.equal(tally.contradicted, 7)
  assert.equal(tally.independentAgainst, 4)
})
