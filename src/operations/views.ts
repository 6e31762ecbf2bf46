import { LIMITS } from '../contract/limits.ts'
import type { Author, Entry } from '../contract/resources.ts'
import type { Action } from '../contract/vocabulary.ts'
import { type ContributionOutcome, changedSince, type EntryOutcome } from '../domain/evidence/outcome.ts'
import { isoTime } from '../domain/time.ts'
import { listRecentActions } from '../store/activity.ts'
import { authorOf, findActorById, toAuthor } from '../store/actor.ts'
import { readHead } from '../store/head.ts'
import { findCheckpoint } from '../store/log.ts'
import { listContributionOutcomes } from '../store/outcome.ts'
import { shownStanding, storedStanding } from '../store/standing.ts'
import { type ChangeRow, findHeading, findRecordTime, listAddresses, listRecentChanges } from '../store/view.ts'
import type { Reads } from './operation.ts'

type On = Pick<Reads, 'reader'>

/** Maximum number of contributions of an actor whose outcomes are read, and maximum number of entries that are returned. */
const OUTCOMES_READ = 200
const OUTCOMES_SHOWN = 20

export type ReviewedEntry = Pick<
  EntryOutcome<ContributionOutcome>,
  'confirmed' | 'contradicted' | 'corrected' | 'ordinal' | 'revisions' | 'at'
> &
  Pick<Entry, 'slug' | 'title' | 'standing'> & { superseded: boolean }

/** Returns entries of an actor that others judged or revised since, latest event first. Empty for a quarantined actor. */
export async function readReviewedEntries({ reader }: On, id: string): Promise<ReviewedEntry[]> {
  const actor = await findActorById(reader, id)
  if (actor === undefined || actor.quarantined === 1) return []
  const rows = await listContributionOutcomes(reader, actor.number, OUTCOMES_READ)
  return changedSince(rows, ({ standing }) => storedStanding(standing).checkedAt)
    .slice(0, OUTCOMES_SHOWN)
    .map(row => ({ ...row, standing: shownStanding(row.standing), superseded: row.later !== null }))
}

/** Maximum number of the newest pieces of evidence, revisions or rows that a view reads. Bounds the cost of a page. */
export const VIEW_ROWS = 1_000
const RECENT_CHANGES = 100
const NEWEST = Number.MAX_SAFE_INTEGER

/** The number of records in the public log, by its newest checkpoint. */
export const readLogSize = async ({ reader }: On): Promise<number> => (await findCheckpoint(reader))?.size ?? 0

/** Returns the current declarations of actors, by id. Ignores ids after the first 2 × `LIMITS.pageMax`. */
export async function readAuthors({ reader }: On, ids: readonly string[]): Promise<Map<string, Author>> {
  const distinct = [...new Set(ids)].slice(0, 2 * LIMITS.pageMax)
  const rows = await Promise.all(distinct.map(id => findActorById(reader, id)))
  return new Map(rows.filter(row => row !== undefined).map(row => [row.id, authorOf(row)]))
}

export type Heading = { id: string; slug: string; title: string; summary: string } & Pick<Entry, 'standing'>

/** Returns the current titles of public entries, by id. Ignores ids after the first 2 × `LIMITS.pageMax`. */
export async function readHeadings({ reader }: On, ids: readonly string[]): Promise<Map<string, Heading>> {
  const distinct = [...new Set(ids)].slice(0, 2 * LIMITS.pageMax)
  const rows = await Promise.all(distinct.map(id => findHeading(reader, id)))
  return new Map(
    rows
      .filter(row => row !== undefined)
      .filter(row => !row.withdrawn)
      .map(({ withdrawn: _, ...row }) => [row.id, { ...row, standing: shownStanding(row.standing) }]),
  )
}

export type Change = Pick<ChangeRow, 'id' | 'slug' | 'ordinal' | 'title' | 'summary' | 'rationale'> & {
  changeType: string
  createdAt: string
  author: Author
  /** The standing of the entry as it is now. */
  standing: Entry['standing']
}

/** The newest public revisions of all entries, newest first. */
export async function listChanges({ reader }: On, limit: number): Promise<Change[]> {
  const rows = await listRecentChanges(reader, NEWEST, RECENT_CHANGES)
  return rows
    .filter(({ hidden }) => !hidden)
    .slice(0, limit)
    .map(({ id, slug, ordinal, title, summary, rationale, change_type, created_at, standing, ...author }) => ({
      ...{ id, slug, ordinal, title, summary, rationale },
      changeType: change_type,
      createdAt: isoTime(created_at),
      author: toAuthor(author),
      standing: shownStanding(standing),
    }))
}

/** Kind and time (milliseconds) of the newest rows of the public feed, newest first. */
export async function readTrend({ reader }: On): Promise<{ action: Action; at: number }[]> {
  const rows = await listRecentActions(reader, NEWEST, VIEW_ROWS)
  return rows.map(({ action, created_at }) => ({ action, at: created_at }))
}

/** The growth of the number of permanent records: at most `samples` points from the first record to now, times in milliseconds. */
export async function readGrowth({ reader }: On, samples: number): Promise<{ at: number; records: number }[]> {
  const { record } = await readHead(reader)
  const numbers = Array.from({ length: samples }, (_, index) => Math.ceil((record * (index + 1)) / samples))
  const rows = await Promise.all([...new Set([1, ...numbers])].map(number => findRecordTime(reader, number)))
  const points = rows
    .filter(row => row !== undefined)
    .map(({ number, created_at }) => ({ at: created_at, records: number }))
  return points.filter((point, index) => point.records !== points[index - 1]?.records)
}

/** Number of record numbers per page of the sitemap. */
const SLICE = 5_000

/** The number of pages of the sitemap. */
export const countSlices = async ({ reader }: On): Promise<number> =>
  Math.max(1, Math.ceil(((await readHead(reader)).record + 1) / SLICE))

/** Returns the addresses of the public entries of one page of the sitemap. `slice` counts pages from 0. */
export async function listSlice({ reader }: On, slice: number): Promise<{ slug: string; updatedAt: string }[]> {
  const rows = await listAddresses(reader, slice * SLICE, (slice + 1) * SLICE, SLICE)
  return rows.map(({ slug, updated_at }) => ({ slug, updatedAt: isoTime(updated_at) }))
}
