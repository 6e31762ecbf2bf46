import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_POSTGRES } from './pair.ts'
import { runSequences } from './sequences.ts'

test('30 random sequences of commands have the same outcome on both engines and in the model', {
  skip: NO_POSTGRES,
}, async () => {
  const { commands, refused } = await runSequences(30)
  // Three in ten are on average; of 30 sequences a fifth is four standard deviations away.
  assert.ok(refused > commands / 5 && refused < commands / 2, `${refused} of ${commands} refused`)
})
