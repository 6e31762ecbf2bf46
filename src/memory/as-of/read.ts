import { setImmediate as nextTurn } from 'node:timers/promises'
import { FIND } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Entry, EntryAsOf, FoundAsOf, FoundAsOfList } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../engine/database.ts'
import { byRank, CANDIDATES, passageOf, refit, roundScore } from '../../find/rules/answers.ts'
import type { RankedText } from '../../find/rules/ranking.ts'
import { observedSearch } from '../activity/observe.ts'
import { type EntryRow, etagOf, findEntryByNumber, tagsOf, toEntry } from '../entries/rows.ts'
import { assertNotErased, tagKey } from '../entries/rules.ts'
import type { Text } from '../evidence/pieces-rules.ts'
import { NOT_JUDGED, shownStanding, standingColumns } from '../evidence/rows.ts'
import { standingOn } from '../evidence/standing.ts'
import { readHead } from '../head-rows.ts'
import { findAddressed, observedRead, type ReadOperation, type Reads } from '../operation.ts'
import type { Match, SearchResult } from '../searching.ts'
import { signalNames } from '../signals/signals.ts'
import { isoTime, shortDigest } from '../values.ts'
import * as then from './rows.ts'
import { areTextsAsAt, type RevisionThen } from './rows.ts'

/** A point in the history of a store: a sequence, and the newest record that was committed with it or before it. */
export type Moment = { sequence: number; record: number }

/** Returns the point of the sequence in a path. Throws SEQUENCE_NOT_REACHED if the sequence is later than the newest. */
export async function momentOf(reader: Reader, { params }: { params: { sequence: string } }): Promise<Moment> {
  const sequence = Number(params.sequence)
  const head = await readHead(reader)
  if (sequence > head.sequence) throw new Problem('SEQUENCE_NOT_REACHED')
  return { sequence, record: await then.findRecordAt(reader, sequence) }
}

/** The latest revision of an entry at a point, and the time of its latest change of text; undefined if the entry did not exist. */
export async function revisionAt(
  reader: Reader,
  entry: EntryRow,
  { record }: Moment,
): Promise<(then.RevisionThen & { updated_at: number }) | undefined> {
  if (entry.number > record) return undefined
  const ordinal = entry.revision <= record ? entry.revisions : await then.findOrdinalAt(reader, entry, record)
  const revision = await then.findRevisionAt(reader, entry.number, ordinal)
  if (revision === undefined) return undefined
  if (revision.changed === 1) return { ...revision, updated_at: revision.created_at }
  const changed = await then.findChangeBefore(reader, entry.number, ordinal)
  return { ...revision, updated_at: (changed ?? revision).created_at }
}

/** An entry with more judgements than this may have an incomplete earlier standing. */
const READ_MAX = 10_000

type StandingThen = { standing: Entry['standing']; complete: boolean }

/** Computes the standing of the text at a point from the evidence up to that point. Records that are withdrawn now do not count. */
export async function standingAt(
  reader: Reader,
  entry: EntryRow,
  revision: then.RevisionThen,
  { record }: Moment,
): Promise<StandingThen> {
  if (await isAsThen(reader, entry, revision, record)) {
    return { standing: shownStanding(entry), complete: true }
  }
  const standing = await standingOn(reader, entry, { ...revision, revision: revision.number }, { upTo: record })
  const complete = entry.evidence <= READ_MAX && entry.relations <= READ_MAX
  return { standing: shownStanding(await standingColumns(reader, standing)), complete }
}

/** Whether the text of an entry and the evidence about it are unchanged since a record. */
async function isAsThen(
  reader: Reader,
  entry: EntryRow,
  revision: Pick<then.RevisionThen, 'number'>,
  record: number,
): Promise<boolean> {
  if (entry.revision !== revision.number) return false
  const newest = await then.findNewestAbout(reader, entry)
  return (newest?.judged ?? 0) <= record && (newest?.related ?? 0) <= record
}

/** Reads an entry as of a sequence. Moderation applies as of now. */
export const readEntryAsOf: ReadOperation<'readEntryAsOf'> = async ({ reader }, request) => {
  const entry = await findAddressed(reader, request)
  const moment = await momentOf(reader, request)
  const revision = await revisionAt(reader, entry, moment)
  if (revision === undefined) throw new Problem('ENTRY_NOT_YET_CREATED')
  assertNotErased(revision)
  const { id, ordinal, title, summary, content, signals, updated_at } = revision
  const { standing, complete } = await standingAt(reader, entry, revision, moment)
  const body: EntryAsOf = {
    ...toEntry(
      {
        ...{ ...entry, revision_id: id, revisions: ordinal },
        ...{ title, summary, content, signals, updated_at, unflagged: null },
      },
      revision,
    ),
    standing,
    asOf: String(moment.sequence),
    complete,
  }
  const etag = `${etagOf(body)}${complete ? '' : '.partial'}`
  return { body, etag, observed: observedRead(entry, revision.number) }
}

/**
 * Maximum number of pieces of evidence and relations for which a list computes an earlier standing. Past it, the standing is null unless
 * the entry is unchanged since.
 */
const JUDGED_MAX = 100
/** Maximum number of characters of a content that are ranked if the text has changed since. */
const LOOKED_AT = 8_000

/**
 * Finds entries by their text as of a sequence, among those that match best now. The search index has current texts only, so an entry whose
 * current text has none of the words is missed.
 */
export const findEntriesAsOf: ReadOperation<'findEntriesAsOf'> = async (reads, request) => {
  const { q, tag = '', limit = FIND.rows } = request.query
  const moment = await momentOf(reads.reader, request)
  const wanted = { q, tag: tagKey(tag) === '' ? null : tag, limit: CANDIDATES, offset: 0 }
  const result = await reads.search({ ...wanted, sort: 'fit' })
  const found: CandidateAsOf[] = []
  for (const match of result.matches) {
    const one = await foundAt(reads, match, moment, result.weights)
    if (one !== undefined) found.push(one)
  }
  const best = found.sort((a, b) => Number(b.whole) - Number(a.whole) || b.score - a.score).slice(0, FIND.max)
  const rows: (CandidateAsOf & { standing: FoundAsOf['standing'] })[] = []
  for (const one of best) rows.push({ ...one, standing: await standingOfRow(reads, one, moment) })
  const match = roundScore(rows[0]?.score ?? 0)
  const shown = rows.sort((a, b) => byRank(judgedAs(a), judgedAs(b))).slice(0, limit)
  const weights = new Map(result.weights)
  const { answerableFrom, missing, corrected } = result
  const body: FoundAsOfList = {
    items: shown.map(one => rowOf(one, weights)),
    ...{ match, answerable: match >= answerableFrom, missing, corrected },
    asOf: String(moment.sequence),
    complete: !result.more && (await areTextsAsAt(reads.reader, moment.record)),
    dataClass: 'EXTERNAL',
  }
  return {
    body,
    etag: versionOf(body),
    observed: observedSearch(shown.length, 'relevance', tag),
  }
}

type CandidateAsOf = { entry: EntryRow; revision: RevisionThen & { updated_at: number }; score: number; whole: boolean }

/** The row of a candidate; undefined if it is not public, did not exist yet, or did not match. */
async function foundAt(
  { reader }: Reads,
  { entry: number, score, whole }: Match,
  moment: Moment,
  weights: SearchResult['weights'],
): Promise<CandidateAsOf | undefined> {
  const entry = await findEntryByNumber(reader, number)
  if (entry === undefined || entry.withdrawn) return undefined
  const revision = await revisionAt(reader, entry, moment)
  if (revision === undefined || revision.title === '') return undefined
  if (revision.number === entry.revision) return { entry, revision, score, whole }
  // Ranking two texts takes milliseconds.
  await nextTurn()
  const tags = tagsOf(entry)
  const texts = { now: rankedOf(entry, tags), earlier: rankedOf(revision, tags) }
  const earlierScore = refit(score, texts, weights)
  // The index has the words of the current text only.
  return earlierScore === 0 ? undefined : { entry, revision, score: earlierScore, whole: false }
}

const rankedOf = ({ title, summary, content }: Text, tags: readonly string[]): RankedText => ({
  ...{ title, summary, tags },
  content: content.slice(0, LOOKED_AT),
})

async function standingOfRow(
  { reader }: Reads,
  { entry, revision }: CandidateAsOf,
  moment: Moment,
): Promise<FoundAsOf['standing']> {
  const few = entry.evidence + entry.relations <= JUDGED_MAX
  if (!few && !(await isAsThen(reader, entry, revision, moment.record))) return null
  const { standing, complete } = await standingAt(reader, entry, revision, moment)
  return complete ? standing : null
}

/** The order of a row by evidence. A row without a standing counts as UNCHECKED. */
const judgedAs = ({ score, whole, standing, revision }: CandidateAsOf & { standing: FoundAsOf['standing'] }) => ({
  score,
  whole,
  signals: signalNames(revision.signals),
  standing: standing ?? shownStanding(NOT_JUDGED),
})

const rowOf = (
  { entry, revision, score, standing }: CandidateAsOf & { standing: FoundAsOf['standing'] },
  weights: ReadonlyMap<string, number>,
): FoundAsOf => ({
  id: entry.id,
  slug: entry.slug,
  title: revision.title,
  summary: revision.summary,
  excerpt: passageOf(revision.content, weights),
  tags: tagsOf(entry),
  score: roundScore(score),
  standing,
  signals: signalNames(revision.signals),
  currentRevisionId: revision.id,
  updatedAt: isoTime(revision.updated_at),
  ...TRUST,
})

/** The version of a list: its content without ids, so that both engines agree. */
const versionOf = ({ items, ...rest }: FoundAsOfList): string => {
  const shown = items.map(({ score, standing, title, updatedAt }) => [score, standing, title, updatedAt])
  return shortDigest(JSON.stringify([shown, rest]))
}
