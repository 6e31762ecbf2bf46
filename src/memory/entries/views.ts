import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { ActivityList, Author, Entry, RelationList, Revision, Standing } from '../../contract/resources.ts'
import type { Action, Signal } from '../../contract/vocabulary.ts'
import { only } from '../../engine/database.ts'
import { findCheckpoint } from '../../tlog/rows.ts'
import { listActivityOf, listRecentActions } from '../activity/rows.ts'
import { authorOf, findActorById, toAuthor } from '../actors/rows.ts'
import { type ContributionOutcome, changedSince } from '../actors/rules.ts'
import { readStanding } from '../evidence/read.ts'
import {
  listContributionOutcomes,
  listJudgements,
  shownStanding,
  standingColumns,
  storedStanding,
} from '../evidence/rows.ts'
import { latestOf, verdictOf } from '../evidence/rules.ts'
import { standingOn } from '../evidence/standing.ts'
import { readHead } from '../head-rows.ts'
import { type Answer, activityBelow, bodyOf, findAddressed, type Reads } from '../operation.ts'
import { signalNames } from '../signals/signals.ts'
import { isoTime } from '../values.ts'
import { listRelations } from './history.ts'
import { type EntryRow, findEntry, findRevision, toRevision } from './rows.ts'
import { assertNotErased } from './rules.ts'
import {
  type ChangeRow,
  countEvidence,
  countRelations,
  findHeading,
  findRecordTime,
  findRevisionAuthor,
  findWithdrawal,
  listAddresses,
  listRecentChanges,
  listSteps,
  listSupporters,
} from './view-rows.ts'

type WithReader = Pick<Reads, 'reader'>

/** Maximum number of contributions of an actor whose outcomes are read, and maximum number of entries that are returned. */
const OUTCOMES_READ = 200
const OUTCOMES_SHOWN = 20

export type ReviewedEntry = Pick<
  ContributionOutcome,
  'confirmed' | 'contradicted' | 'corrected' | 'ordinal' | 'revisions'
> & { at: number } & Pick<Entry, 'slug' | 'title' | 'standing'> & { superseded: boolean }

/** Returns entries of an actor that others judged or revised since, latest event first. Empty for a quarantined actor. */
export async function readReviewedEntries({ reader }: WithReader, id: string): Promise<ReviewedEntry[]> {
  const actor = await findActorById(reader, id)
  if (actor === undefined || actor.quarantined === 1) return []
  const rows = await listContributionOutcomes(reader, actor.number, OUTCOMES_READ)
  return changedSince(rows, ({ standing }) => storedStanding(standing).checkedAt)
    .slice(0, OUTCOMES_SHOWN)
    .map(row => ({ ...row, standing: shownStanding(row), superseded: row.later !== null }))
}

/** Maximum number of the newest pieces of evidence, revisions or rows that a view reads. Bounds the cost of a page. */
export const VIEW_ROWS = 1_000
const RECENT_CHANGES = 100
const NEWEST = Number.MAX_SAFE_INTEGER

/** The number of records in the public log, by its newest checkpoint. */
export const readLogSize = async ({ reader }: WithReader): Promise<number> => (await findCheckpoint(reader))?.size ?? 0

/** The act of moderation that withdrew an entry: its time, its record, and whether the public log has it. */
export type Withdrawal = { at: string; record: number; isLogged: boolean }

/** Returns the withdrawal of an entry, addressed by slug or id; undefined if the entry is public, or on a mirror. */
export async function readWithdrawal(on: WithReader, address: string): Promise<Withdrawal | undefined> {
  const { reader } = on
  const entry = await findEntry(reader, address)
  const row = entry && (await findWithdrawal(reader, entry.number))
  if (row === undefined) return undefined
  return { at: isoTime(row.created_at), record: row.number, isLogged: row.number <= (await readLogSize(on)) }
}

/** Returns the current declarations of the authors of records, by id. Ignores authors after the first 2 × `LIMITS.pageMax`. */
export async function readAuthors(
  { reader }: WithReader,
  records: readonly { actorId: string }[],
): Promise<Map<string, Author>> {
  const distinct = new Set(records.map(({ actorId }) => actorId))
  const rows = await Promise.all([...distinct].slice(0, 2 * LIMITS.pageMax).map(id => findActorById(reader, id)))
  return new Map(rows.filter(row => row !== undefined).map(row => [row.id, authorOf(row)]))
}

export type Heading = Pick<Entry, 'slug' | 'title' | 'summary' | 'standing'>

/** Returns the current titles of the public entries that records name, by id. Ignores entries after the first 2 × `LIMITS.pageMax`. */
export async function readHeadings(
  { reader }: WithReader,
  records: readonly { entryId?: string | null | undefined }[],
): Promise<Map<string, Heading>> {
  const distinct = new Set(records.flatMap(({ entryId }) => entryId ?? []))
  const rows = await Promise.all([...distinct].slice(0, 2 * LIMITS.pageMax).map(id => findHeading(reader, id)))
  return new Map(
    rows
      .filter(row => row !== undefined)
      .filter(row => !row.withdrawn)
      .map(row => {
        const { id, slug, title, summary } = row
        return [id, { slug, title, summary, standing: shownStanding(row) }]
      }),
  )
}

type RecentRevision = Pick<ChangeRow, 'id' | 'slug' | 'ordinal' | 'title' | 'summary' | 'rationale'> & {
  changeType: string
  createdAt: string
  author: Author
  /** The standing of the entry as it is now. */
  standing: Entry['standing']
}

/** The newest public revisions of all entries, newest first. */
export async function listChanges({ reader }: WithReader, limit: number): Promise<RecentRevision[]> {
  const rows = await listRecentChanges(reader, NEWEST, RECENT_CHANGES)
  return rows
    .filter(({ hidden }) => !hidden)
    .slice(0, limit)
    .map(row => {
      const { id, slug, ordinal, title, summary, rationale } = row
      return {
        ...{ id, slug, ordinal, title, summary, rationale },
        changeType: row.change_type,
        createdAt: isoTime(row.created_at),
        author: toAuthor(row),
        standing: shownStanding(row),
      }
    })
}

/** A page of the writes or of the reads of the public feed, newest first. */
export async function readActivityOf(
  reads: Reads,
  kind: 'written' | 'read',
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ActivityList> {
  if (kind === 'read') await reads.flushObservations()
  const query = { limit, ...(before !== undefined && { before }) }
  const { body } = await activityBelow({ query }, (below, rows) => listActivityOf(reads.reader, kind, below, rows))
  return body as ActivityList
}

/** Kind and time (milliseconds) of the newest rows of the public feed, newest first. */
export async function readTrend({ reader }: WithReader): Promise<{ action: Action; at: number }[]> {
  const rows = await listRecentActions(reader, NEWEST, VIEW_ROWS)
  return rows.map(({ action, created_at }) => ({ action, at: created_at }))
}

/** The growth of the number of permanent records: at most `samples` points from the first record to now, times in milliseconds. */
export async function readGrowth({ reader }: WithReader, samples: number): Promise<{ at: number; records: number }[]> {
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
export const countSlices = async ({ reader }: WithReader): Promise<number> =>
  Math.max(1, Math.ceil(((await readHead(reader)).record + 1) / SLICE))

/** Returns the addresses of the public entries of one page of the sitemap. `slice` counts pages from 0. */
export async function listSlice({ reader }: WithReader, slice: number): Promise<{ slug: string; updatedAt: string }[]> {
  const rows = await listAddresses(reader, slice * SLICE, (slice + 1) * SLICE, SLICE)
  return rows.map(({ slug, updated_at }) => ({ slug, updatedAt: isoTime(updated_at) }))
}

const addressedAt = ({ reader }: WithReader, slug: string): Promise<EntryRow> =>
  findAddressed(reader, { params: { slug } })

type RevisionState = Pick<Entry['standing'], 'state' | 'tally' | 'confirmed'> & {
  author: Author
  /** The position of the revision in the history of its entry, from 1, and the number of revisions. */
  ordinal: number
  revisions: number
  /** Its record number. */
  record: number
  signals: Signal[]
}

/** Returns the standing of the text of a revision, and its author. Throws ENTRY_NOT_FOUND, ENTRY_WITHDRAWN or REVISION_NOT_FOUND. */
export const readRevisionState = async (on: WithReader, slug: string, revisionId: string): Promise<RevisionState> =>
  revisionStateOf(on, await addressedAt(on, slug), revisionId)

async function revisionStateOf(on: WithReader, entry: EntryRow, revisionId: string): Promise<RevisionState> {
  const revision = await findRevisionAuthor(on.reader, entry.number, revisionId)
  if (revision === undefined) throw new Problem('REVISION_NOT_FOUND')
  assertNotErased(revision)
  const judged =
    revision.number === entry.revision
      ? entry
      : await standingColumns(on.reader, await standingOn(on.reader, entry, { ...revision, revision: revision.number }))
  const { state, tally, confirmed } = shownStanding(judged)
  return {
    state,
    tally,
    confirmed,
    author: toAuthor(revision),
    ordinal: revision.ordinal,
    revisions: entry.revisions,
    record: revision.number,
    signals: signalNames(revision.signals),
  }
}

/** A revision in the history of an entry. Times in milliseconds since 1970. */
export type Step = { id: string; ordinal: number; record: number; changeType: string; actorId: string; at: number }

/** The newest revisions of an entry, newest first: at most `limit`. */
export const readSteps = async (on: WithReader, slug: string, limit: number): Promise<Step[]> =>
  stepsOf(on, await addressedAt(on, slug), limit)

const stepsOf = async ({ reader }: WithReader, { number }: EntryRow, limit: number): Promise<Step[]> =>
  (await listSteps(reader, number, limit)).map(({ id, ordinal, number, change_type, actor_id, created_at }) => ({
    id,
    ordinal,
    record: number,
    changeType: change_type,
    actorId: actor_id,
    at: created_at,
  }))

/**
 * The numbers of public rows on the pages of an entry. `evidence` includes the relations that contradict the entry. All but `revisions` are counted up to `COUNTED_MAX`. Reads are not counted:
 * otherwise each view of a page would change the page, and no cache could store it.
 */
export type Counts = { revisions: number; evidence: number; relations: number }
export const COUNTED_MAX = 1_000
const NO_RELATIONS = { relations: 0, objections: 0 }

export const readCounts = async (on: WithReader, slug: string): Promise<Counts> =>
  countsOf(on, await addressedAt(on, slug))

async function countsOf(on: WithReader, entry: EntryRow): Promise<Counts> {
  const [said, { relations, objections }] = await Promise.all([
    entry.evidence === 0 ? 0 : countEvidence(on.reader, entry.number, COUNTED_MAX),
    entry.relations === 0 ? NO_RELATIONS : countRelations(on.reader, entry.number, COUNTED_MAX),
  ])
  const evidence = Math.min(said + objections, COUNTED_MAX)
  return { revisions: entry.revisions, evidence, relations }
}

/**
 * Returns a revision without its text, its author, and the history, verdicts, counts, newest relations and standing of its entry, as one
 * cached answer. `support` is the newest reason in favour of the text, if there are also voices against it.
 */
export async function readAbout(on: Reads, slug: string, revisionId: string, rows: number) {
  const make = async (): Promise<Answer> => ({ body: await aboutOf(on, slug, revisionId, rows) })
  const answer = await on.entries.answer(`about ${slug} ${revisionId} ${rows}`, make)
  const { verdicts, ...about } = bodyOf(answer) as Awaited<ReturnType<typeof aboutOf>>
  return { ...about, verdicts: new Map(verdicts) }
}

/** A revision without the texts that its entry has too. */
export type RevisionFacts = Omit<Revision, 'content' | 'summary'>

async function aboutOf(on: Reads, slug: string, revisionId: string, rows: number) {
  const request = { params: { slug }, query: {} }
  const entry = await findAddressed(on.reader, request)
  const { nearest, tally } = storedStanding(entry.standing)
  const [{ author }, row, steps, verdicts, counts, relations, standing, [support]] = await Promise.all([
    revisionStateOf(on, entry, revisionId),
    findRevision(on.reader, entry.number, revisionId),
    stepsOf(on, entry, rows),
    verdictsOf(on, entry),
    countsOf(on, entry),
    listRelations(on, request),
    readStanding(on, request),
    nearest === null || tally.against === 0 ? [] : listSupporters(on.reader, nearest, 1),
  ])
  const { content: _, summary: __, ...revision } = toRevision(only(row))
  return {
    ...{ author, revision, steps, counts, verdicts: [...verdicts], support: support?.rationale },
    relations: (bodyOf(relations) as RelationList).items,
    standing: bodyOf(standing) as Standing,
  }
}

/** The state and the tally of each revision that was judged itself, by the record number of the revision. */
export type Verdicts = ReadonlyMap<number, Pick<Entry['standing'], 'state' | 'tally'>>

export const readVerdicts = async (on: WithReader, slug: string): Promise<Verdicts> =>
  verdictsOf(on, await addressedAt(on, slug))

async function verdictsOf({ reader }: WithReader, entry: EntryRow): Promise<Verdicts> {
  if (entry.standing === null) return new Map()
  const judgements = latestOf(await listJudgements(reader, entry))
  const judged = Map.groupBy(judgements, ({ revision }) => revision)
  return new Map([...judged].map(([revision, about]) => [revision, verdictOf(about)]))
}
