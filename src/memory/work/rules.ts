import { type Action, OWN_EVENTS, type OwnEvent, type State, type WorkKind } from '../../contract/vocabulary.ts'
import { DAY } from '../values.ts'

/** The check that an entry needs, by its standing alone. A CONFIRMED entry becomes STALE when its last check is STALE_DAYS old. */
export type Due = 'DISPUTED' | 'ANSWERED' | 'UNCHECKED' | 'CONFIRMED'

const DUE: Partial<Record<State, Due>> = {
  SUPPORTED: 'CONFIRMED',
  ANSWERED: 'ANSWERED',
  DISPUTED: 'DISPUTED',
  CONTRADICTED: 'DISPUTED',
}

/** The check that an entry needs. `null` is the standing of an entry without evidence. */
export const dueOf = (standing: { state: State } | null): Due =>
  standing === null ? 'UNCHECKED' : (DUE[standing.state] ?? 'UNCHECKED')

/** The age of the last check, in days, from which a confirmed text is STALE. */
const STALE_DAYS = 90

/** A kind of check that the standing of an entry asks for. */
export type Kind = Exclude<WorkKind, 'UNANSWERED' | 'MINE'>

/** A write of an actor about a revision of an entry. */
export type OwnWrite = { action: Action; entry: number; revision: number }

/** The event that an actor should see first. */
export const byUrgency = (events: readonly OwnEvent[]): OwnEvent | undefined =>
  OWN_EVENTS.find(one => events.includes(one))

/**
 * An entry that needs a check, with the values that determine its priority. Times are milliseconds since 1970. `readers` counts networks,
 * each once a day.
 */
export type Waiting = { number: number; due: Due; contest: number; readers: number; confirmed_at: number | null }

/** The kind of check that an entry needs; undefined if it was confirmed recently. */
export function kindOf({ due, confirmed_at }: Waiting, at: number): Kind | undefined {
  if (due !== 'CONFIRMED') return due
  return confirmed_at !== null && confirmed_at < staleBefore(at) ? 'STALE' : undefined
}

/** A text that was confirmed before this time is STALE. */
export const staleBefore = (at: number): number => at - STALE_DAYS * DAY

/** The priority of a check: for contested entries the voices on both sides, for stale ones days times readers, for others the readers. */
function priorityOf({ due, contest, readers, confirmed_at }: Waiting, at: number): number {
  if (due === 'DISPUTED') return contest
  return due === 'CONFIRMED' ? (at - (confirmed_at ?? at)) * (1 + readers) : readers
}

/** Sorts entries of one kind by priority, then the newest first. An entry that occurs twice is listed once. */
export function byPriority<W extends Waiting>(waiting: readonly W[], at: number): W[] {
  const distinct = [...new Map(waiting.map(one => [one.number, one])).values()]
  return distinct.sort((a, b) => priorityOf(b, at) - priorityOf(a, at) || b.number - a.number)
}

/** Takes the first of each list, then the second of each, until there are `limit`. */
export function inTurn<T>(lists: readonly (readonly T[])[], limit: number): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap(list => list.slice(turn, turn + 1)))
  return turns.flat().slice(0, limit)
}
