import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { mirrorChangeRounds } from '../support/mirror-changes.ts'
import { mirrorKillRounds, writeEntries } from '../support/mirror-rounds.ts'
import { seededRandom } from '../support/random.ts'

let app: TestApp
before(async () => {
  app = await startApp()
  await writeEntries(app, 20_000)
})
after(() => app.close())

test('a mirror that is killed at any moment continues with complete records', async context => {
  const { midst, finished } = await mirrorKillRounds(app, 50, seededRandom('mirror').next)
  context.diagnostic(`50 kills, ${midst} of them in the midst of copying, ${finished} copies finished`)
  assert.ok(midst > 10)
})

test('a reader of changes learns of withdrawals from a mirror in order, in 60 rounds', async t => {
  const original = await startApp({ TLOG_INTERVAL_SECONDS: '0.05' })
  t.after(() => original.close())
  await mirrorChangeRounds(original, 60)
})
