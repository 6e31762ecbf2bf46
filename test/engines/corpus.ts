import type { seededRandom } from '../support/random.ts'

type Random = ReturnType<typeof seededRandom>
export type Text = { title: string; summary: string; content: string; tags: string[] }

/** Words of many scripts that are hard to search: accents, case, signs, marks, no spaces, more than one form. */
const WORDS = [
  ...[
    'fox',
    'Foxes',
    'foxglove',
    'river',
    'Rivers',
    'run',
    'running',
    'the',
    'of',
    'and',
    'a',
    'data',
    'database',
    'DATABASES',
  ],
  ...[
    'c++',
    'c#',
    'C',
    'f#',
    '.net',
    'node.js',
    'key=value',
    'a/b',
    '3.14',
    '2026',
    '20',
    'x²',
    '½',
    'R&D',
    'e-mail',
    "don't",
  ],
  ...[
    'café',
    'cafe\u0301',
    'CAFE',
    'naïve',
    'Ångström',
    '\u212bngström',
    'Straße',
    'STRASSE',
    'İstanbul',
    'ısı',
    'œuvre',
    'ﬁnd',
  ],
  ...['Σίσυφος', 'ΣΊΣΥΦΟΣ', 'λόγος', 'ΛΟΓΟΣ', 'ёлка', 'елка', 'Йога', 'МОСКВА', 'Москва'],
  ...[
    '日本語',
    '日本',
    '東京都',
    '京都',
    '検索エンジン',
    'データベース',
    'ﾃﾞｰﾀ',
    'か\u3099',
    'が',
    'カフェ',
    '中文搜索',
    '数据库',
    '한국어',
    '데이터',
  ],
  ...['ภาษาไทย', 'กรุงเทพ', 'ພາສາລາວ', 'ភាសាខ្មែរ', 'မြန်မာ', 'བོད་ཡིག'],
  ...['مُحَمَّد', 'محمد', 'قاعدة', 'بيانات', 'שָׁלוֹם', 'שלום', 'हिन्दी', 'हिंदी', 'डेटाबेस', 'தமிழ்'],
  ...[
    'GPT4',
    'gpt-4',
    'sha256',
    'foo_bar',
    'fooBar',
    '𝔘𝔫𝔦𝔠𝔬𝔡𝔢',
    '𐐨𐐩',
    '😀',
    '👩‍🚀',
    'foo日本bar',
    '日本2026年',
    'Ⅻ',
    '٣',
    'zero\u200bwidth',
    'soft\u00adhyphen',
  ],
]
const TAGS = [
  'sea',
  'Deep Sea',
  'deep sea',
  'Straße',
  'STRASSE',
  '日本',
  'Σας',
  'ΣΑΣ',
  'fox',
  'c',
  '-',
  'é',
  'e\u0301',
  'fox-glove',
]
const GAPS = [' ', ' ', ' ', ', ', '. ', ' - ', '\n', ' "', '" ', '  ']

const someWords = (random: Random, most: number): string[] =>
  Array.from({ length: 1 + random.below(most) }, () => random.pick(WORDS))
const join = (random: Random, words: readonly string[]): string =>
  words.reduce((text, word) => `${text}${random.pick(GAPS)}${word}`)

export const someText = (random: Random): Text => ({
  title: join(random, someWords(random, 5)),
  summary: join(random, someWords(random, 6)),
  content: join(random, someWords(random, 20)),
  tags: Array.from({ length: random.below(4) }, () => random.pick(TAGS)),
})

const plain = (word: string): string => word.normalize('NFKD').replaceAll(/\p{M}/gu, '')
/** How people write a word that they look for. */
const SPELLINGS: readonly ((word: string, random: Random) => string)[] = [
  word => word,
  word => word,
  word => word.toUpperCase(),
  word => word.toLowerCase(),
  word => word.normalize('NFD'),
  word => word.normalize('NFKC'),
  plain,
  (word, random) => [...word].slice(0, 1 + random.below([...word].length)).join(''),
  (word, random) => [...word].slice(random.below([...word].length)).join(''),
  word => `"${word}"`,
  word => `+${word}*`,
]

/** A query that mostly finds something: a few words of one text, some as a phrase, often not spelled as there. */
export function someQuery(random: Random, { title, summary, content, tags }: Text): { q: string; tag: string } {
  const words =
    [title, summary, content, tags.join(' ')][random.below(4)]?.split(/[\s"]+/).filter(word => word !== '') ?? []
  const from = random.below(words.length)
  const word = (): string => random.pick(SPELLINGS)(random.pick(words.length === 0 ? WORDS : words), random)
  const shapes: (() => string)[] = [
    word,
    word,
    () => `${word()} ${word()}`,
    () => `${word()} ${word()} ${word()}`,
    () => `"${words.slice(from, from + 2 + random.below(3)).join(' ')}"`,
    () => `"${words.slice(from, from + 2).join(' ')}" ${word()}`,
    () => words.slice(from, from + 3).join(' '),
    () => random.pick(WORDS),
  ]
  const tag = random.below(4) > 0 ? '' : random.pick(random.below(3) > 0 && tags.length > 0 ? tags : TAGS)
  return { q: [...random.pick(shapes)()].slice(0, 200).join(''), tag }
}
