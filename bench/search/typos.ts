import { pick, seeded } from '../numbers.ts'
import type { Question } from './collection.ts'

const MOST = 200
const SEED = 7
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const WORD = /\b[a-z]{5,}\b/g

/** Exchanges one letter with the next, omits, doubles or replaces it. Never changes the first letter. */
function misspelt(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2))
  const head = word.slice(0, at)
  const [letter = '', next = ''] = word.slice(at)
  const forms = [
    `${head}${next}${letter}${word.slice(at + 2)}`,
    `${head}${word.slice(at + 1)}`,
    `${head}${letter}${word.slice(at)}`,
    `${head}${pick(random, [...LETTERS])}${word.slice(at + 1)}`,
  ]
  const changed = forms.filter(form => form !== word)
  return pick(random, changed)
}

/** Repeats the first questions, each with one typing error in one of its longer words. The errors are the same in every run. */
export function withTypos(questions: Question[]): Question[] {
  const random = seeded(SEED)
  return questions.slice(0, MOST).flatMap(question => {
    const words = [...question.text.matchAll(WORD)]
    if (words.length === 0) return []
    const { 0: word, index } = pick(random, words)
    const text = `${question.text.slice(0, index)}${misspelt(word, random)}${question.text.slice(index + word.length)}`
    return [{ ...question, id: `${question.id}-typo`, kind: 'typo' as const, text, twin: question.id }]
  })
}
