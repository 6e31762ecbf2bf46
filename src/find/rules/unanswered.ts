import { holdsSecret } from '../../memory/idempotency/rules.ts'
import { MARKS } from './messages.ts'
import { queryWords } from './ranking.ts'
import { stemOf } from './stem.ts'
import { isUnspaced } from './terms.ts'

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
 * other word, if that came together with each word of the question. The least asked pair counts. No caller needs to have asked all of it.
 */
export function questionsOf(pairs: readonly AskedWords[]): AskedWords[] {
  const stems = new Map<string, string>()
  const stem = (word: string): string => stems.get(word) ?? stems.set(word, stemOf(word)).get(word) ?? word
  const nameOf = (day: string, one: string, other: string): string =>
    `${day} ${[stem(one), stem(other)].sort().join(' ')}`
  const twoOf = ({ term }: AskedWords): [string, string] => [term.split(' ')[0] ?? '', term.split(' ')[1] ?? '']
  const asked = new Map(pairs.map(pair => [nameOf(pair.day, ...twoOf(pair)), pair.networks]))
  const questions: { day: string; words: string[]; networks: number }[] = []
  for (const pair of pairs) {
    const { day, networks } = pair
    const has = (words: readonly string[], word: string): boolean => words.some(known => stem(known) === stem(word))
    const sharing = questions.filter(one => one.day === day && twoOf(pair).some(word => has(one.words, word)))
    if (sharing.some(({ words }) => twoOf(pair).every(word => has(words, word)))) continue
    const joined = sharing.some(question => {
      const word = twoOf(pair).find(one => !has(question.words, one)) ?? ''
      const together = question.words.map(known => asked.get(nameOf(day, known, word)) ?? 0)
      if (question.words.length === WORDS_MAX || together.includes(0)) return false
      question.words.push(word)
      question.networks = Math.min(question.networks, ...together)
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
  if (LETTERS.test(word)) return length >= (isUnspaced(word) ? 2 : LETTERS_MIN) && length <= LETTERS_MAX
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
