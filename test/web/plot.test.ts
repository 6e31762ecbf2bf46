import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisValues, growthPlot } from '../../src/web/activity-pages.ts'

const DAY = 86_400_000
const pairs = (path: string): [number, number][] =>
  [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])

test('the line of growth stays in its plot and never goes back, also when times decrease', () => {
  for (const days of [
    [0, 400, 2, 3],
    [5, 4, 3, 2],
    [9, 0, 5],
    [3, 3, 3],
  ]) {
    const points = days.map((day, index) => ({ at: day * DAY, records: index + 1 }))
    const { markup } = growthPlot(points, 'Growth')
    const line = pairs(/class="line" d="([^"]*)"/.exec(markup)?.[1] ?? '')
    assert.equal(line.length, days.length, days.join())
    for (const [x, y] of line) assert.ok(x >= 0 && x <= 720 && y >= 0 && y <= 140, `${days.join()}: ${x} ${y}`)
    const xs = line.map(([x]) => x)
    assert.deepEqual(
      xs,
      xs.toSorted((a, b) => a - b),
      days.join(),
    )
  }
})

test('no two neighbouring words below an axis are the same', () => {
  const words = (...times: number[]): string[] =>
    [
      ...growthPlot(
        times.map((at, index) => ({ at, records: index + 1 })),
        'Growth',
      ).markup.matchAll(/<span>([^<]*)<\/span>/g),
    ].map(([, word = '']) => word)
  assert.deepEqual(words(0, 20_000), ['00:00', '', ''])
  assert.deepEqual(words(0, 7_200_000), ['00:00', '01:00', '02:00'])
  assert.deepEqual(words(0, 40 * DAY), ['1 Jan', '21 Jan', '10 Feb'])
})

test('the values of an axis are round, begin at 0 and reach the largest value', () => {
  assert.deepEqual(axisValues(1), [1, 0])
  assert.deepEqual(axisValues(4), [4, 3, 2, 1, 0])
  assert.deepEqual(axisValues(7), [8, 6, 4, 2, 0])
  assert.deepEqual(axisValues(743), [800, 600, 400, 200, 0])
  assert.deepEqual(axisValues(1_000_000), [1_000_000, 800_000, 600_000, 400_000, 200_000, 0])
  for (let most = 1; most < 100_000; most = Math.ceil(most * 1.07)) {
    const values = axisValues(most)
    assert.ok(values.length <= 6 && (values[0] ?? 0) >= most && values.at(-1) === 0, `${most}: ${values}`)
  }
})
