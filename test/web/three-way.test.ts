import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { merge, mergedText, mergeSets, wholeLines } from '../../src/web/browser/three-way.js'
import { columnOf } from '../support/client.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const options = { seed: SEED, numRuns: 500 }
const taken = (base: string, theirs: string, mine: string): string | undefined =>
  mergedText(merge(base, theirs, mine), [])

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'the cat', 'sat.', ' ', '\n', ',', '1', '東京'), { maxLength: 24 })
  .map(pieces => pieces.join(''))

test('a merge contains the other writer’s change of a line next to mine', () => {
  const base = '1. For a tool, call search.\n2. For a service, call publish.\n'
  const theirs = '1. For a tool, call find.\n2. For a service, call publish and wait.\n'
  const mine = '1. For every tool, call search.\n2. For a service, call publish.\n'
  assert.equal(taken(base, theirs, mine), '1. For every tool, call find.\n2. For a service, call publish and wait.\n')
  const clash = merge(base, theirs, mine.replace('search', 'query'))
  assert.deepEqual(clash, [
    { kind: 'settled', text: '1. For every tool, call ' },
    { kind: 'open', theirs: 'find', mine: 'query' },
    { kind: 'settled', text: '.\n2. For a service, call publish and wait.\n' },
  ])
})

test('a change by one side is merged, and so is the same change by both', t => {
  t.diagnostic(`SEED=${SEED}`)
  fc.assert(
    fc.property(text, text, (base, changed) => {
      assert.equal(taken(base, changed, base), changed)
      assert.equal(taken(base, base, changed), changed)
      assert.equal(taken(base, changed, changed), changed)
    }),
    options,
  )
})

test('changes of different words are both merged, and a word that both sides changed is open', t => {
  t.diagnostic(`SEED=${SEED}`)
  const lines = 4
  const words = 5
  const all = Array.from({ length: lines * words }, (_, at) => at)
  const written = (change: (at: number) => string): string =>
    all.map(at => change(at) + ((at + 1) % words === 0 ? '\n' : ' ')).join('')
  const places = fc.uniqueArray(fc.nat(lines * words - 1), { maxLength: 6 })
  fc.assert(
    fc.property(places, places, (theirs, mine) => {
      const side = (changed: number[], name: string) =>
        written(at => (changed.includes(at) ? `${name}${at}` : `w${at}`))
      const parts = merge(side([], ''), side(theirs, 'theirs'), side(mine, 'mine'))
      const whole = mergedText(parts, new Array<'both'>(40).fill('both')) ?? ''
      for (const at of theirs) assert.match(whole, new RegExp(`theirs${at}\\b`))
      for (const at of mine) assert.match(whole, new RegExp(`mine${at}\\b`))
      const open = parts.some(({ kind }) => kind === 'open')
      if (theirs.some(at => mine.includes(at))) assert.ok(open)
      const apart = theirs.every(one => mine.every(other => Math.abs(one - other) > 1))
      if (apart) {
        const both = written(at => (theirs.includes(at) ? `theirs${at}` : mine.includes(at) ? `mine${at}` : `w${at}`))
        assert.deepEqual([open, whole], [false, both])
      }
    }),
    options,
  )
})

test('adjacent changed words of both sides are one open part, adjacent lines are not', () => {
  assert.deepEqual(merge('it is not safe here', 'it is very safe here', 'it is not dangerous here'), [
    { kind: 'settled', text: 'it is ' },
    { kind: 'open', theirs: 'very safe', mine: 'not dangerous' },
    { kind: 'settled', text: ' here' },
  ])
  assert.equal(taken('apple\npear\n', 'apples\npear\n', 'apple\npears\n'), 'apples\npears\n')
})

test('a merged text is returned only when every open part is decided', () => {
  const parts = wholeLines(merge('a\nb\nc', 'a\nthey\nc', 'a\nme\nc'))
  assert.deepEqual(parts, [
    { kind: 'settled', text: 'a\n' },
    { kind: 'open', theirs: 'they\n', mine: 'me\n' },
    { kind: 'settled', text: 'c' },
  ])
  assert.equal(mergedText(parts, []), undefined)
  assert.equal(mergedText(parts, ['mine']), 'a\nme\nc')
  assert.equal(mergedText(parts, ['theirs']), 'a\nthey\nc')
  assert.equal(mergedText(parts, ['both']), 'a\nthey\nme\nc')
})

test('parts widened to whole lines have the same text on either side', t => {
  t.diagnostic(`SEED=${SEED}`)
  fc.assert(
    fc.property(text, text, text, (base, theirs, mine) => {
      const words = merge(base, theirs, mine)
      const lines = wholeLines(words)
      for (const choice of ['mine', 'theirs'] as const) {
        const all = new Array<typeof choice>(50).fill(choice)
        assert.equal(mergedText(lines, all), mergedText(words, all))
      }
      for (const [index, part] of lines.entries()) {
        const last = index === lines.length - 1
        if (part.kind === 'settled') assert.ok(last || part.text.endsWith('\n'))
        else for (const side of [part.theirs, part.mine]) assert.ok(last || side === '' || side.endsWith('\n'))
      }
    }),
    options,
  )
})

test('texts with more differences than the maximum are one open part', () => {
  const side = (name: string): string => Array.from({ length: 2_500 }, (_, at) => `${name}${at}\n`).join('')
  const parts = merge(side('b'), side('t'), side('m'))
  assert.deepEqual(columnOf(parts, 'kind'), ['open', 'settled'])
  assert.equal(mergedText(parts, ['mine']), side('m'))
  assert.equal(mergedText(parts, ['theirs']), side('t'))
})

test('a merged set has the additions of both sides and lacks the removals of both', () => {
  assert.deepEqual(
    mergeSets(['a', 'x', 'y'], ['a', 'b', 'y'], ['a', 'c', 'x'], one => one),
    ['a', 'b', 'c'],
  )
})
