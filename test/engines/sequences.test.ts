import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_POSTGRES } from './pair.ts'
import { runSequences } from './sequences.ts'

test('25 random sequences of commands have one outcome on both engines and by the rules', {
  skip: NO_POSTGRES,
}, async () => {
  const { commands, refused } = await runSequences(25)
  // Of 375 commands 113 are refused on average, with a standard deviation of 11 (600 sequences of 15): six of them either way.
  assert.ok(refused > commands / 8 && refused < commands / 2, `${refused} of ${commands} refused`)
})
