import type { ChangeAction } from '../../contract/vocabulary.ts'

/** The key of a change: of a write, or of the withdrawal or restoration of an entry, which has no actor. */
export type ChangeKey = {
  sequence: number
  action: ChangeAction
  actor: number | null
  entry: number | null
  /** The target entry of a relation. */
  target: number | null
  /** False if the change is skipped. */
  shown: boolean
}

/** A change matches if it fits every member that is set. A relation fits both of its entries. */
export type ChangeFilter = {
  entries?: ReadonlySet<number>
  actors?: ReadonlySet<number>
  actions?: ReadonlySet<string>
}

export function isChosen({ entries, actors, actions }: ChangeFilter, key: ChangeKey): boolean {
  if (!key.shown) return false
  if (actions !== undefined && !actions.has(key.action)) return false
  if (actors !== undefined && (key.actor === null || !actors.has(key.actor))) return false
  return (
    entries === undefined ||
    (key.entry !== null && entries.has(key.entry)) ||
    (key.target !== null && entries.has(key.target))
  )
}

/** Keys above a sequence in ascending order. `whole`: the run includes every key up to the newest sequence. */
export type Run<K extends ChangeKey> = { keys: readonly K[]; whole: boolean }

/**
 * Merges runs, each read from another index, into one page. `keys` are the chosen keys in ascending order, at most `limit`. `place` is the
 * sequence up to which the page is complete, at most `newest`.
 */
export function pageOfRuns<K extends ChangeKey>(
  runs: readonly Run<K>[],
  filter: ChangeFilter,
  { limit, newest }: { limit: number; newest: number },
): { keys: K[]; place: number } {
  const ends = runs.filter(({ whole }) => !whole).map(({ keys }) => keys.at(-1)?.sequence ?? 0)
  const horizon = Math.min(newest, ...ends)
  const found = new Map<number, K>()
  for (const key of runs.flatMap(({ keys }) => keys)) {
    if (key.sequence <= horizon && isChosen(filter, key)) found.set(key.sequence, key)
  }
  const chosen = [...found.values()].sort((a, b) => a.sequence - b.sequence)
  const keys = chosen.slice(0, limit)
  return { keys, place: chosen.length > limit ? (keys.at(-1)?.sequence ?? horizon) : horizon }
}
