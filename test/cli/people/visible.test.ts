import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visible, visibleJson, visibleLine } from '../../../src/cli/people/output.ts'
import { drivesTerminals, everyUnseen } from './unseen.ts'

test('every code point that a terminal obeys or hides is escaped, and no other', () => {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point)
    const shown = visibleLine(character)
    if (drivesTerminals(point)) {
      assert.equal(shown, `\\u{${point.toString(16)}}`)
      assert.equal(visible(character), point === 0x0a || point === 0x09 ? character : shown)
    } else if (
      /[\p{L}\p{N}\p{P}\p{S}\p{Zs}]/u.test(character) &&
      !/\p{Default_Ignorable_Code_Point}/u.test(character)
    ) {
      assert.equal(shown, character)
    }
  }
})

test('line breaks of files stay, and a lone carriage return is escaped', () => {
  assert.equal(visible('a\r\nb\rc\n'), 'a\nb\\u{d}c\n')
  assert.equal(visibleLine('a\r\nb\tc'), 'a\\u{d}\\u{a}b\\u{9}c')
})

test('JSON output has no invisible or control character, and parses to the same value', () => {
  const value = { [everyUnseen()]: [everyUnseen(), '"\\ 𝄞 é'], lone: '\ud800 \udfff' }
  const json = visibleJson(JSON.stringify(value))
  for (const character of json) assert.ok(!drivesTerminals(character.codePointAt(0) ?? 0), json)
  assert.deepEqual(JSON.parse(json), value)
})
