import { randomBytes } from 'node:crypto'
import { plain } from '../domain/invisible-characters.js'
import { fenceOf } from '../guide/fence.ts'
import { type Memory, writersOf } from './wording.ts'

const MARK_BYTES = 12

/**
 * Fences untrusted text between two lines that carry a random marker. Text that was written earlier cannot contain the marker, so it cannot
 * end the fence and pose as the service. Each of `rows` becomes a line of JSON; `text` is last and is not escaped.
 */
export function fenced(memory: Memory, rows: readonly object[], text?: string): string {
  const mark = randomBytes(MARK_BYTES).toString('hex')
  return fenceOf(mark, writersOf(memory), [
    ...rows.map(row => JSON.stringify(row)),
    ...(text === undefined ? [] : ['content:', plain(text)]),
  ])
}

/** Fences one text of several lines. */
export const fencedText = (memory: Memory, text: string): string =>
  fenceOf(randomBytes(MARK_BYTES).toString('hex'), writersOf(memory), plain(text).split('\n'))

const sizeOf = (text: string): number => Buffer.byteLength(text)
const sizeAsText = (text: string): number => sizeOf(plain(text))
export const sizeInJson = (text: string): number => sizeOf(JSON.stringify(plain(text)))

/** The longest prefix of a text that takes at most `bytes` in the answer, in whole characters. `sizeShown` measures the answer. */
export function beginningOf(text: string, bytes: number, sizeShown = sizeAsText): string {
  if (sizeShown(text) <= bytes) return text
  const characters: string[] = []
  let size = 0
  for (const character of text) {
    size += sizeOf(character)
    if (size > bytes) break
    characters.push(character)
  }
  let kept = characters
  while (kept.length > 0 && sizeShown(kept.join('')) > bytes) kept = kept.slice(0, Math.floor(kept.length * 0.9))
  return kept.join('')
}

/** A short untrusted text as a member of a row: invisible characters named, cut to about `bytes`. */
export function member(text: string, bytes: number): string {
  const kept = beginningOf(text, bytes, sizeInJson)
  return kept === text ? plain(text) : `${plain(kept)}…`
}
