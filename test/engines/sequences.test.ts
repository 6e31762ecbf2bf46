import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_POSTGRES } from './pair.ts'
import { runSequences } from './sequences.ts'

test('200 random sequences of commands have one outcome on both engines and by the rules', {
  skip: NO_POSTGRES,
  // Alone it takes 25 s; where cores are shared with others, several times as long.
  timeout: 300_000,
}, async () => {
  const { commands, refused } = await runSequences(200)
  // Three in ten are on average; of 200 sequences a quarter is five standard deviations away.
  assert.ok(refused > commands / 4 && refused < commands / 2, `${refused} of ${commands} refused`)
})
