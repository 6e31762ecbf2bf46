import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../src/web/browser/difference.js'
import { layeredMarkup } from '../../src/web/entry/layered-text.ts'
import { type Html, html } from '../../src/web/html.ts'
import { markup } from '../../src/web/parts/markdown.ts'
import { columnOf } from '../support/client.ts'
import { piecesOf } from '../support/pieces.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

type Run = { part: number; words: string; noted: boolean }

/** The pieces of a content, its markup with a mark around each run, and the runs as text. */
function layersOf(content: string): { pieces: string[]; text: string; runs: Run[] } {
  const pieces = piecesOf(content)
  let end = 0
  const ends = pieces.map(piece => {
    end += piece.length
    return end
  })
  const work = layeredMarkup(content, ends, {
    noted: (part, words) => html`<i class="${part}">${words}</i>`,
    unnoted: (part, words) => html`<i class="${part} open">${words}</i>`,
  })
  const { markup: text } = atOnce(work)
  const runs = [...text.matchAll(/<i class="(\d+)( open)?">([\s\S]*?)<\/i>/g)].map(([, part, open, words = '']) => ({
    part: Number(part),
    words: wordsOf(words),
    noted: open === undefined,
  }))
  return { pieces, text, runs }
}

const wordsOf = (text: string): string =>
  text
    .replace(/<span class="unshown"> \(leaves this site\)<\/span>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const withoutBlank = (text: string): string => text.replace(/\s/g, '')

test('a text without parts is shown whole', () => {
  const show = (_part: number, words: Html): Html => words
  const { markup: text } = atOnce(layeredMarkup('Some words.', [], { noted: show, unnoted: show }))
  assert.equal(wordsOf(text).trim(), 'Some words.')
})

test('Markdown is rendered, and each run of words names the sentence that it belongs to', () => {
  const { text, runs } = layersOf(
    '# One\n\nTwo *is. Three* is `four. five`.\n\n- six\n- seven\n\n```sh\neight\nnine\n```\n',
  )
  assert.match(text, /<h2><i class="0">One<\/i><\/h2>/)
  assert.match(text, /<i class="1">Two <em>is\.<\/em><\/i> <i class="2"><em>Three<\/em> is <code>four\. <\/code><\/i>/)
  assert.match(text, /<ul>\n<li><i class="4">six<\/i><\/li>/)
  assert.match(text, /<pre tabindex="0"><code><i class="7">eight<\/i>\n<i class="8">nine<\/i>\n<\/code><\/pre>/)
  assert.deepEqual(
    runs.map(({ part, words }) => `${part} ${words}`),
    ['0 One', '1 Two is.', '2 Three is four. ', '3 five.', '4 six', '5 seven', '7 eight', '8 nine'],
  )
})

test('the cells of a row share the note of its last cell with words', () => {
  const { text, runs } = layersOf('| a | b | c |\n|--|--|--|\n| x\\|y | z |\n')
  assert.match(text, /<th><i class="0 open">a<\/i><\/th>/)
  assert.deepEqual(
    runs.map(({ part, words, noted }) => [part, words, noted]),
    [
      [0, 'a', false],
      [0, 'b', false],
      [0, 'c', true],
      [2, 'x|y', false],
      [2, 'z', true],
    ],
  )
})

test('a link that two sentences share leads to its address from both, and a definition of an address is shown', () => {
  const { text, runs } = layersOf('See [one. Two][x].\n\n[x]: https://a.example/ "A title. More"\n')
  assert.equal(text.match(/<a href="https:\/\/a\.example\/" rel="nofollow ugc noopener noreferrer"/g)?.length, 2)
  assert.deepEqual(columnOf(runs, 'words'), ['See one.', 'Two.', '[x]: https://a.example/ "A title.', 'More"'])
})

test('the words of random texts are those of the entry page, and each belongs to the sentence that has it', t => {
  t.diagnostic(`SEED=${seed}`)
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const between =
    '. |! |\n|\n\n| |, |*|**|_|`|``|~~|[|](/x)|](<b c> "t. u")|![|\n- |\n- [ ] |\n1. [x] |\n1. |\n> |\n# |\n\t|  \n|\\\n|\n```\n|\n| |\r\n|\n    |&amp;|&nbsp; |\\*|\\||。|"|) |(|<|https://e.example/|<https://e.example/>|\n===\n|\n|a|b|\n|--|--|\n| | '
      .split('|')
      .concat('|', ' | ', '\n| ', '\n|--|--|\n')
  for (let round = 0; round < 600; round++) {
    let content = ''
    for (let word = 0; word < 24; word++) content += `w${word}x${between[below(between.length)] ?? ''}`
    const about = `SEED=${seed} round ${round}: ${JSON.stringify(content)}`
    const { pieces, text, runs } = layersOf(content)
    assert.equal(withoutBlank(wordsOf(text)), withoutBlank(wordsOf(markup(content).markup)), about)
    for (const { part, words } of runs)
      for (const [word] of words.matchAll(/w\d+x/g))
        assert.ok(pieces[part]?.includes(word), `${word} in ${part}, ${about}`)
  }
})

test('a hostile text of many parts within many elements has a bounded size and no markup of its own', () => {
  const deep = '*a **b '.repeat(49)
  const many = `${deep}${'c. '.repeat(6_000)}${' **c*'.repeat(49)}`.slice(0, 20_000)
  const { text } = layersOf(`${many}<script>x</script>`)
  assert.ok(text.length < 1_000_000, `${text.length}`)
  assert.doesNotMatch(text, /<script/)
  assert.equal(text.match(/<em>/g)?.length, text.match(/<\/em>/g)?.length)
})
