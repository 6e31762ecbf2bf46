import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVERY_HIDDEN, namesOf } from './invisible-characters.js'
import { plain } from './plain.ts'

test('invisible characters are named in place, and those that belong to a script or a sign stay', () => {
  for (const [text, shown] of [
    ['a\u202eb', 'a[U+202E]b'],
    ['a\u200b\u2060\ufeffb', 'a[U+200B U+2060 U+FEFF]b'],
    ['\u001b[31m', '[U+001B][31m'],
    ['a\r\nb\tc\rd', 'a\nb\tc[U+000D]d'],
    ['\u{e0041}'.repeat(9), '[U+E0041 U+E0041 U+E0041 U+E0041 … 9 invisible characters]'],
    ['a\u200db', 'a[U+200D]b'],
    ['\u2764\ufe0f', '\u2764\ufe0f'],
    ['\u2764\ufe0f\ufe01\ufe02', '\u2764\ufe0f[U+FE01 U+FE02]'],
    [
      '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
      '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    ],
    ['\u{1f469}\u200d\u{1f52c}', '\u{1f469}\u200d\u{1f52c}'],
  ] as const) {
    assert.equal(plain(text), shown)
  }
  assert.equal(namesOf('\u0000'), 'U+0000')
})

test('every character that Unicode lets programs ignore is named where no script and no sign needs it', () => {
  let named = 0
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code)
    if (!/[\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u.test(character)) continue
    for (const text of [`a${character}b`, `字${character}字`, ` ${character}`, `😀${character}`, `я${character}.`]) {
      if (text.startsWith('😀') && /[\ufe0e\ufe0f]/.test(character)) continue
      assert.equal(plain(text), text.replace(character, `[${namesOf(character)}]`), JSON.stringify(text))
    }
    assert.equal(`a${character}`.replace(EVERY_HIDDEN, ''), 'a')
    named += 1
  }
  assert.ok(named > 4_000)
})

test('a script or a sign needs one invisible character in a place, and no second one', () => {
  for (const [text, shown] of [
    ['کار\u200cها', 'کار\u200cها'],
    ['کار\u200c\u200dها', 'کار[U+200C U+200D]ها'],
    ['کا\u200dر', 'کا[U+200D]ر'],
    ['ه\u200d.', 'ه\u200d.'],
    ['क्\u200dष', 'क्\u200dष'],
    ['क\u200dष', 'क[U+200D]ष'],
    ['র\u200d্য', 'র\u200d্য'],
    ['1\ufe0f\u20e3 1\ufe0f', '1\ufe0f\u20e3 1[U+FE0F]'],
    ['👍🏽 👩🏽\u200d🔬 🏳\ufe0f\u200d🌈', '👍🏽 👩🏽\u200d🔬 🏳\ufe0f\u200d🌈'],
    ['ᠤ\u180bᠨ ᠤ\u180b\u180c', 'ᠤ\u180bᠨ ᠤ\u180b[U+180C]'],
    ['⠓\u2800⠓ \u2800', '⠓\u2800⠓ [U+2800]'],
  ] as const) {
    assert.equal(plain(text), shown)
  }
})
