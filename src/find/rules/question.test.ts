import assert from 'node:assert/strict'
import { test } from 'node:test'
import { questionsOf, unansweredPairs } from './question.ts'

const missing = (...words: string[]) => ({ missing: words, weights: [] })
const wordsOf = (q: string, fit: Parameters<typeof unansweredPairs>[1]) =>
  unansweredPairs(q, fit).map(({ words }) => words)

test('the rarest words of a question are its topics in pairs: words that no entry has first, at most four', () => {
  const weights = [['polish', 2] as const, ['stone', 5] as const, ['hand', 1] as const]
  const fit = { missing: ['zircon', 'basalt'], weights }
  assert.deepEqual(wordsOf('How do I polish a stone of zircon or basalt by hand?', fit), [
    'polish stone',
    'polish zircon',
    'polish basalt',
    'stone zircon',
    'stone basalt',
    'zircon basalt',
  ])
  assert.deepEqual(wordsOf('nothing known', { missing: [], weights: [] }), [])
  for (const q of ['zircon', 'zircon: error, fatal'])
    assert.deepEqual(wordsOf(q, missing('zircon', 'error', 'fatal')), [], 'one word is no topic')
})

test('forms of words in any order are one topic', () => {
  const [one] = unansweredPairs('deploying zircons', missing('deploying', 'zircons'))
  const [other] = unansweredPairs('zircon deployed', missing('deployed', 'zircon'))
  assert.equal(one?.stems, other?.stems)
})

test('short names with digits and words of any script are topics', () => {
  for (const word of ['http2', 'k8s', 'привет', 'überlauf']) {
    const folded = word.normalize('NFKD').replaceAll(/\p{M}/gu, '').normalize('NFKC')
    assert.equal(unansweredPairs(`${word} zircon`, missing(folded, 'zircon')).length, 1, word)
  }
})

test('pairs of a day whose words all came together are one question, with the least of their networks', () => {
  const day = '2026-11-21'
  const pair = (term: string, networks: number, on = day) => ({ day: on, term, networks })
  const pairs = [pair('litestream restore', 9), pair('restore wal', 7), pair('wal litestreams', 6), pair('wal size', 5)]
  assert.deepEqual(questionsOf([...pairs, pair('restore wal', 5, '2026-11-20')]), [
    pair('litestream restore wal', 6),
    pair('wal size', 5),
    pair('restore wal', 5, '2026-11-20'),
  ])
  const crossing = [pair('a b', 9), pair('c d', 8), pair('a c', 7), pair('b c', 6)]
  assert.deepEqual(questionsOf(crossing), [pair('a b c', 6), pair('c d', 8)], 'no word is lost')
  const inOrder = [pair('unseal key', 9), pair('vault unseals', 8), pair('vault keys', 7)]
  assert.deepEqual(questionsOf(inOrder), [pair('vault unseal key', 7)], 'words stand in the order in which they came')
})

test('secrets, addresses, paths, ids and numbers do not become topics', () => {
  for (const q of [
    'ada@example.org',
    'https://intranet.example/secret',
    'www.example.org',
    '/srv/ada/private',
    'C:\\Data\\ada',
    'password=hunter',
    '550e8400-e29b-41d4-a716-446655440000',
    'QKZAIOSFODNN7PASSAGE',
    'deadbeef00112233',
    '4111111111111111',
    '+49-170-1234567',
    'x'.repeat(25),
    '42',
    'ab',
  ]) {
    const words = q.toLowerCase().split(/[^\p{L}\p{N}]+/u)
    assert.deepEqual(wordsOf(`zircon ${q}`, missing('zircon', ...words)), [], q)
  }
  const key = `-----BEGIN ${'PRIVATE'} KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n`
  assert.deepEqual(wordsOf(`zircon ${key}`, missing('zircon')), [])
})
