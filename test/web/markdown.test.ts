import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from 'sugar-high/lang'
import { isModest } from '../../src/memory/markdown-parser.ts'
import { atOnce } from '../../src/web/browser/difference.js'
import { layeredMarkup } from '../../src/web/entry/layered-text.ts'
import type { Html } from '../../src/web/html.ts'
import { COLOURS_MAX, colouredCode } from '../../src/web/parts/code.ts'
import { createMarkdown, markup, type Section } from '../../src/web/parts/markdown.ts'
import { COSTLY_CONTENTS } from '../support/costly.ts'

const headings = (content: string): string =>
  [...markup(content).markup.matchAll(/<h(\d)>.*<\/h(\d)>/g)].map(([, open, close]) => `${open}${close}`).join(' ')

test('headings of a content are below that of the page, one level at a time, for any first level', () => {
  assert.equal(headings('# A\n\n## B\n\n## C\n\n# D'), '22 33 33 22')
  assert.equal(headings('## A\n\n## B\n\n### C\n\n## D'), '22 22 33 22')
  assert.equal(headings('#### A\n\n###### B\n\n# C\n\n### D'), '22 33 22 33')
  assert.equal(headings('> ### A\n\nB\n=\n\nC\n-'), '22 22 33')
  assert.equal(headings([1, 2, 3, 4, 5, 6].map(depth => `${'#'.repeat(depth)} x`).join('\n')), '22 33 44 55 66 66')
})

test('a link within a link is one link, and a link without text shows its address', () => {
  const inside = markup('[![seen](https://a.example/i.png)](https://b.example/) after').markup
  assert.equal(inside.match(/<a /g)?.length, 1)
  assert.match(inside, /href="https:\/\/b\.example\/".*image<\/span> seen.*<\/a> after/)
  assert.match(markup('[](/entries/other)').markup, /<a href="\/entries\/other"[^>]*>\/entries\/other<\/a>/)
  assert.match(markup('[![](https://a.example/i.png)](/x)').markup, /image<\/span> https:\/\/a\.example\/i\.png<\/a>/)
  assert.match(markup('![a [b](/c) d](/e)').markup, /<a href="\/e"[^>]*>(?:(?!<a ).)*<\/a>/)
  // Many links reach the limit of addresses. Their words stay, and every opened link is closed.
  const many = markup(`[l]: /${'x'.repeat(1_900)}\n\n${'[l] '.repeat(100)}`).markup
  assert.equal(many.match(/<a /g)?.length, many.match(/<\/a>/g)?.length)
  assert.equal(many.match(/>l</g)?.length, 100)
})

const markupWithSections = (content: string) => {
  const sections: Section[] = []
  return { content: markup(content, { sections }), sections }
}
const idsOf = (content: string): string[] => markupWithSections(content).sections.map(({ id }) => id)

test('headings get unique ids from their words, and none that the page itself uses', () => {
  assert.deepEqual(idsOf('# main\n\n## site-q\n\n# main\n\n# main-2\n\n# `main` *2*'), [
    'section-main',
    'section-site-q',
    'section-main-2',
    'section-main-2-2',
    'section-main-2-3',
  ])
  assert.deepEqual(idsOf('# الأدلة\n\n# 概要\n\n# "><b id=x>\n\n# \u202e'), [
    'section-الأدلة',
    'section-概要',
    'section-b-id-x',
    'section-',
  ])
  const many = idsOf(Array.from({ length: 2_000 }, (_, n) => `# a ${n % 7}\n# a\n`).join(''))
  assert.equal(new Set(many).size, 4_000)
  assert.ok(idsOf(`# ${'long '.repeat(200)}`).every(id => id.length < 80))
})

test('a link to a part of the page leads to a heading of the content, never to a part of the page itself', () => {
  const { content } = markupWithSections('# Set up\n\n[a](#set-up) [b](#main) [c](#%E6%A6%82)')
  assert.deepEqual(
    [...content.markup.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href),
    ['#section-set-up', '#section-main', '#section-概'],
  )
  assert.doesNotMatch(markup('# a').markup, / id=|class="anchor"/)
})

test('the first headings of a text have a link to themselves', () => {
  const { content } = markupWithSections('# Set *up*\n\n'.repeat(150))
  const anchors = [
    ...content.markup.matchAll(/<em>up<\/em> <a class="anchor" href="#([^"]*)" aria-label="[^"]+">#<\/a><\/h2>/g),
  ]
  assert.equal(anchors.length, 100)
  assert.deepEqual(
    anchors.slice(0, 2).map(([, id]) => id),
    ['section-set-up', 'section-set-up-2'],
  )
})

test('a task of a list is shown with a disabled checkbox, and brackets elsewhere stay as they are written', () => {
  const tasks = markup('- [ ] Fill *it*\n- [x] Heat it\n- [X]\n- [link]\n\n[ ] No list\n').markup
  const [open, done] = ['disabled aria-label="To do">', 'disabled checked aria-label="Done">']
  assert.ok(tasks.includes(`<li class="task"><input type="checkbox" ${open} Fill <em>it</em></li>`))
  assert.ok(tasks.includes(`<li class="task"><input type="checkbox" ${done} Heat it</li>`))
  assert.match(tasks, /<li>\[X\]<\/li>\n<li>\[link\]<\/li>/)
  assert.match(tasks, /<p>\[ \] No list<\/p>/)
  assert.match(markup('- [x] a\n\n[x]: /y').markup, /<li><a href="\/y"[^>]*>x<\/a> a<\/li>/)
})

test('the columns of a table are aligned by classes, without styles that the content security policy refuses', async () => {
  const table = '| a | b | c | d |\n|:--|:-:|--:|---|\n| 1 | 2 | 3 | 4 |'
  const cells = (text: string): string[] => text.match(/<t[hd]\b[^>]*>/g) ?? []
  const unmarked = { noted: (_part: number, words: Html) => words, unnoted: (_part: number, words: Html) => words }
  const aligned = ['th class="left"', 'th class="center"', 'th class="right"', 'th', 'td class="left"']
  for (const text of [markup(table).markup, atOnce(layeredMarkup(table, [table.length], unmarked)).markup]) {
    assert.deepEqual(
      cells(text).slice(0, 5),
      aligned.map(cell => `<${cell}>`),
    )
    assert.doesNotMatch(text, /style=/)
  }
})

test('a text that is rendered in steps looks as if it were rendered at once', () => {
  for (const [name, content] of Object.entries(COSTLY_CONTENTS).filter(([, content]) => isModest(content))) {
    assert.equal(markup(content).markup, createMarkdown().render(content, { addresses: 0, open: [] }), name)
  }
})

test('a table or list of the usual size is shown as one, and one of thousands of parts as text', () => {
  const rows = (count: number): string => `a|b|c|d|e\n-|-|-|-|-\n${'11|22|33|44|55\n'.repeat(count)}`
  assert.match(markup(`${rows(700)}\n${'A line of words.\n'.repeat(400)}`).markup, /<td>55<\/td>/)
  assert.doesNotMatch(markup(rows(900)).markup, /<td>/)
  assert.match(markup('- an item\n'.repeat(1_800)).markup, /<li>an item<\/li>/)
  assert.doesNotMatch(markup(`${'- - - - - a\n'.repeat(500)}`).markup, /<li>/)
})

test('an outermost block has a bounded number of tokens, because it is read at once', () => {
  const markdown = createMarkdown()
  for (const [name, content] of Object.entries(COSTLY_CONTENTS).filter(([, content]) => isModest(content))) {
    let [tokens, most] = [0, 0]
    for (const { level, nesting } of markdown.parse(content, { addresses: 0, open: [] })) {
      tokens += 1
      if (level > 0 || nesting > 0) continue
      most = Math.max(most, tokens)
      tokens = 0
    }
    assert.ok(most <= 17_000, `${name}: ${most}`)
  }
})

test('a text of marks of emphasis is shown as it is written', () => {
  assert.match(markup('*a* '.repeat(1_000)).markup, /<em>a<\/em>/)
  assert.doesNotMatch(markup('*_'.repeat(10_000)).markup, /<em>|<strong>/)
})

const textOf = (text: string): string =>
  text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

test('code that names its language is coloured, and its text stays the same', () => {
  const code = 'const a = "<b>" // why\nlet n = 10\n'
  const shown = markup(`\`\`\`js\n${code}\`\`\`\n`).markup
  for (const part of ['<i class="k">const</i>', '<i class="s">&quot;&lt;b&gt;&quot;</i>', '<i class="c">// why']) {
    assert.ok(shown.includes(part), `${part} in ${shown}`)
  }
  assert.equal(textOf(shown), `${code}\n`)
  for (const info of ['', 'unknown', '__proto__'])
    assert.doesNotMatch(markup(`\`\`\`${info}\n${code}\`\`\`\n`).markup, /<i/)
  assert.doesNotMatch(markup('```js\nlet a = "\u202e"\n```\n').markup, /<i/)
  assert.doesNotMatch(markup(`\`\`\`js\n${code}\`\`\`\n`, { isPlain: true }).markup, /<i/)
})

test('the colours of a text have at most 3,000 bytes, and the first blocks get them', () => {
  const blocks = '```js\nlet a = 1; let b = "2" // c\n```\n\n'.repeat(200)
  const added = markup(blocks).markup.length - markup(blocks, { isPlain: true }).markup.length
  assert.ok(added > 2_500 && added <= 3_000, `${added} bytes`)
})

test('the text of any coloured code is its source', () => {
  const units = [
    'a',
    ' ',
    '\n',
    '"',
    "'",
    '`',
    '/',
    '*',
    '<',
    '>',
    '</',
    '<a ',
    '{',
    '}',
    '${',
    '(',
    '[',
    '\\',
    '#',
    '--',
    ':',
    '=',
    '1',
    '1e',
    'é',
    '\t',
    '<!--',
    '&',
    'if ',
  ]
  for (const { id } of languages) {
    for (const unit of units) {
      for (const other of units) {
        const code = `${unit}${other}x${other}${unit}`.repeat(4)
        const shown = colouredCode(code, id, COLOURS_MAX)?.markup ?? ''
        if (shown !== '') assert.equal(textOf(shown), code, `${id} ${JSON.stringify(code)}`)
      }
    }
  }
})
