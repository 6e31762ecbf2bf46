import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf } from '../../../test/support/pieces.ts'

const CASES: [string, string[]][] = [
  ['One. Two! Three? Four', ['One. ', 'Two! ', 'Three? ', 'Four']],
  ['Use v1.2.3 of foo.bar() now.', ['Use v1.2.3 of foo.bar() now.']],
  ['He said "no." Then (really!) yes.', ['He said "no." ', 'Then (really!) ', 'yes.']],
  ['1. Stop it. Wait.\n2. Start it.\n', ['1. Stop it. ', 'Wait.\n', '2. Start it.\n']],
  ['- red\n- green\n\n- blue', ['- red\n', '- green\n\n', '- blue']],
  ['if (x) {\n  return 1\n\n  y()', ['if (x) {\n', '  return 1\n\n', '  y()']],
  ['こんにちは。世界！？「はい。」いいえ', ['こんにちは。', '世界！？', '「はい。」', 'いいえ']],
  ['مرحبا؟ نعم. لا', ['مرحبا؟ ', 'نعم. ', 'لا']],
  ['नमस्ते। दुनिया।', ['नमस्ते। ', 'दुनिया।']],
  ['Ends here.\r\nBegins here.', ['Ends here.\r\n', 'Begins here.']],
  ['   ', ['   ']],
  ['', []],
]

test('texts are cut after sentences and lines, in prose, lists, code and scripts of several kinds', () => {
  for (const [text, pieces] of CASES) assert.deepEqual(piecesOf(text), pieces, JSON.stringify(text))
})

test('the pieces of a hostile text are as long as three characters at least, and together the text', () => {
  for (const unit of ['a. ', '.', '\n', '。', '! ', '"', '"。', ' .', '1. ', 'x\n', '👍. ']) {
    const text = unit.repeat(20_000 / unit.length)
    const pieces = piecesOf(text)
    assert.equal(pieces.join(''), text)
    assert.ok(pieces.length <= text.length / 2 + 1, `${JSON.stringify(unit)}: ${pieces.length}`)
    assert.ok(pieces.every(piece => piece.isWellFormed()))
  }
})
