import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldCase, foldWord, spelledIn } from './fold.ts'

const unicode = fc.string({ unit: 'binary', maxLength: 40 })

test('case is folded as in texts of people', () => {
  assert.equal(foldCase('STRASSE'), foldCase('straße'))
  assert.equal(foldCase('STRAẞE'), foldCase('straße'))
  assert.equal(foldCase('ΟΔΟΣ'), foldCase('οδος'))
  assert.equal(foldCase('οδος'), foldCase('οδοσ'))
  assert.equal(foldWord('Istanbul'), foldWord('ıstanbul'))
  assert.equal(foldWord('İstanbul'), foldWord('istanbul'))
})

test('accents are dropped if they only accent, and stay if they make another word', () => {
  assert.equal(foldWord('Éclair'), 'eclair')
  assert.equal(foldWord('Ελλάδα'), foldWord('Ελλαδα'))
  assert.equal(foldWord('ёлка'), foldWord('елка'))
  assert.equal(foldWord('שָׁלוֹם'), foldWord('שלום'))
  assert.equal(foldWord('مُحَمَّد'), foldWord('محمد'))
  assert.notEqual(foldWord('が'), foldWord('か'))
  assert.notEqual(foldWord('की'), foldWord('क'))
  assert.notEqual(foldWord('ที่'), foldWord('ท'))
})

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
