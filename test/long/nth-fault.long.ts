import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { compileShim } from '../faults/tools.ts'
import { makeDirectory } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { createFaultRuns, type Scenario } from './nth-fault.ts'

const directory = makeDirectory()
const shim = compileShim(directory.path, 'nth.c')
after(() => directory.remove())

/** This many calls of a scenario are made to fail, one in each of as many equal intervals. */
const POINTS = Number(process.env.FAULT_POINTS ?? 25)
const SCENARIOS: readonly Scenario[] = ['first start', 'new index', 'backup']

test('after a fault in any call on a file nothing acknowledged is lost, and the process ends as documented', {
  skip: shim === false && 'calls cannot be made to fail here',
}, async t => {
  const { run } = await createFaultRuns(directory.path, String(shim))
  const random = seededRandom('n-th fault')
  for (const scenario of SCENARIOS) {
    for (const full of [false, true]) {
      await t.test(`${scenario}, ${full ? 'no space from then on' : 'one call fails'}`, async context => {
        const calls = await run(scenario, { call: 0, full: false })
        assert.ok(calls !== undefined && calls > POINTS, `${calls} calls`)
        for (let point = 0; point < POINTS; point++) {
          const call = 1 + Math.floor(((point + random.next()) * calls) / POINTS)
          await run(scenario, { call, full })
        }
        context.diagnostic(`${POINTS} of ${calls} calls failed`)
      })
    }
  }
})
