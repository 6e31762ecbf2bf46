import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventParser, type StreamBlock } from '../../src/client/watch.ts'
import { seededRandom } from '../support/random.ts'

const parse = (...pieces: string[]): StreamBlock[] => {
  const parser = new EventParser()
  return pieces.flatMap(piece => parser.push(piece))
}
const block = (data: string | null, lastEventId = '', event = 'message'): StreamBlock => ({ event, data, lastEventId })

test('fields, comments and empty lines are parsed as the standard requires', () => {
  // The examples of WHATWG HTML 9.2.6.
  assert.deepEqual(parse('data: YHOO\ndata: +2\ndata: 10\n\n'), [block('YHOO\n+2\n10')])
  assert.deepEqual(
    parse(': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n'),
    [block(null), block('first event', '1'), block('second event'), block(' third event')],
  )
  assert.deepEqual(parse('data\n\ndata\ndata\n\ndata:'), [block(null), block('\n')])
  assert.deepEqual(parse('data:test\n\ndata: test\n\n'), [block('test'), block('test')])
  assert.deepEqual(parse('event: activity\nid: 7\ndata: {}\n\ndata: x\n\n'), [
    block('{}', '7', 'activity'),
    block('x', '7'),
  ])
})

test('an id without data is returned, an id with U+0000 and unknown fields are ignored', () => {
  assert.deepEqual(parse('id: 5\n\n'), [block(null, '5')])
  assert.deepEqual(parse('id: 5\nid: a\0b\nDATA: no\n data: no\nother: 1\ndata: yes\n\n'), [block('yes', '5')])
})

test('a reconnection time is accepted only as digits', () => {
  for (const [text, retry] of [
    ['retry: 1500\n', 1500],
    ['retry: -1\n', undefined],
    ['retry: 1.5\n', undefined],
    ['retry:\n', undefined],
    ['retry: 9999999999\n', undefined],
  ] as const) {
    const parser = new EventParser()
    parser.push(text)
    assert.equal(parser.retry(), retry, text)
  }
})

test('any division of a stream into pieces, and any kind of line end, has the same result', () => {
  const random = seededRandom('event stream')
  const lines = 'retry: 1/id: 1//: c/data: ä𝄞/id: 2/event: e///data: a/data: b//data: cut off'.split('/')
  const wanted = parse(lines.join('\n'))
  assert.equal(wanted.length, 4)
  for (let round = 0; round < 500; round += 1) {
    const pieces = piecesOf(random, endedAnyhow(random, lines))
    assert.deepEqual(parse(...pieces), wanted, `SEED=${random.seed} ${JSON.stringify(pieces)}`)
  }
})

type Random = ReturnType<typeof seededRandom>

/** The lines with ends of any kind between them; LF never follows CR by itself, which would be one end. */
function endedAnyhow(random: Random, [first = '', ...lines]: readonly string[]): string {
  let text = first
  for (const line of lines) text += random.pick(text.endsWith('\r') ? ['\r\n', '\r'] : ['\r\n', '\r', '\n']) + line
  return text
}

function piecesOf(random: Random, text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0)
    pieces.push(text.slice(at, at + 1 + random.below(8)))
  return pieces
}

test('a block without an end is refused before it fills the memory', () => {
  const endless = (piece: string) => {
    const parser = new EventParser()
    for (let sent = 0; sent < 3_000_000; sent += piece.length) parser.push(piece)
  }
  for (const piece of ['x'.repeat(10_000), `data: ${'x'.repeat(1_000)}\n`]) {
    assert.throws(() => endless(piece), { code: 'UNREADABLE_ANSWER' })
  }
  assert.equal(parse(`data: ${'x'.repeat(1_000_000)}\n\n`.repeat(2)).length, 2)
})
