import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawChart } from '../bench/chart.ts'
import { judge } from '../bench/claims.ts'
import { parseAnswer } from '../bench/load/http.ts'
import { readsOf } from '../bench/measures/growth.ts'
import { readOptions } from '../bench/options.ts'
import { newResults, type Results, type Round } from '../bench/results.ts'
import { claimTable, ratioTable } from '../bench/tables.ts'
import { OPERATIONS } from '../src/contract/operations.ts'

const round = (perSecond: number, round = 0): Round => ({
  run: 'one',
  round,
  perSecond,
  p50: 1,
  p99: 2,
  server: 1,
  load: 0.5,
})

function madeUp(own: number[], mediawiki: number[]): Results {
  const results = newResults({ entries: 100_000, seconds: 5, rounds: 3, connections: 32 }, true)
  for (const [name, rates] of Object.entries({ palimpsest: own, mediawiki })) {
    results.targets[name] = { about: name, entries: 100_000, rounds: { R: rates.map(round) } }
  }
  return results
}

test('arguments of the command line without effect are named', () => {
  const read = (...args: string[]) => readOptions(args, { targets: ['one', 'two'], beside: ['before'], measures: [] })
  assert.throws(() => read('--targets', 'unknown'), /--targets knows no "unknown"; there are one, two\./)
  assert.throws(() => read('--rounds', '0'), /--rounds must be a number from 1 to 100, not "0"\./)
  assert.deepEqual(read('--targets', 'two,one').targets, ['one', 'two'])
  assert.deepEqual(read('--targets', 'none').targets, [])
  assert.throws(() => read('--targets', 'before'), /--targets knows no "before"/)
  assert.deepEqual(read('--beside', '/tmp').targets, ['one', 'two', 'before'])
})

test('ratios are computed within one round, and a claim is true if the median of them meets it', () => {
  // Round by round 100, 70 and 60 times as fast; the medians of each alone would make it 100 times.
  const held = madeUp([1_000, 700, 6_000], [10, 10, 100])
  const claim = (results: Results) => judge(results).find(({ name }) => name === 'R against the best peer')
  assert.deepEqual(claim(held), { name: 'R against the best peer', measured: '70 ×', target: '≥ 60 ×', held: true })
  assert.equal(claim(madeUp([1_000, 500, 500], [10, 10, 10]))?.held, false)
  assert.equal(judge(held).find(({ name }) => name.startsWith('L against'))?.held, null)
})

test('a round that a target failed, and rounds of another run, are not compared', () => {
  const results = madeUp([1_000, 70], [10, 1])
  const { mediawiki } = results.targets
  const claim = () => judge(results).find(({ name }) => name === 'R against the best peer')
  mediawiki?.rounds.R?.shift()
  assert.equal(claim()?.measured, '70 ×')
  for (const one of mediawiki?.rounds.R ?? []) one.run = 'another'
  assert.equal(claim()?.held, null)
})

test('a measure just outside its bound is reported with its figure', () => {
  const claim = (own: number) => judge(madeUp([own], [1])).find(({ name }) => name === 'R against the best peer')
  assert.deepEqual([claim(59.98)?.measured, claim(59.98)?.held], ['59.98 ×', false])
  assert.equal(claim(60.02)?.measured, '60 ×')
})

test('the tables and the picture show every target, and text stays text', () => {
  const results = madeUp([6_000], [10])
  results.skipped['mcp-memory'] = 'not to be had'
  results.machine.processor = 'A <fast> one'
  assert.match(ratioTable(results), /\| mediawiki \| 100000 \| 10 \(6[.e+0-9]+ ×\) \|/)
  assert.match(ratioTable(results), /Not measured: mcp-memory \(not to be had\)/)
  assert.match(claimTable(judge(results)), /\| R against the best peer \| 600 × \| ≥ 60 × \| yes \|/)
  const chart = drawChart(results)
  assert.equal(chart.match(/<rect/g)?.length, 2)
  assert.match(chart, /A &lt;fast&gt; one/)
})

test('an answer counts only once it was read completely', () => {
  const plain = Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1')
  assert.equal(parseAnswer(plain.subarray(0, 40)).answer, undefined)
  assert.equal(parseAnswer(plain.subarray(0, 46)).answer, undefined)
  const taken = parseAnswer(plain)
  assert.deepEqual([taken.answer?.status, taken.answer?.text(), taken.end], [201, 'hello', plain.length - 8])

  const chunked = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n')
  assert.equal(parseAnswer(chunked.subarray(0, -1)).answer, undefined)
  assert.equal(parseAnswer(chunked).answer?.text(), 'hello!')
})

test('growth is measured on every public read of the contract', () => {
  const texts = { title: 'A title', summary: 'What & why' }
  const named = { slug: 'a-slug', id: 'an-id', revision: 'a-revision', actor: 'an-actor', sequence: 9, record: 7 }
  const reads = readsOf([{ ...texts, ...named, tag: 'a tag', word: 'word' }])
  const measured = Object.keys(reads).map(read => read.split('?')[0])
  for (const { method, path, access, query } of Object.values(OPERATIONS)) {
    if (method !== 'GET' || access !== 'anyone' || /\/(?:stream|export)$/.test(path)) continue
    assert.ok(measured.includes(path), `${path} is not measured`)
    const { required = [] } = query as { required?: string[] }
    for (const [name, [address = '']] of Object.entries(reads)) {
      if (name.split('?')[0] !== path) continue
      for (const member of required) assert.ok(new URLSearchParams(address.split('?')[1]).has(member), address)
    }
  }
  for (const [address] of Object.values(reads)) assert.doesNotMatch(address ?? '{', /[{}]/)
  assert.deepEqual(reads['/api/entries/{slug}/revisions/{revisionId}'], ['/api/entries/a-slug/revisions/a-revision'])
  assert.deepEqual(reads['/api/search?tag'], ['/api/search?tag=a%20tag'])
  assert.deepEqual(reads['/api/similar?title&summary'], ['/api/similar?title=A+title&summary=What+%26+why'])
})
