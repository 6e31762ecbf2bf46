import { holdsSecret } from '../../memory/actors/rules.ts'
import { DERIVED } from './ranking.ts'
import { type RankingTerm, rankingTermsOf } from './terms.ts'
import { foldWord, STOP_WORDS, stemOf, UNSPACED } from './words.ts'

/**
 * A word of a query. `terms` are the terms by which it ranks entries, each with its weight in the query. If `name` is set, only entries
 * with that term have the word. An `optional` word adds weight to entries that have it, and does not count as missing otherwise.
 */
export type QueryWord = { word: string; terms: Map<string, number>; name: string | undefined; optional: boolean }

/** The maximum number of distinct terms of a query that are used: half of them from its end, where a stack trace often names the error. */
const QUERY_TERMS_MAX = 64

/** Words before the number of a line, of a column and of characters, in several languages. */
const PLACE_WORDS =
  'lines?|col(?:umn)?s?|char(?:acter)?s?|zeile|spalte|ligne|colonn[ae]|l[ií]nea|columna|linha|coluna|riga|строк[аеи]|столбец|столбце'
/** Numbers of lines and columns as compilers print them: two copies of one program differ in them. */
const PLACES = new RegExp(
  [
    // invoice.js:12:3 and "invoice.js":12, Makefile:12, invoice.hs:12:3-9, Invoice.java:[12,3]
    String.raw`(?<=\.[a-z]{1,6}["')\]]?|file):\[?\d+(?:[:,]\d+)?(?:-\d+)?(?![\w.])`,
    // invoice.ts(12,3): and invoice.cpp(12):, but not the argument of a call
    String.raw`(?<=\.[a-z]{1,6})\(\d+(?:,\d+)*(?=\) ?:)`,
    // 12:3 at the begin of a line, after the name of a file, or after the word at
    String.raw`(?<=^[ \t]{0,8}|\.[a-z]{1,6} |\bat )\d+:\d+(?:-\d+)?(?![\w.]|:\d)`,
    String.raw`(?<=(?<!\p{L})(?:${PLACE_WORDS}):? )\d+(?:[:-]\d+)?(?!\w)`,
    String.raw`(?<=第 ?)\d+(?= ?[行列])`,
  ].join('|'),
  'gimu',
)

/** Addresses, times, UUIDs and hashes: two copies of one message differ in them. */
const PARTICULARS =
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?(?!\w)|(?<![\w:])\d\d:\d\d:\d\d(?:[.,]\d+)?(?![\w:])|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{10,}\b/gi

/** The words of a query in order, each once. Stop words are left out; places and particulars are optional. */
export function queryWords(query: string): QueryWord[] {
  const words = new Map<string, QueryWord>()
  const places = (query.match(PLACES) ?? []).flatMap(place => place.match(/\d+/g) ?? [])
  const particulars = (query.match(PARTICULARS) ?? []).flatMap(rankingTermsOf).map(({ term }) => term)
  const optional = new Set([...places, ...particulars])
  const terms = rankingTermsOf(query)
  const lookedAt = termsLookedAt(terms)
  for (const { term, word, derived, role } of terms) {
    if (!lookedAt.has(term)) continue
    const known = words.get(word) ?? { word, terms: new Map<string, number>(), name: undefined, optional: true }
    words.set(word, known)
    const count = derived && role !== 'NAME' ? DERIVED : 1
    known.terms.set(term, (known.terms.get(term) ?? 0) + count)
    if (role === 'NAME') known.name = term
    if (role !== 'PAIR' && !optional.has(term)) known.optional = false
  }
  for (const code of codeTerms(query)) {
    // A code is a name, so it is not replaced by a similar word.
    for (const word of words.values()) if (word.terms.has(code)) word.name ??= code
  }
  return [...words.values()]
}

/** The distinct terms of a query, at most QUERY_TERMS_MAX: half of them from its end, the others from its beginning. */
function termsLookedAt(terms: readonly RankingTerm[]): ReadonlySet<string> {
  const distinct = new Set<string>()
  for (const { term } of terms) distinct.add(term)
  if (distinct.size <= QUERY_TERMS_MAX) return distinct
  const chosen = new Set<string>()
  for (const { term } of terms.toReversed()) if (chosen.size < QUERY_TERMS_MAX / 2) chosen.add(term)
  for (const term of distinct) if (chosen.size < QUERY_TERMS_MAX) chosen.add(term)
  return chosen
}

/**
 * The bound of `match * words^WORDS_POWER`, which an entry rarely reaches by chance. A message of an error without a code has the words of its
 * own entry, and entries about other errors of the same program reach more by chance (see ADR 0018 for the figures).
 */
const ANSWERABLE_FROM = 0.72
const MESSAGE_ANSWERABLE_FROM = 1.05
const WORDS_POWER = 0.65
/** An entry that has every word of the question needs this share of the match. */
const WHOLE_NEEDS = 0.75
/** A question with fewer words has the bound of a question with this many. */
const FEW_WORDS = 4

/** What stands before a message: a place, a time, the name of a program, and the word that marks a failure. */
const BEFORE_MESSAGE = /^.*(?:error|exception|fatal|panic|fehler|erreur|ошибка)(?![\p{L}_])[^:\n]{0,80}:\s/iu
/** The UTF-16 units of a line that may be the message of an error. A longer question has other words too, which its entry lacks. */
const MESSAGE_MAX = 400

/**
 * The `match` (0 to 1) from which the found entries are about a question of so many words, with a code of an error or without one. `whole`:
 * whether the first entry has all of the words. The score
 * that an entry reaches by chance grows slower with the words than the best possible score. Similar entries can pass even if the one that
 * answers the question is missing.
 */
export function answerableFrom(
  question: string,
  { words, isCoded, whole }: { words: number; isCoded: boolean; whole: boolean },
): number {
  const isMessage = !isCoded && question.length <= MESSAGE_MAX && BEFORE_MESSAGE.test(question)
  const least = (isMessage ? MESSAGE_ANSWERABLE_FROM : ANSWERABLE_FROM) * (whole ? WHOLE_NEEDS : 1)
  return least / Math.max(FEW_WORDS, words) ** WORDS_POWER
}

/**
 * Codes that programs print with an error: ERESOLVE: and "code ENOENT", "code E404"; ERR_OSSL_EVP_UNSUPPORTED and SQLITE_BUSY; TS2345,
 * E0502 and ORA-01555; an HRESULT or NTSTATUS that is a failure. An address of memory is none.
 */
const CODE =
  /(?<=\bcode:? ['"]?)E[A-Z\d]{3,}\b|\bE(?!RROR\b|XCEPTION\b)[A-Z]{4,}(?=[:\]])|(?<![\w-])(?:ERR|SQLITE|STATUS|CERT|UNABLE)(?:_[A-Z0-9]+)+\b|(?<![\w-])(?=[A-Z]{1,5}-?\d{4,6}(?![\w-]))[A-Z]{1,5}-?\d+|\b0x[8Cc]0[0-9A-Fa-f]{6}\b/g
/** The maximum number of codes of a question that are looked up. */
const CODES_MAX = 4

/** The term of each code of an error in a question. A code of more parts than a term has is left out. */
export const codeTerms = (query: string): string[] =>
  [...new Set(query.match(CODE))].slice(0, CODES_MAX).flatMap(code => {
    const terms = rankingTermsOf(code)
    const one = terms.find(({ role }) => role !== undefined) ?? terms[0]
    return one === undefined || (terms.length > 1 && one.role === undefined) ? [] : [one.term]
  })

/** The maximum number of lines of a pasted output that are searched for. Each costs a search. */
const LINES_MAX = 4
/** The UTF-16 units of an entry that are compared. */
const LOOKED_AT = 4_000
/** The maximum number of places of an entry that are compared with a line. Each takes some 20 µs. */
const COMPARED_MAX = 40
/** The weight of a stop word: messages differ in their other words. */
const STOP_WORD = 0.3
/** A line with less weight, and without a code, says too little to be compared. */
const WEIGHT_MIN = 1.5
/** The share of the weight of a line that an entry must have in one of its lines, and the other way round. */
const COVERED = 0.75
/** The same for two lines with the same code, whose texts may be cut. */
const CODED = 0.25

/** Words with which programs mark a failure, in several languages. */
const FAILURE =
  /error|exception|fatal|fail|panic|denied|refused|abort|unable|cannot|can't|could not|fehler|erreur|ошибка|エラー|错误|錯誤|오류|falha/i
/** Lines of tests that pass, of warnings and of stacks; they name failures too. */
const OTHER_LINE = /^\s*(?:ok \d|✓|√|at\s|File "|#\d+ )|\b(?:warn(?:ing)?|info|debug|notice|deprecat\w*)\b/i
/** Words that mark a failure in any message, and say nothing about this one. */
const MARKS: ReadonlySet<string> = new Set(
  'error err fatal fail failed failure exception npm fehler erreur ошибка'.split(' '),
)
/** What differs between two copies of one message: quoted names and masks, and words with the form of a path, a number or a name of code. */
const QUOTED =
  /"[^"\n]{0,200}"|`[^`\n]{0,200}`|[«»„“][^«»“”\n]{0,200}[«»“”]|(?<![\p{L}\p{N}])'[^'\n]{0,200}'(?!\p{L})|<[a-z]{1,20}>/gu
const NAME = /[\\/\d_]|\w\.[a-z]|[a-z][A-Z]|[A-Z][a-z]+[A-Z]/
const WORD = /[\p{L}\p{M}]+/gu
/** A control sequence of a terminal (ECMA-48). */
const ESCAPES = /\u001b\[[\d;?]*[ -/]*[@-~]/g

/** A line of an output: all of its words, the words that every copy of the message has, and its codes. `text` is searched for. */
type MessageLine = {
  text: string
  words: ReadonlySet<string>
  fixed: ReadonlySet<string>
  codes: readonly string[]
}

/**
 * The lines of a pasted output that may be the message of its failure, the likeliest first; undefined if it has none. A question of one line
 * is none: it is the message itself.
 */
export function messageLines(question: string): MessageLine[] | undefined {
  if (!question.trim().includes('\n')) return undefined
  const lines = [...new Set(question.replaceAll(ESCAPES, '').split(/[\r\n]+/))].reverse()
  const isFailure = (text: string): boolean => FAILURE.test(text) || codeTerms(text).length > 0
  const failures = lines.filter(text => isFailure(text) && !OTHER_LINE.test(text))
  if (failures.length === 0) return undefined
  return failures
    .map(lineOf)
    .filter(isTelling)
    .sort((a, b) => Number(b.codes.length > 0) - Number(a.codes.length > 0))
    .slice(0, LINES_MAX)
}

const isTelling = ({ fixed, codes }: MessageLine): boolean => codes.length > 0 || weightOf(fixed) >= WEIGHT_MIN

function weightOf(words: ReadonlySet<string>): number {
  let weight = 0
  for (const word of words) weight += STOP_WORDS.has(word) ? STOP_WORD : 1
  return weight
}

function lineOf(text: string): MessageLine {
  const cut = text.slice(0, MESSAGE_MAX)
  const codes = codeTerms(cut)
  const message = partOf(cut.replace(BEFORE_MESSAGE, ''))
  const isWhole = weightOf(message.fixed) < WEIGHT_MIN
  const { names, fixed, shown } = isWhole ? partOf(cut) : message
  return { text: [...codes, shown].join(' '), words: names, fixed, codes }
}

function partOf(text: string): { shown: string; names: ReadonlySet<string>; fixed: ReadonlySet<string> } {
  const shown = text.replaceAll(QUOTED, ' ').replaceAll(/[!-~]+/g, token => (NAME.test(token) ? ' ' : token))
  return { shown, names: wordsOf(text), fixed: wordsOf(shown) }
}

/** The words of a text without those that mark any failure. A script without spaces has pairs of characters. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const word of foldWord(text).match(WORD) ?? []) {
    if (!UNSPACED.test(word)) words.add(word)
    else for (const { term } of rankingTermsOf(word)) words.add(term)
  }
  for (const mark of MARKS) words.delete(mark)
  return words
}

/** The places of an entry that may quote a message: its title, its lines and sentences, and what stands in quotes of code. */
const placesIn = ({ title, content }: { title: string; content: string }): string[] => {
  const shown = content.slice(0, LOOKED_AT)
  return [
    title,
    ...shown.split(/\n|(?<=[.!?])\s/),
    ...(shown.match(/`[^`\n]{10,400}`/g) ?? []).map(code => code.slice(1, -1)),
  ]
}

/**
 * How well an entry quotes the message of a line, up to 3: with the same words and codes, whatever names and numbers stand between. An entry
 * with the same names quotes it better. 0 if it does not quote it.
 */
export function quotedIn(entry: { title: string; content: string }, line: MessageLine): number {
  // Most lines of an entry have none of them, and need not be cut into words.
  const telling = [...line.fixed].sort((a, b) => b.length - a.length).slice(0, 2)
  let best = 0
  let compared = 0
  for (const text of placesIn(entry)) {
    const folded = foldWord(text).replaceAll(/[_-]/g, '')
    if (![...telling, ...line.codes].some(word => folded.includes(word))) continue
    if (compared++ === COMPARED_MAX) break
    const place = lineOf(text)
    if (!isTelling(place) || !isSame(line, place)) continue
    best = Math.max(best, 2 * shareOf(line.fixed, place.fixed) + shareOf(line.words, place.words))
  }
  return best
}

/**
 * Returns how like a question the title of an entry is: the weight of their common words as a share of the greater weight, 0 to 1, whatever
 * names, paths and numbers stand between them. 0 for a question that is too long or too short to be compared.
 */
export function likenessTo(question: string): (title: string) => number {
  const { fixed } = lineOf(question)
  if (question.length > MESSAGE_MAX || weightOf(fixed) < WEIGHT_MIN) return () => 0
  return title => shareOf(fixed, lineOf(title).fixed)
}

function isSame(line: MessageLine, place: MessageLine): boolean {
  const isCoded = line.codes.length > 0 && place.codes.length > 0
  if (isCoded) return line.codes.some(code => place.codes.includes(code)) && shareOf(line.fixed, place.fixed) >= CODED
  return shareOf(line.fixed, place.fixed) >= COVERED
}

/** The weight of the common words of two texts, as a share of the greater weight. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0
  for (const word of one) if (other.has(word)) common += STOP_WORDS.has(word) ? STOP_WORD : 1
  return common / Math.max(weightOf(one), weightOf(other), 1)
}

/** The maximum number of words of an unanswered question whose pairs are counted: the rarest ones. */
const WORDS_MAX = 4
const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u
const LETTERS_MIN = 3
const LETTERS_MAX = 24
/** A short name with digits, such as http2 or k8s. A longer one may be a key or an identifier. */
const SHORT_NAME = /^(?=.*\p{L})[\p{L}\p{N}]{2,8}$/u
/** A longer piece of a question that has digits is skipped as a whole: it may be an id, a hash or a number. In characters. */
const NUMBERED_MAX = 12
const PIECE_MAX = 40
/** Addresses, paths and assignments. */
const PRIVATE = /[@\\=]|:\/\/|www\.|\/.*\/|^\/|^~/

/** Two words that came together in a question. `stems` identify the topic; `words` are spelled as folded, in the order of the question. */
export type WordPair = { stems: string; words: string }

/**
 * The pairs of words of a question that may become a public topic, without secrets, addresses, paths, ids and numbers: one word says too
 * little about what was asked, and may be a name. `missing` are the words that no entry has; `weights` has the rarity of the other terms.
 */
export function unansweredPairs(
  q: string,
  { missing, weights }: { missing: readonly string[]; weights: readonly (readonly [string, number])[] },
): WordPair[] {
  if (holdsSecret(q)) return []
  const rarity = new Map(weights)
  const absent = new Set(missing)
  const words = queryWords(q.split(/\s+/u).filter(isPublic).join(' '))
    .map(({ word }, at) => ({ at, word, stem: stemOf(word) }))
    .filter(({ word }) => isTopic(word) && !MARKS.has(word))
    .map(one => ({ ...one, rarity: absent.has(one.word) ? Number.POSITIVE_INFINITY : (rarity.get(one.stem) ?? 0) }))
    .filter(one => one.rarity > 0)
    .sort((a, b) => (a.rarity === b.rarity ? 0 : b.rarity - a.rarity))
    .slice(0, WORDS_MAX)
    .sort((a, b) => a.at - b.at)
  return words.flatMap((one, at) =>
    words
      .slice(at + 1)
      .filter(({ stem }) => stem !== one.stem)
      .map(other => ({ stems: [one.stem, other.stem].sort().join(' '), words: `${one.word} ${other.word}` })),
  )
}

/** A topic of a day: the words that came together, and the number of networks that asked. */
export type AskedWords = { day: string; term: string; networks: number }

/**
 * Puts public pairs together to likely questions, in the order of the pairs: a pair that shares a word with a question of its day adds its
 * other word, if that came together with each word of the question, behind the words that it followed. The least asked pair counts. No
 * caller needs to have asked all of it.
 */
export function questionsOf(pairs: readonly AskedWords[]): AskedWords[] {
  const stems = new Map<string, string>()
  const stem = (word: string): string => stems.get(word) ?? stems.set(word, stemOf(word)).get(word) ?? word
  const nameOf = (day: string, one: string, other: string): string =>
    `${day} ${[stem(one), stem(other)].sort().join(' ')}`
  const twoOf = ({ term }: AskedWords): [string, string] => [term.split(' ')[0] ?? '', term.split(' ')[1] ?? '']
  const asked = new Map(pairs.map(pair => [nameOf(pair.day, ...twoOf(pair)), pair]))
  const questions: { day: string; words: string[]; networks: number }[] = []
  for (const pair of pairs) {
    const { day, networks } = pair
    const has = (words: readonly string[], word: string): boolean => words.some(known => stem(known) === stem(word))
    const sharing = questions.filter(one => one.day === day && twoOf(pair).some(word => has(one.words, word)))
    if (sharing.some(({ words }) => twoOf(pair).every(word => has(words, word)))) continue
    const joined = sharing.some(question => {
      const word = twoOf(pair).find(one => !has(question.words, one)) ?? ''
      const together = question.words.flatMap(known => asked.get(nameOf(day, known, word)) ?? [])
      if (question.words.length === WORDS_MAX || together.length < question.words.length) return false
      const before = together.findLastIndex(one => stem(twoOf(one)[1]) === stem(word))
      question.words.splice(before + 1, 0, word)
      question.networks = Math.min(question.networks, ...together.map(one => one.networks))
      return true
    })
    if (!joined) questions.push({ day, words: [...twoOf(pair)], networks })
  }
  return questions.map(({ day, words, networks }) => ({ day, term: words.join(' '), networks }))
}

const isPublic = (piece: string): boolean =>
  piece.length <= PIECE_MAX && !PRIVATE.test(piece) && !(/\d/.test(piece) && piece.length > NUMBERED_MAX)

function isTopic(word: string): boolean {
  const { length } = [...word]
  if (LETTERS.test(word)) return length >= (UNSPACED.test(word) ? 2 : LETTERS_MIN) && length <= LETTERS_MAX
  return SHORT_NAME.test(word)
}

/** The stored state of a topic on a day: digests of the networks and actors that asked, and the words once enough networks did. */
export type TopicCount = { voices: readonly string[]; networks: number; term: string | null }

/** The networks of one day from which a topic is public, and at which counting stops. */
const TOPIC_NETWORKS = { public: 5, counted: 20 } as const

/**
 * Counts one more network that asked for a topic. Returns undefined if the network or its actor is counted already, or if counting has
 * stopped.
 */
export function countNetwork(topic: TopicCount, voices: readonly string[], words: string): TopicCount | undefined {
  if (topic.networks >= TOPIC_NETWORKS.counted || voices.some(one => topic.voices.includes(one))) return undefined
  const networks = topic.networks + 1
  const term = topic.term ?? (networks >= TOPIC_NETWORKS.public ? words : null)
  return { voices: [...topic.voices, ...voices], networks, term }
}
