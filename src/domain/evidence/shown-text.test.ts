import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownText } from './shown-text.ts'

const linesOf = (content: string): string[] =>
  shownText(content)
    .split('\n')
    .filter(line => line.trim() !== '')

test('only what the page shows is read', () => {
  for (const [content, lines] of [
    ['Plain text, 2 lines:\nas they are.', ['Plain text, 2 lines:', 'as they are.']],
    ['W**at**er &#38; _ice_ \\* `a  b`', ['Water & ice * a  b']],
    ['[shown](https://e.example/hidden "hidden") ![alt](/hidden)', ['shown alt']],
    ['[](https://e.example/shown)', ['https://e.example/shown']],
    ['[shown][hidden]\n\n[hidden]: https://e.example "hidden"', ['shown']],
    ['```hidden words\nshown\n```', ['shown']],
    ['| a |\n|---|\n| b | hidden |', ['a', 'b']],
    ['1. *one*\n2. two\n\n- three', ['1 one', '2 two', ' three']],
    ['Kept ~~struck **out**~~ too', ['Kept  too']],
    ['<!-- shown --> <b>shown</b>', ['<!-- shown --> <b>shown</b>']],
  ] as const) {
    assert.deepEqual(linesOf(content), lines, content)
  }
})
