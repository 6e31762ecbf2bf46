import { foldWord } from './fold.ts'
import { BEFORE_MESSAGE, codeTerms, MESSAGE_MAX } from './ranking.ts'
import { rankingTermsOf } from './ranking-terms.ts'
import { isStopWord } from './stem.ts'
import { isUnspaced } from './terms.ts'

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
export const MARKS: ReadonlySet<string> = new Set(
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
export type MessageLine = {
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

const weightOf = (words: ReadonlySet<string>): number =>
  words.values().reduce((sum, word) => sum + (isStopWord(word) ? STOP_WORD : 1), 0)

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
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (foldWord(text).match(WORD) ?? [])
      .flatMap(word => (isUnspaced(word) ? rankingTermsOf(word).map(({ term }) => term) : [word]))
      .filter(word => !MARKS.has(word)),
  )

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

function isSame(line: MessageLine, place: MessageLine): boolean {
  const isCoded = line.codes.length > 0 && place.codes.length > 0
  if (isCoded) return line.codes.some(code => place.codes.includes(code)) && shareOf(line.fixed, place.fixed) >= CODED
  return shareOf(line.fixed, place.fixed) >= COVERED
}

/** The weight of the common words of two texts, as a share of the greater weight. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = new Set(one.values().filter(word => other.has(word)))
  return weightOf(common) / Math.max(weightOf(one), weightOf(other), 1)
}
