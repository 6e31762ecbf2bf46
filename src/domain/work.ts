import type { State, WorkKind } from '../contract/words.ts'

/** Which checks an entry waits for, by its standing alone; a CONFIRMED one is STALE once it was checked long ago. */
export type Due = 'DISPUTED' | 'ADDRESSED' | 'UNCHECKED' | 'CONFIRMED'

type Stands = { state: State; contradictions: readonly { addressedBy: number | null }[] }

/** What a check of an entry would settle. `null` is the standing of an entry without evidence. */
export function dueOf(standing: Stands | null): Due {
  if (standing === null) return 'UNCHECKED'
  if (standing.state === 'SUPPORTED') return 'CONFIRMED'
  if (standing.state === 'DISPUTED' || standing.state === 'CONTRADICTED') return 'DISPUTED'
  return standing.contradictions.some(({ addressedBy }) => addressedBy !== null) ? 'ADDRESSED' : 'UNCHECKED'
}

/** Days after its last check from which a confirmed text is STALE. */
const STALE_DAYS = 90
export const DAY = 86_400_000

/** An entry that waits for a check, with what its place depends on. Times in milliseconds since 1970; `readers` counts networks, each once a day. */
export type Waiting = { number: number; due: Due; contest: number; readers: number; confirmed_at: number | null }

/** The kind of check that an entry waits for; undefined where it was confirmed not long ago. */
export function kindOf({ due, confirmed_at }: Waiting, at: number): Exclude<WorkKind, 'UNANSWERED'> | undefined {
  if (due !== 'CONFIRMED') return due
  return confirmed_at !== null && confirmed_at < staleBefore(at) ? 'STALE' : undefined
}

/** A text that was confirmed before this time is STALE. */
export const staleBefore = (at: number): number => at - STALE_DAYS * DAY

/** What a check is worth: of contested entries by the voices on both sides, of stale ones days times readers, of others readers. */
function worthOf({ due, contest, readers, confirmed_at }: Waiting, at: number): number {
  if (due === 'DISPUTED') return contest
  return due === 'CONFIRMED' ? (at - (confirmed_at ?? at)) * (1 + readers) : readers
}

/** Entries of one kind, those that are worth most first; of like worth the newest. An entry that is named twice is listed once. */
export function byWorth<W extends Waiting>(waiting: readonly W[], at: number): W[] {
  const distinct = [...new Map(waiting.map(one => [one.number, one])).values()]
  return distinct.sort((a, b) => worthOf(b, at) - worthOf(a, at) || b.number - a.number)
}

/** Takes the first of each list, then the second of each, until there are `limit`. */
export function inTurn<T>(lists: readonly (readonly T[])[], limit: number): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap(list => list.slice(turn, turn + 1)))
  return turns.flat().slice(0, limit)
}
