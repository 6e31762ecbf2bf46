import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stem as stemOfEnglish } from 'porter2'
import snowball from 'snowball-stemmers'
import { stemOf } from './stem.ts'

/** An upgrade of the stemmer must not change the ranking of what is indexed already. */
const reference = snowball.newStemmer('english')
const assertSame = (word: string): void => assert.equal(stemOfEnglish(word), reference.stem(word), word)

const BEGINNINGS =
  'gener commun arsen univers inn out cann herr earr proc exc succ skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes'
const SUFFIXES =
  's ies ied us ss sses eed eedly ing ingly ed edly y tional enci anci abli entli izer ization ational ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bli ogi fulli lessli li alize icate iciti ical ful ness ative al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize sion tion e l ll'

test('English words have the stems of Snowball', () => {
  const stems = 'connection connections connective connecting generously communities skis skies happily yearly sayings'
  assert.deepEqual(
    stems.split(' ').map(stemOfEnglish),
    'connect connect connect connect generous communiti ski sky happili year say'.split(' '),
  )
  for (const beginning of BEGINNINGS.split(' ')) {
    assertSame(beginning)
    for (const suffix of SUFFIXES.split(' ')) assertSame(beginning + suffix)
  }
})

test('any letters with any suffixes have the stem of Snowball', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzaeiouy'), maxLength: 8 })
  const beginning = fc.oneof({ weight: 6, arbitrary: letters }, fc.constantFrom(...BEGINNINGS.split(' ')))
  const suffixes = fc.array(fc.constantFrom(...SUFFIXES.split(' ')), { maxLength: 3 })
  const word = fc.tuple(beginning, suffixes).map(([head, tail]) => head + tail.join(''))
  fc.assert(
    fc.property(
      word.filter(({ length }) => length >= 3),
      assertSame,
    ),
    { numRuns: 20_000 },
  )
})

test('British and American spellings have one stem', () => {
  const pairs =
    'organise organize, organisations organizations, analysed analyzed, colours colors, favourite favorite, centres centers, dialogue dialog, licence license, defences defenses, travelling traveling, cancelled canceled, grey gray, programmes programs, mould mold'
  for (const pair of pairs.split(', ')) {
    const [british = '', american = ''] = pair.split(' ')
    assert.equal(stemOf(british), stemOf(american), pair)
  }
})

test('words of a to z have English stems, Cyrillic words Russian ones, and others stay', () => {
  assert.deepEqual(['indexes', 'кодировки', 'кодировку', 'x86', 'straße'].map(stemOf), [
    'index',
    'кодировк',
    'кодировк',
    'x86',
    'straße',
  ])
  assert.equal(stemOf('it'), 'it')
})

test('a word of 80,000 letters takes less than a second of the processor', () => {
  const began = process.threadCpuUsage()
  for (const part of ['anal', 'is', 'ys', 'our', 'll', 'ing', 'y']) stemOf(part.repeat(20_000))
  const { user, system } = process.threadCpuUsage(began)
  assert.ok(user + system < 1_000_000, `${user + system} µs`)
})
