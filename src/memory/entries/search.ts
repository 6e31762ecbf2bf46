import { getOrThrow } from '../../engine/database.ts'
import { byRank, CANDIDATES, type Ordered, roundScore } from '../../find/rules/answers.ts'
import {
  countFacets,
  type FacetCounts,
  type Faceted,
  fits,
  isNarrowed,
  type Narrowing,
} from '../../find/rules/facets.ts'
import { storedStanding } from '../evidence/rows.ts'
import type { Answer, Reads } from '../operation.ts'
import { type Match, matchesByEntry, type SearchResult } from '../searching.ts'
import { signalNames } from '../signals/signals.ts'
import {
  findPage,
  foundPage,
  type ListRequest,
  listAll,
  orderOf,
  orderOfAll,
  pageAnswer,
  pageOf,
  requestOf,
  wantedOf,
} from './read.ts'
import { tagsOf } from './rows.ts'
import { findFacets } from './view-rows.ts'

/** Maximum number of matches of a search that facets are counted from and narrowed lists select from. Bounds the work of one page. */
export const FACETED = 500

/** The facets of the first matches. `found` counts those that remain after narrowing; `more` is true if others follow. */
export type Facets = FacetCounts & { found: number; more: boolean }
type FacetedAnswer = { answer: Answer; facets: Facets | undefined }

/**
 * Searches as `searchEntries` does, counts the facets of the first matches, and lists those that remain after narrowing. Facets are
 * undefined for a page past the first matches without narrowing.
 */
export async function searchFaceted(
  reads: Reads,
  query: Partial<ListRequest>,
  narrowing: Narrowing,
): Promise<FacetedAnswer> {
  const wanted = wantedOf(query)
  const { limit, offset } = wanted
  const end = offset + limit
  const narrowed = isNarrowed(narrowing)
  if (!narrowed && end > FACETED)
    return { answer: pageAnswer(wanted, await findPage(reads, wanted)), facets: undefined }
  const { numbers, more, found } = await firstMatches(reads, wanted)
  const all = await facetsOf(reads, numbers)
  const rows = found === undefined || orderOf(wanted) !== 'relevance' ? all : rankedFirst(all, found.byEntry)
  const fitting = narrowed ? rows.filter(row => fits(row, narrowing, reads.at)) : rows
  const entries = fitting.slice(offset, end).map(({ number }) => number)
  const further = fitting.length > end || (more && !narrowed)
  const page =
    found !== undefined
      ? await foundPage(
          reads,
          wanted,
          { ...found.result, more: further, match: matchOf(found, rows) },
          entries.map(number => getOrThrow(found.byEntry, number)),
        )
      : narrowed
        ? pageOf(wanted, await reads.entries.list(entries), { more: further })
        : await findPage(reads, wanted)
  const facets = { ...countFacets(rows, narrowing, reads.at), found: fitting.length, more }
  return { answer: pageAnswer(wanted, page), facets }
}

type FacetedRow = Faceted & { number: number } & Pick<Ordered, 'standing' | 'signals'>

/** The best matches ordered by how good an answer they are, before the others. */
function rankedFirst(rows: readonly FacetedRow[], byEntry: MatchesFound['byEntry']): FacetedRow[] {
  const judged = rows.slice(0, CANDIDATES).map(row => {
    const { score, whole } = getOrThrow(byEntry, row.number)
    return { row, ...row, score, whole }
  })
  return [...judged.toSorted(byRank).map(({ row }) => row), ...rows.slice(CANDIDATES)]
}

/** The score of the first row. It is that of the result if the row is also the first match of the result. */
const matchOf = ({ result: { matches, match }, byEntry }: MatchesFound, [first]: readonly FacetedRow[]): number =>
  first === undefined || first.number === matches[0]?.entry
    ? match
    : roundScore(getOrThrow(byEntry, first.number).score)

type MatchesFound = { result: SearchResult; byEntry: ReadonlyMap<number, Match> }
/** The numbers of the first entries of a list. `found` is defined if the search index was used. */
type FirstMatches = { numbers: readonly number[]; more: boolean; found?: MatchesFound }

async function firstMatches(reads: Reads, wanted: ListRequest): Promise<FirstMatches> {
  const order = orderOfAll(wanted)
  if (order === undefined) {
    const result = await reads.search(requestOf(wanted, { limit: FACETED, offset: 0 }))
    const byEntry = matchesByEntry(result)
    return { numbers: [...byEntry.keys()], more: result.more, found: { result, byEntry } }
  }
  const numbers = await listAll(reads.reader, order, FACETED + 1, 0)
  return { numbers: numbers.slice(0, FACETED), more: numbers.length > FACETED }
}

/** Returns the properties by which entries are narrowed, in the given order, without entries that are not public. */
export async function facetsOf({ reader }: Pick<Reads, 'reader'>, numbers: readonly number[]): Promise<FacetedRow[]> {
  const rows = await Promise.all(numbers.map(number => findFacets(reader, number)))
  return rows
    .filter(row => row !== undefined)
    .map(row => {
      const standing = storedStanding(row.standing)
      return {
        number: row.number,
        state: standing.state,
        author: row.actor_type,
        updatedAt: row.updated_at,
        tags: tagsOf(row),
        standing,
        signals: signalNames(row.signals),
      }
    })
}
