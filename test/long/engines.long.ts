import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_POSTGRES } from '../engines/pair.ts'
import { runSequences } from '../engines/sequences.ts'
import { runStandings } from '../engines/standings.ts'

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
