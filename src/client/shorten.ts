/** Maximum lengths of q in code points: for `searchEntries` and `listEntries`, then for `findEntries`. */
const SEARCH_CHARACTERS = 200
const FIND_CHARACTERS = 2_000
/** Maximum length of a name in code points. A longer word is a path or encoded data, which is less specific. */
const NAME_CHARACTERS = 40

/** Shortens the q of an operation to the maximum that the service accepts. */
export const acceptedQ = (operation: string, q: string): string =>
  shortened(q, operation === 'findEntries' ? FIND_CHARACTERS : SEARCH_CHARACTERS)

/**
 * Shortens a question to at most `characters` code points. Selects names first (a letter next to a digit, a capital or a mark inside:
 * `ECONNREFUSED`, `getUserName`, `E0382`, `pg_isready`), then longer words. Returns the selected words in their order, each once, without
 * quotation marks.
 */
export function shortened(q: string, characters: number): string {
  if (q.length <= characters || sizeOf(q) <= characters) return q
  const words = [...new Set(q.replaceAll('"', ' ').split(/\s+/).filter(Boolean))]
  const ranked = words
    .map((word, place) => ({ word, place, size: sizeOf(word), weight: weightOf(word) }))
    .sort((one, other) => other.weight - one.weight || one.place - other.place)
  let left = characters + 1
  const taken = ranked.filter(({ size }) => {
    if (size + 1 > left) return false
    left -= size + 1
    return true
  })
  if (taken.length === 0) return [...(words[0] ?? '')].slice(0, characters).join('')
  return taken
    .sort((one, other) => one.place - other.place)
    .map(({ word }) => word)
    .join(' ')
}

const sizeOf = (text: string): number => [...text].length

function weightOf(word: string): number {
  const size = sizeOf(word)
  if (size > NAME_CHARACTERS) return 0
  return size + (isName(word) ? NAME_CHARACTERS : 0)
}

const isName = (word: string): boolean =>
  /\p{L}/u.test(word) && (/\p{N}/u.test(word) || /[\p{L}\p{N}][\p{Lu}_.:#/\\$@=-]+[\p{L}\p{N}]/u.test(word))
