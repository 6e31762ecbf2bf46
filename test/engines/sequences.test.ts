import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_POSTGRES } from './pair.ts'
import { runSequences } from './sequences.ts'

test('100 random sequences of commands have the same outcome on both engines and in the model', {
  skip: NO_POSTGRES,
  // Alone it takes 13 s; where cores are shared with others, several times as long.
  timeout: 300_000,
}, async () => {
  const { commands, refused } = await runSequences(100)
  // Three in ten are on average; of 100 sequences a quarter is four standard deviations away.
  assert.ok(refused > commands / 4 && refused < commands / 2, `${refused} of ${commands} refused`)
})
