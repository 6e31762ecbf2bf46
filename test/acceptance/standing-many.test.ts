import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Standing } from '../../src/contract/resources.ts'
import { COUNTED_JUDGEMENTS } from '../../src/domain/evidence/standing.ts'
import { useApp } from '../support/app.ts'
import { editStore } from '../support/edit-store.ts'
import { assertOneStanding, judgingWorld, type Voice } from '../support/judging.ts'

const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' })

const HONEST = 99
const FLOOD = 10_100
const FIRST = 1_000_000

/** Adds judgements of a text by new actors: a flood of support by one origin, and objections by one origin each. */
async function flood({ slug }: Entry): Promise<void> {
  const entry = `(SELECT number FROM entry WHERE slug = '${slug}')`
  const counting = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${FLOOD + HONEST})`
  const isHonest = `i > ${FLOOD}`
  await editStore(
    app,
    `INSERT INTO actor (number, id, actor_type, data_class, first_seen_at, last_seen_at)
      ${counting} SELECT ${FIRST} + i, 'flood-' || i, 'UNKNOWN', 'EXTERNAL', 1, 1 FROM n`,
    `INSERT INTO judgement (entry, actor, text, record, verdict, own, origin_group, at)
      ${counting} SELECT t.entry, ${FIRST} + i, t.text, 1, CASE WHEN ${isHonest} THEN 'UNSUPPORTED' ELSE 'SUPPORTED' END, 0,
        CASE WHEN ${isHonest} THEN i ELSE 1000 END, 1 FROM n, judged_text t WHERE t.entry = ${entry}`,
    `UPDATE entry SET evidence = ${FLOOD + HONEST + 1}, origins = ${FLOOD + HONEST} WHERE slug = '${slug}'`,
  )
}

const shown = ({ state, tally, earlier, kept, lastCheckedAt, contradictions }: Standing) => ({
  ...{ state, tally, earlier, kept, lastCheckedAt, contradictions },
})

test('past the maximum, the judgements of the origin with the most stop to count, and one more is added to the counts', async () => {
  const [author, judge, ...later] = (await world.voices(5)) as [Voice, Voice, ...Voice[]]
  const entry = await world.publish(author)
  await world.verify(judge, entry)
  await flood(entry)
  const spaced = await world.revise(author, entry, { content: `${entry.content} ` })
  const before = await assertOneStanding(world, entry)
  assert.partialDeepStrictEqual(before.tally, {
    ...{ actors: COUNTED_JUDGEMENTS, unsupported: HONEST, supported: COUNTED_JUDGEMENTS - HONEST },
    ...{ independentFor: 2, independentAgainst: HONEST, independent: HONEST + 2 },
  })
  const [friend, critic, waverer] = later as [Voice, Voice, Voice]
  await world.verify(friend, spaced)
  await world.contradict(critic, spaced)
  await world.verify(waverer, spaced, 'INCONCLUSIVE')
  await world.verify(waverer, spaced, 'UNSUPPORTED')
  await world.verify(author, spaced)
  const counted = await assertOneStanding(world, entry)
  assert.partialDeepStrictEqual(counted.tally, {
    ...{ own: 1, actors: COUNTED_JUDGEMENTS - 1, unsupported: HONEST + 1, contradicted: 1 },
    ...{ supported: COUNTED_JUDGEMENTS - HONEST - 3, independentFor: 3, independentAgainst: HONEST + 2 },
  })
  await world.revise(author, spaced, { content: `${entry.content}  ` })
  assert.deepEqual(shown(await world.standing(entry)), shown(counted), 'all counted again')
})
