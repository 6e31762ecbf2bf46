import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countNetwork, type TopicCount, unansweredTerms } from './unanswered.ts'

const missing = (...words: string[]) => ({ missing: words, weights: [] })
const wordsOf = (q: string, fit: Parameters<typeof unansweredTerms>[1]) =>
  unansweredTerms(q, fit).map(({ word }) => word)

test('the rarest words of a question are its topics: words that no entry has first, at most three', () => {
  const fit = { missing: ['zircon', 'basalt'], weights: [['polish', 2] as const, ['stone', 5] as const] }
  assert.deepEqual(wordsOf('How do I polish a stone of zircon or basalt?', fit), ['zircon', 'basalt', 'stone'])
  assert.deepEqual(wordsOf('nothing known', { missing: [], weights: [] }), [])
})

test('forms of a word are one topic', () => {
  const [one] = unansweredTerms('deploying', missing('deploying'))
  const [other] = unansweredTerms('deployed', missing('deployed'))
  assert.equal(one?.stem, other?.stem)
})

test('short names with digits and words of any script are topics', () => {
  for (const word of ['http2', 'k8s', 'привет', 'überlauf']) {
    const [found] = unansweredTerms(word, missing(word.normalize('NFKD').replaceAll(/\p{M}/gu, '').normalize('NFKC')))
    assert.ok(found, word)
  }
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
    assert.deepEqual(wordsOf(`help ${q} please`, missing(...words)), [], q)
  }
  const key = `-----BEGIN ${'PRIVATE'} KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n`
  assert.deepEqual(wordsOf(`zircon ${key}`, missing('zircon')), [])
})

test('the fifth network makes a topic public; a network or an actor counts once', () => {
  let topic: TopicCount = { voices: [], networks: 0, term: null }
  for (const voice of ['a', 'b', 'c', 'd']) topic = countNetwork(topic, [voice], 'zircon') ?? topic
  assert.deepEqual([topic.networks, topic.term], [4, null])
  assert.equal(countNetwork(topic, ['a'], 'zircon'), undefined)
  assert.equal(countNetwork(topic, ['e', 'b'], 'zircon'), undefined, 'the same actor from another network')
  const fifth = countNetwork(topic, ['e'], 'zircons')
  assert.deepEqual([fifth?.networks, fifth?.term], [5, 'zircons'])
  assert.equal(countNetwork(fifth as TopicCount, ['f'], 'other')?.term, 'zircons')
  assert.equal(countNetwork({ voices: [], networks: 20, term: 'zircon' }, ['z'], 'zircon'), undefined)
})
