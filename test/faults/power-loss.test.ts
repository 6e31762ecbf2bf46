import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { powerLossRounds } from '../support/power/rounds.ts'
import { makeDirectory } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { noTrace } from './tools.ts'

const directory = makeDirectory()
after(() => directory.remove())

test('after a power cut no acknowledged or shown write is lost, whichever unsynced data survive', {
  skip: noTrace(directory.path),
}, async context => {
  const { acknowledged, calls } = await powerLossRounds(
    { images: 5, starts: 1, writes: 40 },
    seededRandom('power loss'),
  )
  context.diagnostic(`5 images of ${calls} calls, ${acknowledged} writes acknowledged`)
  assert.ok(acknowledged >= 40)
})
