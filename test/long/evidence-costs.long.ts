import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEntry } from '../../src/memory/entries/rows.ts'
import { listJudgements } from '../../src/memory/evidence/rows.ts'
import { COUNTED_JUDGEMENTS, isAgainst, repliesOf } from '../../src/memory/evidence/rules.ts'
import { evidenceOn } from '../../src/memory/evidence/standing.ts'
import { openPreparedWorld, revisionOn, supportOf, textOf } from '../database/prepared-world.ts'
import { useApp } from '../support/app.ts'
import { call, columnOf, expectStatus } from '../support/client.ts'
import { editStore } from '../support/edit-store.ts'
import { judgingWorld, type Voice } from '../support/judging.ts'

const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' })

const JUDGEMENTS = 5_000
const REVISIONS = 500
/** Requests whose mean cost counts. */
const READS = 300
/** In milliseconds of the processor, the client of this process included. */
const STANDING_MOST = 2
const BLAME_MOST = 100

/** The processor time of some requests, in milliseconds for each. */
async function costOf(path: string, times: number): Promise<number> {
  const from = process.cpuUsage()
  for (let time = 0; time < times; time += 1) expectStatus(await call(app.url, 'GET', path), 200)
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1_000 / times
}

test(`the standing of an entry with ${JUDGEMENTS} judgements is read in ${STANDING_MOST} ms`, async context => {
  const [author, judge] = (await world.voices(2)) as [Voice, Voice]
  const entry = await world.publish(author)
  await world.verify(judge, entry)
  const counting = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${JUDGEMENTS - 1})`
  const of = `(SELECT number FROM entry WHERE slug = '${entry.slug}')`
  await editStore(
    app,
    `INSERT INTO actor (number, id, actor_type, data_class, first_seen_at, last_seen_at)
      ${counting} SELECT 1000000 + i, 'judge-' || i, 'UNKNOWN', 'EXTERNAL', 1, 1 FROM n`,
    `INSERT INTO evidence (number, id, kind, entry, ordinal, revision, actor, origin_group, result, confidence, rationale, created_at)
      ${counting} SELECT 1000000 + i, 'judgement-' || i, 'VERIFY', ${of}, 1 + i, ${of}, 1000000 + i, 1 + i,
        CASE WHEN i % 3 = 0 THEN 'UNSUPPORTED' ELSE 'SUPPORTED' END, 1, 'x', 1 FROM n`,
    `UPDATE entry SET evidence = ${JUDGEMENTS}, origins = ${JUDGEMENTS} WHERE slug = '${entry.slug}'`,
  )
  await world.revise(author, entry, { content: `${entry.content} more` })
  assert.ok((await world.standing(entry)).tally.unsupported > 200)
  const path = `/api/entries/${entry.slug}/standing`
  await costOf(path, READS)
  const cost = await costOf(path, READS)
  context.diagnostic(`${cost.toFixed(2)} ms of the processor for each read`)
  assert.ok(cost <= STANDING_MOST, `${cost} ms`)
})

test(`the blame of ${REVISIONS} revisions is read in ${BLAME_MOST} ms`, async context => {
  const author = await world.voice()
  const sentences = Array.from({ length: 60 }, (_, n) => `Sentence ${n} says that part ${n} of the engine has a limit.`)
  let entry = await world.publish(author, { content: sentences.join(' ') })
  for (let n = 1; n < REVISIONS; n += 1) {
    sentences[(n * 7) % sentences.length] = `Revision ${n} says that part ${n % 60} of the engine has another limit.`
    entry = await world.revise(author, entry, { content: sentences.join(' '), changeType: 'CORRECT' })
  }
  const costs: number[] = []
  for (let time = 0; time < 5; time += 1) {
    // An answer that was computed before is remembered: each read is of another revision.
    sentences[time] = `Another ${time}.`
    entry = await world.revise(author, entry, { content: sentences.join(' ') })
    costs.push(await costOf(`/api/entries/${entry.slug}/blame`, 1))
  }
  const cost = Math.min(...costs)
  context.diagnostic(`${cost.toFixed(0)} ms of the processor, of ${costs.map(one => one.toFixed(0)).join(', ')}`)
  assert.ok(cost <= BLAME_MOST, `${cost} ms`)
})

const JUDGED_TEXTS = 16
const CHARACTERS = 20_000
const ROUNDS = 25
/** Milliseconds of a revision before its transaction and in it, and of a judgement. */
const PREPARE_MOST = 10
const REVISE_MOST = 2
const JUDGE_MOST = 3
const QUOTED_MOST = 40

const shuffled = (n: number): string[] => {
  const all = Array.from({ length: 4_800 }, (_, at) => String(at).padStart(3, '0'))
  for (let swap = 0; swap < 100; swap += 1) {
    const [one, other] = [(swap * 7_919 + n * 104_729) % all.length, (swap * 15_485 + n * 32_452) % all.length]
    ;[all[one], all[other]] = [all[other] as string, all[one] as string]
  }
  return all
}
/** Texts of the longest content: many sentences of which some change, code, and the shortest lines, of which some are exchanged. */
const TEXTS: Record<string, (n: number) => string> = {
  prose: n =>
    Array.from({ length: 300 }, (_, at) => `Sentence ${at % 16 === n % 16 ? at + n : at} has a limit`).join('.\n'),
  'other prose': n =>
    Array.from({ length: 300 }, (_, at) => `Sentence ${at} of text ${n} says that it has a limit`).join('.\n'),
  code: n =>
    Array.from({ length: 700 }, (_, at) => `${'  '.repeat(at % 4)}call(${at % 16 === n % 16 ? at + n : at}, [x])`).join(
      '\n',
    ),
  'lines of Markdown': n =>
    shuffled(n)
      .map(line => `- ${line}`)
      .join('\n'),
  'short lines': n => shuffled(n).join('\n'),
}
/** The least of most rounds: other work of the machine only adds to the time of a round. */
const thirdLeast = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[2] ?? Number.NaN

for (const [kind, contentOf] of Object.entries(TEXTS)) {
  test(`a revision of an entry with ${JUDGED_TEXTS} judged texts of ${kind}, and a judgement of it, cost little`, async t => {
    const world = await openPreparedWorld(t)
    const author = await world.actor()
    const content = (n: number): string => contentOf(n).padEnd(CHARACTERS, ' x').slice(0, CHARACTERS)
    let { entry } = await world.perform('createEntry', author, textOf(content(0)))
    const { slug } = entry
    for (let n = 1; n <= JUDGED_TEXTS; n += 1) {
      await world.perform('verifyRevision', await world.actor(), supportOf(entry), slug)
      entry = (await world.perform('reviseEntry', author, revisionOn(content(n), entry), slug)).entry
    }
    const [prepares, revisions, judgements]: [number[], number[], number[]] = [[], [], []]
    for (let n = 100; n < 100 + ROUNDS; n += 1) {
      const began = performance.now()
      const work = await world.prepare('reviseEntry', author, revisionOn(content(n), entry), slug)
      prepares.push(performance.now() - began)
      const revised = await world.run(work)
      entry = revised.entry
      revisions.push(revised.took)
    }
    for (let n = 0; n < ROUNDS; n += 1) {
      judgements.push((await world.perform('verifyRevision', await world.actor(), supportOf(entry), slug)).took)
    }
    const [prepare, revise, judge] = [prepares, revisions, judgements].map(thirdLeast) as [number, number, number]
    const all = [prepare, revise, judge].map(one => one.toFixed(2)).join(', ')
    t.diagnostic(`${all} ms before the transaction, in it, and for a judgement`)
    assert.ok(prepare <= PREPARE_MOST && revise <= REVISE_MOST && judge <= JUDGE_MOST, `${all} ms`)
  })
}

const FLOOD = 10_000
/** Milliseconds to read the judgements that count, and of one more judgement. */
const LIST_MOST = 10
const FLOODED_MOST = 15

for (const voices of [1, 100, 1_000, FLOOD]) {
  test(`the judgements of an entry with ${FLOOD} by ${voices} voices are read in ${LIST_MOST} ms`, async t => {
    const world = await openPreparedWorld(t)
    const { entry } = await world.perform('createEntry', await world.actor(), textOf('One is 1. Two is 2.'))
    const judge = await world.actor()
    await world.perform('verifyRevision', judge, supportOf(entry), entry.slug)
    const counting = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${FLOOD})`
    for (const statement of [
      `INSERT INTO actor (number, id, actor_type, data_class, first_seen_at, last_seen_at)
        ${counting} SELECT 1000000 + i, 'judge-' || i, 'UNKNOWN', 'EXTERNAL', 1, 1 FROM n`,
      `INSERT INTO evidence (number, id, kind, entry, ordinal, revision, actor, origin_group, result, confidence, rationale, created_at)
        ${counting} SELECT 1000000 + i, 'judgement-' || i, 'VERIFY', 1, 1 + i, 1, 1000000 + i, 1 + i % ${voices}, 'SUPPORTED', 1,
          hex(zeroblob(250)), 1 FROM n`,
      `UPDATE entry SET evidence = 1 + ${FLOOD}, origins = ${voices}`,
    ])
      world.connection.raw.exec(statement)
    const found = await findEntry(world.connection, entry.slug)
    assert.ok(found !== undefined)
    const [lists, judgements]: [number[], number[]] = [[], []]
    for (let n = 0; n < ROUNDS; n += 1) {
      const began = performance.now()
      const listed = await listJudgements(world.connection, found)
      lists.push(performance.now() - began)
      assert.equal(new Set(listed.map(({ voice }) => voice)).size, Math.min(voices + 1, COUNTED_JUDGEMENTS))
      judgements.push((await world.perform('verifyRevision', judge, supportOf(entry), entry.slug)).took)
    }
    const [list, took] = [thirdLeast(lists), thirdLeast(judgements)]
    t.diagnostic(`${list.toFixed(2)} ms, and ${took.toFixed(2)} ms for a judgement`)
    assert.ok(list <= LIST_MOST && took <= FLOODED_MOST, `${list} ms, ${took} ms`)
  })
}

/** Objections with the replies of one page, and milliseconds to find them. */
const OBJECTIONS = COUNTED_JUDGEMENTS / 2
const SHOWN = 50
const REPLIES_MOST = 10

test(`the replies to ${SHOWN} of ${OBJECTIONS} objections are found in ${REPLIES_MOST} ms`, async t => {
  const world = await openPreparedWorld(t)
  const author = await world.actor()
  const { entry } = await world.perform('createEntry', author, textOf('One is 1. Two is 2.'))
  const corrected = { ...revisionOn('One is 1. Two is 3.', entry), changeType: 'CORRECT' }
  await world.perform('reviseEntry', author, corrected, entry.slug)
  const counting = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${2 * OBJECTIONS})`
  for (const statement of [
    `INSERT INTO actor (number, id, actor_type, data_class, first_seen_at, last_seen_at)
      ${counting} SELECT 1000000 + i, 'judge-' || i, 'UNKNOWN', 'EXTERNAL', 1, 1 FROM n`,
    `INSERT INTO evidence (number, id, kind, entry, ordinal, revision, actor, origin_group, result, confidence, rationale, created_at)
      ${counting} SELECT 1000000 + i, 'judgement-' || i, 'VERIFY', 1, i,
        CASE WHEN i <= ${OBJECTIONS} THEN 1 ELSE (SELECT max(number) FROM revision) END, 1000000 + i, i,
        CASE WHEN i <= ${OBJECTIONS} OR i % 2 = 0 THEN 'UNSUPPORTED' ELSE 'SUPPORTED' END, 1, 'x', 1 FROM n`,
    `UPDATE entry SET evidence = ${2 * OBJECTIONS}, origins = ${2 * OBJECTIONS}`,
  ])
    world.connection.raw.exec(statement)
  const found = await findEntry(world.connection, entry.slug)
  assert.ok(found !== undefined)
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n += 1) {
    const evidence = await evidenceOn(world.connection, found, found)
    assert.ok(evidence !== undefined)
    const objections = evidence.judgements.filter(one => isAgainst(one) && one.record <= 1_000_000 + OBJECTIONS)
    const shown = new Set(objections.slice(-SHOWN).map(({ record }) => record))
    const began = performance.now()
    const replies = repliesOf(evidence, shown)
    times.push(performance.now() - began)
    assert.deepEqual(columnOf([...replies.values()], 'length'), Array(SHOWN).fill(1 + OBJECTIONS))
  }
  const took = thirdLeast(times)
  t.diagnostic(`${took.toFixed(2)} ms, ${(times[0] ?? 0).toFixed(2)} ms at first`)
  assert.ok(took <= REPLIES_MOST, `${took} ms`)
})

test('a thousand quotes of a text with as many sentences as possible cost little', async t => {
  const world = await openPreparedWorld(t)
  const author = await world.actor()
  const content = 'ab. '.repeat(CHARACTERS / 4 - 1)
  const { entry } = await world.perform('createEntry', author, textOf(content))
  const judge = await world.actor()
  const items = Array.from({ length: 10 }, () => ({
    ...{ entry: entry.slug, revisionId: entry.currentRevisionId, kind: 'CONTRADICT', rationale: 'No' },
  }))
  let took = 0
  for (let n = 0; n < 1_000; n += items.length) {
    const quoted = items.map((item, at) => ({ ...item, quote: content.slice(0, 3 + ((n + at) % 497)) }))
    took = (await world.perform('recordEvidence', judge, { items: quoted })).took / items.length
  }
  t.diagnostic(`${took.toFixed(1)} ms for each judgement`)
  assert.ok(took <= QUOTED_MOST, `${took} ms`)
})
