import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthPlot } from '../../src/web/plot.ts'

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
