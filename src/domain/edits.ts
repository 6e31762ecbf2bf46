const LATIN = 'abcdefghijklmnopqrstuvwxyz'
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщъыьэюя'
const GREEK = 'αβγδεζηθικλμνξοπρστυφχψω'

/** The letters that may be missing or wrong in a folded word. */
const lettersOf = (word: string): string =>
  [LATIN, CYRILLIC, GREEK].find(letters => [...word].some(letter => letters.includes(letter))) ?? ''

/** Every spelling that is one edit away from a word: a letter left out, put in, replaced, or two neighbours exchanged. */
export function spellingsNear(word: string): string[] {
  const letters = [...lettersOf(word)]
  const spellings = new Set<string>()
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    if (after.length > 0) spellings.add(before + after.slice(1))
    if (after.length > 1) spellings.add(`${before}${after[1]}${after[0]}${after.slice(2)}`)
    for (const letter of letters) {
      spellings.add(before + letter + after)
      if (after.length > 0) spellings.add(before + letter + after.slice(1))
    }
  }
  spellings.delete(word)
  return [...spellings]
}

/** Whether one word becomes another by at most `most` edits (Damerau-Levenshtein distance, optimal string alignment). */
export function isWithin(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most) return false
  let last: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      let cost = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + (same ? 0 : 1))
      const exchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (exchanged) cost = Math.min(cost, (last[j - 2] as number) + 1)
      next.push(cost)
    }
    if (Math.min(...next) > most) return false
    last = row
    row = next
  }
  return (row[other.length] as number) <= most
}
