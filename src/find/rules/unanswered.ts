import { holdsSecret } from '../../memory/idempotency/rules.ts'
import { queryWords } from './ranking.ts'
import { stemOf } from './stem.ts'
import { isUnspaced } from './terms.ts'

/** The maximum number of words of an unanswered question that are counted: the rarest ones. */
const TERMS_MAX = 3
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

/** A word of a question. `stem` identifies its topic; `word` is its folded spelling. */
export type UnansweredTerm = { stem: string; word: string }

/**
 * The words of a question that may become a public topic, rarest first, without secrets, addresses, paths, ids and numbers. `missing` are
 * the words that no entry has; `weights` has the rarity of the other terms.
 */
export function unansweredTerms(
  q: string,
  { missing, weights }: { missing: readonly string[]; weights: readonly (readonly [string, number])[] },
): UnansweredTerm[] {
  if (holdsSecret(q)) return []
  const rarity = new Map(weights)
  const absent = new Set(missing)
  return queryWords(q.split(/\s+/u).filter(isPublic).join(' '))
    .map(({ word }) => ({ word, stem: stemOf(word) }))
    .filter(({ word }) => isTopic(word))
    .map(term => ({ term, rarity: absent.has(term.word) ? Number.POSITIVE_INFINITY : (rarity.get(term.stem) ?? 0) }))
    .filter(one => one.rarity > 0)
    .sort((a, b) => (a.rarity === b.rarity ? 0 : b.rarity - a.rarity))
    .slice(0, TERMS_MAX)
    .map(({ term }) => term)
}

const isPublic = (piece: string): boolean =>
  piece.length <= PIECE_MAX && !PRIVATE.test(piece) && !(/\d/.test(piece) && piece.length > NUMBERED_MAX)

function isTopic(word: string): boolean {
  const { length } = [...word]
  if (LETTERS.test(word)) return length >= (isUnspaced(word) ? 2 : LETTERS_MIN) && length <= LETTERS_MAX
  return SHORT_NAME.test(word)
}

/** The stored state of a topic on a day: digests of the networks and actors that asked, and the word once enough networks did. */
export type TopicCount = { voices: readonly string[]; networks: number; term: string | null }

/** The networks of one day from which a topic is public, and at which counting stops. */
const TOPIC_NETWORKS = { public: 5, counted: 20 } as const

/**
 * Counts one more network that asked for a topic. Returns undefined if the network or its actor is counted already, or if counting has
 * stopped.
 */
export function countNetwork(topic: TopicCount, voices: readonly string[], word: string): TopicCount | undefined {
  if (topic.networks >= TOPIC_NETWORKS.counted || voices.some(one => topic.voices.includes(one))) return undefined
  const networks = topic.networks + 1
  const term = topic.term ?? (networks >= TOPIC_NETWORKS.public ? word : null)
  return { voices: [...topic.voices, ...voices], networks, term }
}
