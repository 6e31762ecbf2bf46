import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
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
