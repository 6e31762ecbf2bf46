import { countFacets, type FacetCounts, type Faceted, fits, isNarrowed, type Narrowing } from '../../domain/facets.ts'
import { tagsOf } from '../../store/entry.ts'
import { keptStanding } from '../../store/standing.ts'
import { findFacets } from '../../store/view.ts'
import type { Answer, Reads } from '../operation.ts'
import type { SearchResult } from '../search.ts'
import {
  findPage,
  foundPage,
  listAll,
  orderOfAll,
  pageAnswer,
  pageOf,
  requestOf,
  type Wanted,
  wantedOf,
} from './read-entries.ts'

/** The first matches of a search, which facets are counted and narrowed lists are made from. Bounds the work of one page. */
export const FACETED = 500

/** The facets of the first matches. `found` is the number of entries that the narrowing leaves; `more` is true if there are further matches. */
export type Facets = FacetCounts & { found: number; more: boolean }
export type FacetedAnswer = { answer: Answer; facets: Facets | undefined }

/**
 * Searches as `searchEntries` does, counts the facets of the first matches, and lists those that a narrowing leaves. Facets are undefined
 * for a list beyond the first matches, which is not narrowed.
 */
export async function searchFaceted(
  reads: Reads,
  query: Partial<Wanted>,
  narrowing: Narrowing,
): Promise<FacetedAnswer> {
  const wanted = wantedOf(query)
  const { limit, offset } = wanted
  const end = offset + limit
  const narrowed = isNarrowed(narrowing)
  if (!narrowed && end > FACETED)
    return { answer: pageAnswer(wanted, await findPage(reads, wanted)), facets: undefined }
  const { numbers, more, result } = await firstMatches(reads, wanted)
  const rows = await facetsOf(reads, numbers)
  const fitting = narrowed ? rows.filter(row => fits(row, narrowing, reads.at)) : rows
  const entries = fitting.slice(offset, end).map(({ number }) => number)
  const further = fitting.length > end || (more && !narrowed)
  const page =
    result !== undefined
      ? await foundPage(reads, wanted, { ...result, more: further }, entries)
      : narrowed
        ? pageOf(wanted, await reads.entries.list(entries), { more: further })
        : await findPage(reads, wanted)
  const facets = { ...countFacets(rows, narrowing, reads.at), found: fitting.length, more }
  return { answer: pageAnswer(wanted, page), facets }
}

type Matches = { numbers: readonly number[]; more: boolean; result?: SearchResult }

async function firstMatches(reads: Reads, wanted: Wanted): Promise<Matches> {
  const order = orderOfAll(wanted)
  if (order === undefined) {
    const result = await reads.search(requestOf(wanted, { limit: FACETED, offset: 0 }))
    return { numbers: result.entries, more: result.more, result }
  }
  const numbers = await listAll(reads.reader, order, FACETED + 1, 0)
  return { numbers: numbers.slice(0, FACETED), more: numbers.length > FACETED }
}

/** The public ones of some entries with what they are narrowed by, in the given order. */
export async function facetsOf(
  { reader }: Pick<Reads, 'reader'>,
  numbers: readonly number[],
): Promise<(Faceted & { number: number })[]> {
  const rows = await Promise.all(numbers.map(number => findFacets(reader, number)))
  return rows
    .filter(row => row !== undefined)
    .map(row => ({
      number: row.number,
      state: keptStanding(row.standing).state,
      author: row.actor_type,
      updatedAt: row.updated_at,
      tags: tagsOf(row),
    }))
}
