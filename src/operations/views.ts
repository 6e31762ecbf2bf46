import { LIMITS } from '../contract/limits.ts'
import { Problem } from '../contract/problem.ts'
import type { Author, Entry } from '../contract/resources.ts'
import type { Action } from '../contract/words.ts'
import { wordingOf } from '../domain/kept.ts'
import { isAgainst, standingOf } from '../domain/standing.ts'
import { listRecentActions } from '../store/activity.ts'
import { authorOf, findActorById, toAuthor } from '../store/actor.ts'
import { readHead } from '../store/head.ts'
import { findCheckpoint } from '../store/log.ts'
import { findTextByDigest, keptStanding, listJudgements } from '../store/standing.ts'
import { isoTime } from '../store/time.ts'
import {
  type ChangeRow,
  findHeading,
  findRecordTime,
  findRevisionAuthor,
  listAddresses,
  listJudged,
  listRecentChanges,
  listSteps,
} from '../store/view.ts'
import type { Reads } from './operation.ts'
import { addressed } from './pages.ts'

type On = Pick<Reads, 'reader'>

/** How many of the newest pieces of evidence, revisions or rows a view looks at: whatever grows, a page costs the same. */
export const VIEW_ROWS = 1_000
const RECENT_CHANGES = 100
const NEWEST = Number.MAX_SAFE_INTEGER

export type RevisionState = Pick<Entry['standing'], 'state' | 'tally'> & {
  author: Author
  /** The place of the revision in its entry's history, from 1, and how many there are. */
  ordinal: number
  revisions: number
  /** Its number among the permanent records. */
  record: number
}

/** What the evidence says about the words of a revision, and who wrote it. Throws as the contract's reads of a revision do. */
export async function readRevisionState({ reader }: On, slug: string, revisionId: string): Promise<RevisionState> {
  const entry = await addressed(reader, { params: { slug }, query: {} })
  const revision = await findRevisionAuthor(reader, entry.number, revisionId)
  if (revision === undefined) throw new Problem('REVISION_NOT_FOUND')
  const [text, judgements] = await Promise.all([
    findTextByDigest(reader, entry.number, wordingOf(revision).digest),
    listJudgements(reader, entry.number),
  ])
  const about = judgements.filter(one => one.text === text?.text)
  const { state, tally } =
    revision.number === entry.revision ? keptStanding(entry.standing) : standingOf(about, () => 1)
  return {
    state,
    tally,
    author: toAuthor(revision),
    ordinal: revision.ordinal,
    revisions: entry.revisions,
    record: revision.number,
  }
}

/** A moment in the life of an entry. Times in milliseconds since 1970. */
export type Moment = { at: number; kind: 'revision' | 'for' | 'against' | 'open'; revision: number }
export type Life = { moments: Moment[]; steps: Step[] }
type Step = { id: string; ordinal: number; record: number; changeType: string; at: number }

/** The newest revisions and pieces of evidence of an entry as moments, oldest first. */
export async function readLife({ reader }: On, slug: string, limit: number): Promise<Life> {
  const entry = await addressed(reader, { params: { slug }, query: {} })
  const [steps, judged] = await Promise.all([
    listSteps(reader, entry.number, limit),
    listJudged(reader, entry.number, limit),
  ])
  const ordinals = new Map(steps.map(({ number, ordinal }) => [number, ordinal]))
  const moments: Moment[] = [
    ...steps.map(({ created_at, ordinal }) => ({ at: created_at, kind: 'revision' as const, revision: ordinal })),
    ...judged.map(one => ({
      at: one.created_at,
      kind: isAgainst(one) ? ('against' as const) : one.verdict === 'SUPPORTED' ? ('for' as const) : ('open' as const),
      revision: ordinals.get(one.revision) ?? 0,
    })),
  ]
  return {
    moments: moments.sort((a, b) => a.at - b.at),
    steps: steps.map(({ id, ordinal, number, change_type, created_at }) => ({
      id,
      ordinal,
      record: number,
      changeType: change_type,
      at: created_at,
    })),
  }
}

/** How many records are in the public log, by its newest checkpoint. */
export const readLogSize = async ({ reader }: On): Promise<number> => (await findCheckpoint(reader))?.size ?? 0

/** The actors behind some ids, as they declare themselves now; at most one page of them. */
export async function readAuthors({ reader }: On, ids: readonly string[]): Promise<Map<string, Author>> {
  const distinct = [...new Set(ids)].slice(0, 2 * LIMITS.pageMax)
  const rows = await Promise.all(distinct.map(id => findActorById(reader, id)))
  return new Map(rows.filter(row => row !== undefined).map(row => [row.id, authorOf(row)]))
}

export type Heading = { id: string; slug: string; title: string; summary: string }

/** What some entries are called now, by id; those that are not public are left out. At most two pages of them. */
export async function readHeadings({ reader }: On, ids: readonly string[]): Promise<Map<string, Heading>> {
  const distinct = [...new Set(ids)].slice(0, 2 * LIMITS.pageMax)
  const rows = await Promise.all(distinct.map(id => findHeading(reader, id)))
  return new Map(rows.filter(row => row !== undefined && !row.withdrawn).map(row => [row?.id ?? '', row as Heading]))
}

export type Change = Pick<ChangeRow, 'id' | 'slug' | 'ordinal' | 'title' | 'summary' | 'rationale'> & {
  changeType: string
  createdAt: string
  author: Author
}

/** The newest public revisions of all entries, newest first. */
export async function listChanges({ reader }: On, limit: number): Promise<Change[]> {
  const rows = await listRecentChanges(reader, NEWEST, RECENT_CHANGES)
  return rows
    .filter(({ hidden }) => !hidden)
    .slice(0, limit)
    .map(({ id, slug, ordinal, title, summary, rationale, change_type, created_at, ...author }) => ({
      ...{ id, slug, ordinal, title, summary, rationale },
      changeType: change_type,
      createdAt: isoTime(created_at),
      author: toAuthor(author),
    }))
}

/** Kind and time (milliseconds) of the newest rows of the public feed, newest first. */
export async function readTrend({ reader }: On): Promise<{ action: Action; at: number }[]> {
  const rows = await listRecentActions(reader, NEWEST, VIEW_ROWS)
  return rows.map(({ action, created_at }) => ({ action, at: created_at }))
}

/** How the number of permanent records grew: at most `samples` points from the first to now, times in milliseconds. */
export async function readGrowth({ reader }: On, samples: number): Promise<{ at: number; records: number }[]> {
  const { record } = await readHead(reader)
  const numbers = Array.from({ length: samples }, (_, index) => Math.ceil((record * (index + 1)) / samples))
  const rows = await Promise.all([...new Set([1, ...numbers])].map(number => findRecordTime(reader, number)))
  const points = rows
    .filter(row => row !== undefined)
    .map(({ number, created_at }) => ({ at: created_at, records: number }))
  return points.filter((point, index) => point.records !== points[index - 1]?.records)
}

/** Entries of one page of the sitemap lie within so many record numbers. */
const SLICE = 5_000

/** How many pages the sitemap has. */
export const countSlices = async ({ reader }: On): Promise<number> =>
  Math.max(1, Math.ceil(((await readHead(reader)).record + 1) / SLICE))

/** Addresses of the public entries of one page of the sitemap, from 0. */
export async function listSlice({ reader }: On, slice: number): Promise<{ slug: string; updatedAt: string }[]> {
  const rows = await listAddresses(reader, slice * SLICE, (slice + 1) * SLICE, SLICE)
  return rows.map(({ slug, updated_at }) => ({ slug, updatedAt: isoTime(updated_at) }))
}
