const LATIN = 'abcdefghijklmnopqrstuvwxyz'
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщъыьэюя'
const GREEK = 'αβγδεζηθικλμνξοπρστυφχψω'

/** The letters of the script of a folded word, with which its misspellings are made. */
const lettersOf = (word: string): string =>
  [LATIN, CYRILLIC, GREEK].find(letters => [...word].some(letter => letters.includes(letter))) ?? ''

/** Every spelling at a distance of one edit: a letter deleted, inserted or replaced, or two neighbours exchanged. */
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

/** Neighbours on keyboards, row by row. */
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю']
const VOWELS = 'aeiouyаеиоуыэюя'

/**
 * The relative likelihood of a typing error that is one edit away. Exchanged, doubled and missing letters, vowels and neighbouring keys are
 * frequent errors. Other letters are rare errors, and errors in the first letter rarer.
 */
export function likelihood(written: string, meant: string): number {
  let at = 0
  while (at < written.length && written[at] === meant[at]) at++
  const chance = kindOf(written, meant, at)
  return at === 0 ? chance * FIRST : chance
}

const FIRST = 0.3
const SELDOM = 0.3

function kindOf(written: string, meant: string, at: number): number {
  if (written.length < meant.length) return 1
  const [letter = '', other = ''] = [written[at], meant[at]]
  if (written.length > meant.length) return letter === written[at - 1] ? 1 : SELDOM
  if (letter === meant[at + 1] && written[at + 1] === other) return 1
  if (VOWELS.includes(letter) && VOWELS.includes(other)) return 1
  return areNeighbours(letter, other) ? 1 : SELDOM
}

function areNeighbours(a: string, b: string): boolean {
  const place = (letter: string) => {
    const row = ROWS.findIndex(letters => letters.includes(letter))
    return { row, column: ROWS[row]?.indexOf(letter) ?? Number.NaN }
  }
  const [one, other] = [place(a), place(b)]
  return one.row >= 0 && Math.abs(one.row - other.row) <= 1 && Math.abs(one.column - other.column) <= 1
}
