import { LIMITS } from '../contract/limits.ts'
import type { Awaitable, Reader } from '../database/database.ts'
import { offsetCursor, placeOf, sequenceOf } from '../domain/cursor.ts'
import { assertReadable } from '../domain/entry.ts'
import { type ActivityRow, toActivity } from '../store/activity.ts'
import { type EntryRow, findEntry } from '../store/entry.ts'
import type { Answer, Observed } from './operation.ts'

/** The observation of an entry, or of a resource under it. */
export const observedRead = (entry: EntryRow, revision: number = entry.revision): Observed => ({
  action: 'READ',
  entry: entry.number,
  revision,
  metadata: null,
})

/** Returns the entry that the path names. Throws ENTRY_NOT_FOUND or ENTRY_WITHDRAWN. */
export const findAddressed = async (reader: Reader, { params }: { params: { slug: string } }): Promise<EntryRow> =>
  assertReadable(await findEntry(reader, params.slug))

type Page = { query: { limit?: number; before?: string } }

/**
 * Returns one page, newest first, of a list that only grows at its newest end. Rows have ordinals from 1. The cursor contains the size of
 * the list at the first page, and an offset from there in rows, hidden rows included. `list` is called with the size of the page plus one.
 */
export async function pageFrom<R extends { ordinal: number }>(
  size: number,
  { query }: Page,
  list: (newest: number, limit: number) => Awaitable<R[]>,
): Promise<{ rows: R[]; nextCursor: string | null }> {
  const limit = query.limit ?? LIMITS.pageDefault
  const place = placeOf(query.before, size)
  const found = await list(place.size - place.offset, limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const more = found.length > limit && last !== undefined
  return { rows, nextCursor: more ? offsetCursor({ size: place.size, offset: place.size - last.ordinal + 1 }) : null }
}

/** The query of the next page, for a Link header. */
export const nextQuery = (nextCursor: string | null): Pick<Answer, 'next'> =>
  nextCursor === null ? {} : { next: { before: nextCursor } }

/** One page of activity below the sequence that the cursor names. */
export async function pageBelow(
  { query }: Page,
  list: (before: number, limit: number) => Awaitable<ActivityRow[]>,
): Promise<Answer> {
  const limit = query.limit ?? LIMITS.pageDefault
  const found = await list(sequenceOf(query.before), limit + 1)
  const items = found.slice(0, limit).map(toActivity)
  const nextCursor = found.length > limit ? (items.at(-1)?.sequence ?? null) : null
  return { body: { items, nextCursor }, ...nextQuery(nextCursor) }
}
