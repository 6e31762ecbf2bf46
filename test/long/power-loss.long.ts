import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { noTrace } from '../faults/tools.ts'
import { powerLossRounds } from '../support/power/rounds.ts'
import { makeDirectory } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const directory = makeDirectory()
after(() => directory.remove())
const skip = noTrace(directory.path)

// The first start makes everything, the second finds it. This many writes cause a checkpoint of the write-ahead log during other writes.
const RUNS = 5
const IMAGES = 100

for (let run = 1; run <= RUNS; run++) {
  test(`after a power cut no acknowledged or shown write is lost (run ${run})`, {
    skip,
  }, async context => {
    const random = seededRandom(`power loss ${run}`)
    const { acknowledged, calls } = await powerLossRounds({ images: IMAGES, starts: 2, writes: 250 }, random)
    context.diagnostic(`${IMAGES} images of ${calls} calls, ${acknowledged} writes acknowledged`)
    assert.ok(acknowledged >= 500)
  })
}
