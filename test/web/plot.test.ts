import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relationGraph } from '../../src/web/graph.ts'
import { growthPlot } from '../../src/web/plot.ts'

const DAY = 86_400_000
const pairs = (path: string): [number, number][] =>
  [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])

test('the line of growth stays in its plot when times run back, and never turns back', () => {
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

type Box = { x: number; y: number; width: number; height: number }
const number = (tag: string, name: string): number => Number(new RegExp(` ${name}="(-?[\\d.]+)"`).exec(tag)?.[1])
const boxesOf = (svg: string): Box[] =>
  [...svg.matchAll(/<rect [^>]*>/g)].map(([tag]) => ({
    x: number(tag, 'x'),
    y: number(tag, 'y'),
    width: number(tag, 'width'),
    height: number(tag, 'height'),
  }))
const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

test('no box of the graph covers another or leaves the picture, for any number of neighbours', () => {
  for (let count = 1; count <= 14; count += 1) {
    const neighbours = Array.from({ length: count }, (_, index) => ({
      slug: `n${index}`,
      title: `Neighbour ${index}`,
      relationType: 'CONNECT' as const,
      outward: index % 2 === 0,
    }))
    const pictures = relationGraph('Middle', neighbours).markup.match(/<svg class="plot[\s\S]*?<\/svg>/g) ?? []
    assert.ok(pictures.length > 0)
    for (const svg of pictures) {
      const boxes = boxesOf(svg)
      assert.equal(boxes.length, Math.min(count, 12) + 1)
      const [left = 0, , width = 0, height = 0] = (/viewBox="([^"]*)"/g.exec(svg)?.[1] ?? '').split(' ').map(Number)
      boxes.forEach((box, index) => {
        const inside = box.x >= left && box.y >= 0 && box.x + box.width <= left + width && box.y + box.height <= height
        assert.ok(inside, `${count}: ${JSON.stringify(box)} is inside ${width} × ${height}`)
        for (const other of boxes.slice(index + 1))
          assert.ok(!overlap(box, other), `${count}: ${JSON.stringify([box, other])}`)
      })
    }
  }
})
