import { setImmediate as nextTurn } from 'node:timers/promises'
import { FIND } from '../../contract/limits.ts'
import type { FoundAsOf, FoundAsOfList } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Text } from '../../domain/evidence/pieces.ts'
import { byRank, CANDIDATES, refit, roundScore } from '../../domain/find/fit.ts'
import { passageOf } from '../../domain/find/passage.ts'
import { isAnswerable, type RankedText } from '../../domain/find/ranking.ts'
import { shortDigest } from '../../domain/short-digest.ts'
import { signalNames } from '../../domain/signals/signals.ts'
import { tagKey } from '../../domain/tag.ts'
import { isoTime } from '../../domain/time.ts'
import { areTextsAsAt, type RevisionThen } from '../../store/as-of.ts'
import { type EntryRow, findEntryByNumber, tagsOf } from '../../store/entry.ts'
import { shownStanding } from '../../store/standing.ts'
import { observedSearch } from '../observation/observed-search.ts'
import type { ReadOperation, Reads } from '../operation.ts'
import type { Match, SearchResult } from '../search.ts'
import { isAsThen, type Moment, momentOf, revisionAt, standingAt } from './as-of.ts'

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
  const { q, tag = '', limit = FIND.default } = request.query
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
  for (const one of best) rows.push({ ...one, standing: await standingOf(reads, one, moment) })
  const match = roundScore(rows[0]?.score ?? 0)
  const shown = rows.sort((a, b) => byRank(judgedAs(a), judgedAs(b))).slice(0, limit)
  const weights = new Map(result.weights)
  const { words, missing, corrected } = result
  const body: FoundAsOfList = {
    items: shown.map(one => rowOf(one, weights)),
    ...{ match, answerable: isAnswerable({ match, words }), missing, corrected },
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
  if (revision === undefined) return undefined
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

async function standingOf(
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
  standing: standing ?? shownStanding(null),
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
