import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, useApp } from '../support/app.ts'
import { mirrorChangeRounds } from '../support/mirror-changes.ts'
import { mirrorKillRounds, writeEntries } from '../support/mirror-rounds.ts'
import { seededRandom } from '../support/random.ts'

const app = useApp({}, async () => {
  await writeEntries(app, 20_000)
})

test('a mirror that is killed at any moment continues with complete records', async context => {
  const { midst, finished } = await mirrorKillRounds(app, 50, seededRandom('mirror').next)
  context.diagnostic(`50 kills, ${midst} of them in the midst of copying, ${finished} copies finished`)
  assert.ok(midst > 10)
})

test('a reader of changes learns of withdrawals from a mirror in order, in 60 rounds', async () => {
  await using original = await startApp({ TLOG_INTERVAL_SECONDS: '0.05' })
  await mirrorChangeRounds(original, 60)
})
