import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FENCE, indexedText, type Term, tagWord, termsOf, wordsOf } from './terms.ts'

const term = (words: string, prefix = false): Term => ({ words: words.split(' '), prefix })

/** The words of a field, each at most a thousand times. */
function indexedWords(field: string): string {
  const counts = new Map<string, number>()
  return wordsOf(field)
    .filter(word => {
      const count = (counts.get(word) ?? 0) + 1
      counts.set(word, count)
      return count <= 1_000
    })
    .join(' ')
}

/** Matches a term as an index does: its words next to each other, the last one a prefix if the term says so. */
function occurs({ words, prefix }: Term, text: string): boolean {
  const there = wordsOf(text)
  const last = words.length - 1
  return there.some((_, start) =>
    words.every((word, index) => {
      const found = there[start + index]
      return prefix && index === last ? found?.startsWith(word) === true : found === word
    }),
  )
}
const finds = (query: string, text: string): boolean => termsOf(query).every(one => occurs(one, text))

test('words are runs of letters, marks and digits, folded', () => {
  assert.deepEqual(wordsOf('The Quick-Brown fox, 42 times!'), ['the', 'quick', 'brown', 'fox', '42', 'times'])
  assert.deepEqual(wordsOf('हिन्दी में'), ['हिन्दी', 'में'])
  assert.deepEqual(wordsOf('C++ & "O\'Neil"'), ['c', 'o', 'neil'])
  assert.deepEqual(wordsOf('…—\u0301 \ue000 \ue001'), [])
})

test('a text that the index tokenises itself has the same words as the list', () => {
  const cut = (text: string): string => text.replace(/[^a-z0-9\u0080-\u{10ffff}]+/gu, ' ').trim()
  const field = fc.oneof(
    fc.string({ unit: 'grapheme-ascii' }),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('É', 'ﬁ', 'a', 'B', '7', '-', '\n', '東') }),
  )
  fc.assert(fc.property(field, text => assert.equal(cut(indexedText(text)), indexedWords(text))))
})

test('of one word of a field a thousand occurrences are indexed, of others all', () => {
  const words = indexedText(`${'Say it. '.repeat(1_500)}once`)
  assert.deepEqual([words.match(/say/g)?.length, words.match(/once/g)?.length], [1_000, 1])
})

test('characters of scripts without spaces come one by one, also next to others', () => {
  assert.deepEqual(wordsOf('東京tower2024年'), ['東', '京', 'tower2024', '年'])
  assert.deepEqual(wordsOf('ラーメン'), ['ラ', 'ー', 'メ', 'ン'])
})

test('terms: words, phrases, runs; the last loose word is a prefix from three characters on', () => {
  assert.deepEqual(termsOf('red fox'), [term('red'), term('fox', true)])
  assert.deepEqual(termsOf('red fo'), [term('red'), term('fo')])
  assert.deepEqual(termsOf('"red fox"'), [term('red fox')])
  assert.deepEqual(termsOf('fast “red fox” jumps'), [term('fast'), term('red fox'), term('jumps', true)])
  assert.deepEqual(termsOf('"red fox'), [term('red'), term('fox', true)])
  assert.deepEqual(termsOf('東京 tower'), [term('東 京'), term('tower', true)])
  assert.deepEqual(termsOf('東京'), [term('東 京')])
})

test('a query without any word asks for nothing', () => {
  for (const query of ['', '   ', '"', '""', '*', '- + ( )', '\u0301\u0301', '…']) {
    assert.deepEqual(termsOf(query), [], query)
  }
})

test('equal terms count once, and eight distinct ones at most', () => {
  assert.deepEqual(termsOf('fox Fox FOX "fox"'), [term('fox')])
  assert.deepEqual(termsOf('"fox" fox FOX'), [term('fox'), term('fox', true)])
  assert.deepEqual(
    termsOf('a b c a d e f g h i j').map(({ words }) => words.join(' ')),
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  )
})

test('of one long run the first 32 words count, and no cut word is a prefix', () => {
  const terms = termsOf('字'.repeat(200))
  assert.deepEqual(terms, [{ words: Array.from({ length: 32 }, () => '字'), prefix: false }])
})

test('a run of a script without spaces is found exactly where it is a substring', () => {
  const han = fc.string({ unit: fc.constantFrom('山', '川', '日', '本'), minLength: 1, maxLength: 12 })
  const short = fc.string({ unit: fc.constantFrom('山', '川', '日', '本'), minLength: 1, maxLength: 3 })
  fc.assert(fc.property(han, short, (text, query) => finds(query, text) === text.includes(query)))
})

test('a word matches whole words only, and prefixes if it is the last', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), word, (words, query) => {
      const expected = words.some(one => (query.length >= 3 ? one.startsWith(query) : one === query))
      return finds(query, words.join(' ')) === expected
    }),
  )
})

test('every text is found by its own words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
      const words = wordsOf(text).slice(0, 8)
      return (
        words.every(word => occurs({ words: [word], prefix: false }, text)) &&
        finds(text.slice(0, 20), text.slice(0, 20))
      )
    }),
  )
})

test('words and terms never contain syntax of the index', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
      const words = [...wordsOf(text), ...termsOf(text).flatMap(one => one.words)]
      return words.every(word => /^[\p{L}\p{M}\p{N}]+$/u.test(word))
    }),
  )
})

test('folding and splitting folded words again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
      const words = wordsOf(text)
      assert.deepEqual(wordsOf(words.join(' ')), words)
    }),
  )
})

test('a tag is one word, equal exactly when the tags are, and no text can contain it', () => {
  assert.equal(tagWord('Deep  Sea'), tagWord(' deep sea '))
  assert.notEqual(tagWord('deep sea'), tagWord('deep-sea'))
  assert.notEqual(tagWord('deep sea'), tagWord('deepsea'))
  assert.ok(tagWord('x').startsWith(FENCE))
  assert.deepEqual(wordsOf(tagWord('x')), ['x'])
})

const BOMBS: Record<string, string> = {
  'combining marks': `a${'\u0301'.repeat(19_999)}`,
  'marks of many classes': 'a\u0315\u0300\u05ae\u0062'.repeat(4_000),
  'marks in falling order': `a${['\u0345', '\u0315', '\u0301', '\u0327', '\u0334'].map(mark => mark.repeat(4_000)).join('')}`,
  'one script without spaces': '字'.repeat(20_000),
  'one long word': 'a'.repeat(20_000),
  'alternating scripts': 'a字'.repeat(10_000),
  quotes: '"a'.repeat(10_000),
  'quotes alone': '"'.repeat(20_000),
  spaces: ' '.repeat(20_000),
  'conjoining jamo': '\u1100\u1161\u11a8'.repeat(6_666),
  'characters that grow': '\ufdfa'.repeat(20_000),
}

test('no text of 20,000 characters takes more than 100 ms of the processor', () => {
  for (const [name, bomb] of Object.entries(BOMBS)) {
    const times = [1, 2, 3].map(() => {
      const began = process.cpuUsage()
      wordsOf(bomb)
      termsOf(bomb.slice(0, 200))
      return process.cpuUsage(began).user / 1_000
    })
    assert.ok(Math.min(...times) < 100, `${name}: ${Math.min(...times).toFixed(1)} ms`)
  }
})
