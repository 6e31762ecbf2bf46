import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { openPreparedWorld, type PreparedWorld, revisionOn, supportOf, textOf } from './prepared-world.ts'

const readTexts = (statements: readonly string[]): number =>
  statements.filter(statement => /SELECT title, summary, content, signals FROM revision/.test(statement)).length

/** An entry with revisions of which the first and the last were not judged, and each other one by an actor of its own. */
async function openJudged(t: TestContext, world: PreparedWorld) {
  const author = await world.actor()
  const revisions: Entry[] = [(await world.perform('createEntry', author, textOf('One is 1. Two is 2.'))).entry]
  const [first] = revisions as [Entry]
  for (let n = 0; n < 4; n++) {
    const latest = revisions.at(-1) as Entry
    if (n > 0) await world.perform('verifyRevision', await world.actor(), supportOf(latest), first.slug)
    revisions.push(
      (await world.perform('reviseEntry', author, revisionOn(`One is 1. Two is ${3 + n}.`, latest), first.slug)).entry,
    )
  }
  t.diagnostic(`${revisions.length} revisions`)
  return { author, slug: first.slug, revisions, latest: revisions.at(-1) as Entry }
}

test('the transaction of a revision reads and compares no judged text', async t => {
  const world = await openPreparedWorld(t)
  const { author, slug, latest } = await openJudged(t, world)
  const { statements, entry } = await world.perform('reviseEntry', author, revisionOn('One is 1.', latest), slug)
  assert.equal(readTexts(statements), 0)
  assert.equal(entry.standing.tally.supported, 3)
  await world.recomputed(slug)
})

test('a judgement between the preparation of a revision and its transaction counts', async t => {
  const world = await openPreparedWorld(t)
  const { author, slug, revisions, latest } = await openJudged(t, world)
  const work = await world.prepare('reviseEntry', author, revisionOn('One is 1. Two is 9.', latest), slug)
  const unjudged = revisions[0] as Entry
  const objection = { revisionId: unjudged.currentRevisionId, rationale: 'No' }
  await world.perform('contradictRevision', await world.actor(), objection, slug)
  const { statements, entry } = await world.run(work)
  assert.equal(readTexts(statements), 1)
  assert.deepEqual([entry.standing.state, entry.standing.tally.supported], ['ANSWERED', 3])
  await world.recomputed(slug)
})

test('a create reads and writes nothing about evidence', async t => {
  const world = await openPreparedWorld(t)
  const { statements } = await world.perform('createEntry', await world.actor(), textOf('One is 1.'))
  assert.ok(statements.length > 3, `${statements.length} statements`)
  assert.deepEqual(
    statements.filter(statement =>
      /\b(?:FROM|JOIN|INTO) (?:evidence|relation|entry_voice)\b|SET standing/.test(statement),
    ),
    [],
  )
})
