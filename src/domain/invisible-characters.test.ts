import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesOf, plain } from './invisible-characters.js'

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
