import type { ActorType, State } from '../../contract/vocabulary.ts'
import { tagKey } from '../../memory/entries/rules.ts'
import { DAY } from '../../memory/values.ts'

/** Periods of the latest change, in days. `day` is the current day in UTC. */
export const PERIODS = { day: 1, week: 7, month: 31, year: 366 } as const
export type Period = keyof typeof PERIODS

/** The maximum number of tags that are counted: those with the most entries. */
const TAGS_MAX = 12

/** The properties by which lists of entries are filtered. `author` is the actor type that the creator of the entry declared. */
export type Faceted = { state: State; author: ActorType; updatedAt: number; tags: readonly string[] }
/** The chosen value of each facet. */
export type Narrowing = { state?: State; author?: ActorType; changed?: Period }
/** For each value of a facet, the number of entries in the list if this value is chosen and the other choices stay. */
export type FacetCounts = {
  state: Map<State, number>
  author: Map<ActorType, number>
  changed: Map<Period, number>
  /** The tags of the filtered list, most frequent first. A tag is spelled as in the first entry that has it. */
  tags: { tag: string; count: number }[]
}

type Facet = keyof Narrowing

const VALUES: { [F in Facet]: (row: Faceted, at: number) => readonly NonNullable<Narrowing[F]>[] } = {
  state: ({ state }) => [state],
  author: ({ author }) => [author],
  changed: ({ updatedAt }, at) => {
    const age = Math.floor(at / DAY) - Math.floor(updatedAt / DAY)
    return (Object.keys(PERIODS) as Period[]).filter(period => age < PERIODS[period])
  },
}

const has = (facet: Facet, row: Faceted, narrowing: Narrowing, at: number): boolean =>
  narrowing[facet] === undefined || (VALUES[facet](row, at) as readonly string[]).includes(narrowing[facet])

const FACETS = Object.keys(VALUES) as Facet[]

export const isNarrowed = (narrowing: Narrowing): boolean => FACETS.some(facet => narrowing[facet] !== undefined)

/** Whether an entry has every chosen value at the time `at`. */
export const fits = (row: Faceted, narrowing: Narrowing, at: number): boolean =>
  FACETS.every(facet => has(facet, row, narrowing, at))

/** Counts the values of each facet among some entries. */
export function countFacets(rows: readonly Faceted[], narrowing: Narrowing, at: number): FacetCounts {
  const count = <F extends Facet>(facet: F): Map<NonNullable<Narrowing[F]>, number> => {
    const others = { ...narrowing, [facet]: undefined }
    const values = rows.filter(row => fits(row, others, at)).flatMap(row => VALUES[facet](row, at))
    return new Map([...Map.groupBy(values, value => value)].map(([value, all]) => [value, all.length]))
  }
  return {
    state: count('state'),
    author: count('author'),
    changed: count('changed'),
    tags: countTags(
      rows.filter(row => fits(row, narrowing, at)),
      TAGS_MAX,
    ).map(({ tag, rows: { length } }) => ({ tag, count: length })),
  }
}

/** The entries of each tag, for the `most` tags with the most entries. */
export function countTags<R extends Pick<Faceted, 'tags'>>(
  rows: readonly R[],
  most: number,
): { tag: string; rows: R[] }[] {
  const byKey = new Map<string, { tag: string; rows: R[] }>()
  for (const row of rows) {
    for (const tag of row.tags) {
      const known = byKey.get(tagKey(tag))
      if (known === undefined) byKey.set(tagKey(tag), { tag, rows: [row] })
      else known.rows.push(row)
    }
  }
  return [...byKey.values()].sort((a, b) => b.rows.length - a.rows.length).slice(0, most)
}
