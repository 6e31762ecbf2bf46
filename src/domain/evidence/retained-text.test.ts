import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measurerOf, RETAINED_FROM, type Text, wordingOf } from './retained-text.ts'

const text = (content: string, title = 'A title', summary = 'A summary'): Text => ({ title, summary, content })
const retainedShare = (judged: Text, current: Text): number => measurerOf(wordingOf(current))(wordingOf(judged))
const words = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `word${n + from}`)
const prose = (count: number, from = 0): Text => text(words(count, from).join(' '))

test('a text is fully retained in itself, and in texts with another layout, case, signs, accents or invisible characters', () => {
  const judged = text('Restart the server, then wait 30 seconds.')
  for (const other of [
    'Restart the server, then wait 30 seconds.',
    '  restart   the SERVER\nthen: wait 30 sec\u00adonds ',
    'Restart the s\u200berver — then wait 30 seconds!',
    'Restárt the server, then wait 30 sеconds.',
  ]) {
    assert.equal(wordingOf(text(other)).digest, wordingOf(judged).digest, other)
    assert.equal(retainedShare(judged, text(other)), 1, other)
  }
})

test('a micro sign and a small mu are one letter, which is not an m', () => {
  const judged = wordingOf(text('Take 5 \u00b5g.')).digest
  assert.equal(wordingOf(text('Take 5 \u03bcg.')).digest, judged)
  assert.notEqual(wordingOf(text('Take 5 mg.')).digest, judged)
})

test('each exchanged word takes its own share and no more', () => {
  const changed = words(96).map((word, n) => (n % 20 === 10 ? 'other' : word))
  assert.equal(retainedShare(prose(96), text(changed.join(' '))), 0.95)
})

test('added text in any place does not lower the share', () => {
  const judged = prose(200)
  const added = words(200).flatMap((word, n) => (n % 3 === 0 ? [word, 'and', 'more', 'besides'] : [word]))
  assert.equal(retainedShare(judged, text(added.join(' '))), 1)
  assert.equal(retainedShare(judged, text(`${words(3_000, 1_000).join(' ')}\n\n${judged.content}\n\nThe end.`)), 1)
})

test('moved paragraphs lower the share by very little, so reordering does not remove a contradiction', () => {
  const parts = [0, 1, 2, 3].map(part => words(50, part * 50).join(' '))
  const moved = text([...parts].reverse().join('\n\n'))
  assert.ok(retainedShare(text(parts.join('\n\n')), moved) >= RETAINED_FROM)
})

test('the same words in another order are another text, without confirmations', () => {
  const heap = words(200).sort((a, b) => (a.split('').reverse().join('') < b.split('').reverse().join('') ? -1 : 1))
  assert.ok(retainedShare(prose(200), text(heap.join(' '))) < 0.1)
})

test('words that stood in two places are retained only in as many places', () => {
  const copied = text(words(50).join(' '), 'A title', words(50).join(' '))
  assert.equal(retainedShare(copied, text(words(50, 100).join(' '), 'A title', words(50).join(' '))), 0.509)
  assert.equal(retainedShare(copied, text(words(50).join(' '), 'A title', words(50, 100).join(' '))), 0.509)
  assert.equal(retainedShare(text('x', 'x', 'x'), text('y', 'x', 'x')), 0.666)
  assert.equal(retainedShare(text('x', 'x', 'x'), text('x x x', 'x', 'x')), 1)
})

test('rewriting a tenth of the words makes another text', () => {
  const rewritten = (share: number): Text =>
    text(
      words(1_000)
        .map((word, n) => (n % 100 < share ? `new${n}` : word))
        .join(' '),
    )
  assert.ok(retainedShare(prose(1_000), rewritten(9)) >= RETAINED_FROM)
  assert.ok(retainedShare(prose(1_000), rewritten(11)) < RETAINED_FROM)
})

test('a text cut in two keeps its share', () => {
  assert.equal(retainedShare(text(words(100).join(' '), 't', 's'), text(words(49).join(' '), 't', 's')), 0.5)
  assert.equal(retainedShare(text(words(49).join(' '), 't', 's'), text(words(100).join(' '), 't', 's')), 1)
})

test('texts without spaces, of one word and of signs only have a share too', () => {
  assert.equal(
    retainedShare(text('データベースの検索', '検索', '要約'), text('データベースの検索', '検索', '要約。')),
    1,
  )
  assert.ok(
    retainedShare(text('データベースの検索エンジン', '検索', '要約'), text('全く違う内容です', '検索', '要約')) < 0.5,
  )
  assert.equal(retainedShare(text('—', '?', '!'), text('—', '?', '!')), 1)
  assert.equal(retainedShare(text('—', '?', '!'), text('…', '?', '!')), 0)
  assert.equal(retainedShare(text('yes', '?', '!'), text('no', '?', '!')), 0)
  assert.equal(retainedShare(text('yes', '?', '!'), text('no, but: yes', '?', '!')), 1)
})
