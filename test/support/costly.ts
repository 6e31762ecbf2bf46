import { LIMITS } from '../../src/contract/limits.ts'

const ALL = LIMITS.contentCharacters
/** Maximum size of a content in a request body, in bytes of JSON. */
const BYTES = LIMITS.bodyBytes - 1_500

/** Cuts a text to the maximum size in one request. */
function fitting(text: string): string {
  let characters = [...text].slice(0, ALL)
  for (;;) {
    const cut = characters.join('')
    const bytes = Buffer.byteLength(JSON.stringify(cut))
    if (bytes <= BYTES) return cut
    characters = characters.slice(0, Math.floor((characters.length * BYTES) / bytes))
  }
}
/** Repeats a unit up to the maximum length of a content. */
const full = (unit: string): string => fitting(unit.repeat(Math.ceil(ALL / [...unit].length)))
const half = (first: string, second: string): string =>
  first.repeat(ALL / 2 / first.length) + second.repeat(ALL / 2 / second.length)

/** The costliest contents, by kind. Each fits into one request. */
export const COSTLY_CONTENTS: Readonly<Record<string, string>> = {
  'emphasis that never closes': full('*a '),
  'emphasis, strong and struck through': full('***a~~_b __c'),
  stars: full('*'),
  'underscores and stars in turn': full('*_'),
  'stars that open and others that close': half('*a', 'a**'),
  'nested quotes': full('>'),
  'nested quotes on many lines': full(`${'>'.repeat(99)}\n`),
  'nested lists': full('- '),
  'nested lists on many lines': full(`${'- '.repeat(39)}a\n`),
  'short items of a list': full('- a\n'),
  'items of a list with blank lines': full('- a\n\n'),
  'numbers of lists on many lines': full('1. a\n   - b\n'),
  'brackets that open': full('['),
  'a link of many lines': fitting(`[${'a\n'.repeat(9_980)}](b)`),
  'a link of code': fitting(`[${'`a` '.repeat(4_980)}](b)`),
  'short links': full('[a](b) '),
  'short code': full('`a` '),
  'links that never close': full('[a]('),
  'links in links': full('[![a](b)'),
  'links that open and brackets that close': half('[', ']'),
  'addresses in angles': full('<https://a '),
  'one address and its references': `[a]: /${'x'.repeat(400)}\n\n${full('[a] ').slice(0, ALL - 420)}`,
  'definitions of references': full('[a]: b\n'),
  'bare addresses': full('https://a.b '),
  'schemes without an end': full('http://'),
  'addresses of other scripts': full('http://ä.ö '),
  'addresses of mail': full('mailto:a@b '),
  'one long word': full('x'),
  'backticks of growing length': full(Array.from({ length: 200 }, (_, index) => `${'`'.repeat(index + 1)} `).join('')),
  'backticks that open': full('`a``'),
  fences: full('```\n'),
  'code with angle brackets to colour': full(
    `\`\`\`ts\n${`${'a<'.repeat(98)}\n${'a/['.repeat(60)}\n`.repeat(1)}${`${'/['.repeat(95)}\n`.repeat(12)}\`\`\`\n`,
  ),
  'code with keywords to colour': full(`\`\`\`js\n${'if 1 "" '.repeat(300).replace(/(.{190})/g, '$1\n')}\n\`\`\`\n`),
  'angles that open': full('<'),
  'tags that never close': full('<a b="'),
  comments: full('<!--'),
  'references of characters': full('&amp;'),
  'references that never close': full('&'),
  backslashes: full('\\'),
  'a table as wide as may be': fitting(`${'a|'.repeat(2_500)}\n${'-|'.repeat(2_500)}\n${'a\n'.repeat(5_000)}`),
  'tables below the bound of cells': fitting(
    `${'a|'.repeat(90)}\n${'-|'.repeat(90)}\n${'a\n'.repeat(100)}\n`.repeat(30),
  ),
  'small tables': full('a|b\n-|-\n1|2\n\n'),
  headings: full('# a\n'),
  'headings in a quote': full('> # a\n'),
  'paragraphs in a quote': full('> a\n>\n'),
  'lines under lines': full('a\n=\n'),
  'empty lines': fitting(`a${full('\n')}`),
  'invisible characters between others': full('\u200ba'),
  'invisible characters in a row': full('\u202e'),
  'joiners behind letters': full('a\u200d'),
  'directions between letters': full('a\u202eb\u2066c\u2069'),
  'selectors behind emoji': full('\u{1f468}\ufe0f\u200d\u{1f469}'),
  'joiners within letters that join': full('\u0628\u200c'),
  'letters with a mark each': full('e\u0301'),
  'a table of short cells': fitting(`a|b\n-|-\n${'1|2\n'.repeat(4_900)}`),
  'an open block of code of short lines': fitting(`\`\`\`\n${'a\n'.repeat(9_900)}`),
  'sentences of two letters': full('ab. '),
  'marks on one letter': full('e\u0301\u0302\u0303'),
}

/** Pseudo-random letters, the same in every run. */
function letterOf(index: number): string {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0
  return 'abcdefghijklmnopqrstuvwxyz'[(mixed >>> 16) % 26] ?? 'a'
}
const lines = (count: number, line: (index: number) => string): string =>
  fitting(Array.from({ length: count }, (_, index) => `${line(index)}\n`).join(''))
const words = (from: number): string => Array.from({ length: 10_000 }, (_, index) => letterOf(index + from)).join(' ')

/** 10,000 Chinese characters, each once, in the order of the multiples of a number. */
const signs = (step: number): string =>
  Array.from({ length: 10_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * step) % 10_000))).join('')

/** Pairs of contents that are costly to compare, by how they differ. */
export const COSTLY_DIFFERENCES: Readonly<Record<string, readonly [string, string]>> = {
  '10,000 lines that are all others': [lines(10_000, () => 'a'), lines(10_000, () => 'b')],
  '10,000 lines by chance': [lines(10_000, letterOf), lines(10_000, index => letterOf(index + 77_777))],
  '10,000 lines turned around': [lines(3_000, index => `${index}`), lines(3_000, index => `${2_999 - index}`)],
  'every other of 10,000 lines': [lines(10_000, () => 'a'), lines(10_000, index => 'ab'[index % 2] ?? '')],
  '10,000 words by chance': [words(0), words(77_777)],
  'words and no words': [full('a '), full('. ')],
  '10,000 signs in another order': [signs(1), signs(3_917)],
  'one long word': [full('x'), full('y')],
  'one word that grows': [full('x').slice(1), full('x')],
  'invisible characters': [full('a\u200b'), full('\u200bb')],
  'marks and directions': [full('e\u0301\u202e'), full('e\u0300\u202d')],
  'items of lists': [full('- a\n'), full('- b\n')],
  'rows of tables': [fitting(`a|b\n-|-\n${'1|2\n'.repeat(1_900)}`), fitting(`a|b\n-|-\n${'1|3\n'.repeat(1_900)}`)],
  'lines of code': [fitting(`\`\`\`\n${'a\n'.repeat(9_900)}`), fitting(`\`\`\`\n${'b\n'.repeat(9_900)}`)],
  'signs that are escaped': [full('&'), full('<')],
  addresses: [full('https://a.b '), full('https://a.c ')],
}
