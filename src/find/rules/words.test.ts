import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stem as stemOfEnglish } from 'porter2'
import snowball from 'snowball-stemmers'
import { FENCE, tagWord } from './terms.ts'
import { foldWord, indexedText, RecentWords, spelledIn, stemOf, type Term, termsOf, wordsOf } from './words.ts'

const unicode = fc.string({ unit: 'binary', maxLength: 40 })

test('compatible spellings are one: full width, ligatures, composed and decomposed', () => {
  assert.equal(foldWord('Ｆｏｘ'), 'fox')
  assert.equal(foldWord('ﬁne'), 'fine')
  assert.equal(foldWord('ｶﾞ'), foldWord('ガ'))
  fc.assert(fc.property(unicode, text => foldWord(text.normalize('NFD')) === foldWord(text.normalize('NFC'))))
})

test('words fold alike alone and in a text, whatever stands between them', () => {
  const ascii = fc.string({ unit: fc.constantFrom(...' .,-()\n'), minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(unicode, ascii, unicode, (one, between, other) => {
      assert.equal(foldWord(`${one}${between}${other}`), `${foldWord(one)}${between}${foldWord(other)}`)
    }),
    { numRuns: 2_000 },
  )
})

test('folding twice is folding once, for every character', () => {
  const broken: string[] = []
  for (let code = 0; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const once = foldWord(String.fromCodePoint(code))
    if (foldWord(once) !== once) broken.push(code.toString(16))
  }
  assert.deepEqual(broken, [])
})

test('folding twice is folding once, for texts', () => {
  fc.assert(fc.property(unicode, text => foldWord(foldWord(text)) === foldWord(text)))
})

test('upper and lower case of alphabets meet', () => {
  const broken: string[] = []
  for (let code = 0x41; code < 0x590; code++) {
    const letter = String.fromCodePoint(code)
    // Decomposed in one place and not in the other: neither is written today.
    if (letter === 'ŉ' || !/\p{L}/u.test(letter)) continue
    if (foldWord(letter.toUpperCase()) !== foldWord(letter)) broken.push(letter)
  }
  assert.deepEqual(broken, [])
})

test('folded words are shown as the text spells them', () => {
  const spelled = spelledIn('Новый сервер in Zürich, ＤＢ')
  assert.deepEqual(['новыи', 'сервер', 'zurich', 'db', 'other'].map(spelled), [
    'новый',
    'сервер',
    'zürich',
    'ｄｂ',
    'other',
  ])
})

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

test('of one long run the first 32 words count, and no cut word is a prefix', () => {
  const terms = termsOf('字'.repeat(200))
  assert.deepEqual(terms, [{ words: Array.from({ length: 32 }, () => '字'), prefix: false }])
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

const word = fc.stringMatching(/^[a-c0é漢]{1,3}$/u)
const gap = fc.constantFrom(' ', '. ', '-', '\n', ', "')

test('every word comes at least once, however many share its place, and each time once', () => {
  fc.assert(
    fc.property(fc.array(fc.array(word)), gap, (texts, between) => {
      const words = new RecentWords()
      const taken = texts.flatMap(text => {
        words.note(text.join(between))
        const fresh = words.take()
        assert.deepEqual(fresh, [...new Set(fresh)].sort())
        return fresh
      })
      assert.deepEqual([...new Set(taken)].sort(), [...new Set(texts.flat())].sort())
    }),
  )
})

test('a recently seen word is not new; a replaced one is new again', () => {
  const words = new RecentWords()
  const first = Array.from({ length: 500_000 }, (_, n) => `w${n}`)
  words.note(first.join(' '))
  assert.equal(words.take().length, first.length)
  words.note('w499999 another another')
  assert.deepEqual(words.take(), ['another'])
  words.note(first.slice(0, 1_000).join(' '))
  assert.ok(words.take().length > 500, 'most of those that came first are new again')
})

test('a word is not taken for one that it begins with, nor that begins with it', () => {
  const words = new RecentWords()
  const freshOf = (text: string): string[] => {
    words.note(text)
    return words.take()
  }
  const long = 'w'.repeat(200)
  assert.deepEqual(freshOf(`${long} ${long.slice(1)}`), [long.slice(1), long])
  assert.deepEqual(freshOf(`${long}x`), [`${long}x`])
  assert.deepEqual(freshOf(`${long.slice(1)} ${long}`), [])
})

test('one place stores two words; a third replaces the one that was seen less recently', () => {
  const words = new RecentWords(1)
  const freshOf = (...noted: string[]): string[] => {
    for (const one of noted) words.note(one)
    return words.take()
  }
  assert.deepEqual(freshOf('one', 'two', 'one', 'two', 'one'), ['one', 'two'])
  assert.deepEqual(freshOf('two', 'one'), [])
  assert.deepEqual(freshOf('three', 'one'), ['three'])
  assert.deepEqual(freshOf('two'), ['two'])
})
