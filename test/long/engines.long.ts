import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_POSTGRES, startPair } from '../engines/pair.ts'
import { compareDrafts, compareResults, writeCorpus } from '../engines/searches.ts'
import { runSequences } from '../engines/sequences.ts'
import { runStandings } from '../engines/standings.ts'
import { seededRandom } from '../support/random.ts'

test('5,000 random sequences of commands have the same outcome on both engines and in the model', {
  skip: NO_POSTGRES,
}, async () => {
  const { commands, refused } = await runSequences(5_000)
  assert.ok(refused > commands / 4 && refused < commands / 2, `${refused} of ${commands} refused`)
})

test(
  '20 random sequences of revisions, evidence and moderation have one standing on both engines, in the model, and in every copy',
  {
    skip: NO_POSTGRES,
  },
  () => runStandings({ sequences: 20, steps: 60 }),
)

test('1,000 searches and 100 drafts among 300 entries have the same results on both engines', {
  skip: NO_POSTGRES,
}, async () => {
  const random = seededRandom('search on both engines')
  await using pair = await startPair({ step: 0 })
  const { texts } = await writeCorpus(pair, random, 300)
  await compareResults(pair, random, texts, 1_000)
  await compareDrafts(pair, random, texts, 100)
})
