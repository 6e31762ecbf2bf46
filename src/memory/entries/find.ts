import { FIND } from '../../contract/limits.ts'
import type { Found } from '../../contract/resources.ts'
import { type State, TRUST } from '../../contract/vocabulary.ts'
import { getOrThrow } from '../../engine/database.ts'
import {
  aboveGap,
  bestThatFit,
  byRank,
  CANDIDATES,
  isClearlyFirst,
  LIKE_GAIN,
  markdownOf,
  markdownThatFits,
  noAnswer,
  passageOf,
  type Row,
  roundScore,
  WHOLE_MAX,
} from '../../find/rules/answers.ts'
import { likenessTo, messageLines, quotedIn, unansweredPairs } from '../../find/rules/question.ts'
import { observedSearch } from '../activity/observe.ts'
import { confirmedOn, parseEnvironment } from '../evidence/environment-rules.ts'
import type { Text } from '../evidence/pieces-rules.ts'
import { objectionsTo } from '../evidence/read.ts'
import { storedStanding } from '../evidence/rows.ts'
import { shortStanding } from '../evidence/rules.ts'
import { textsOf } from '../evidence/standing.ts'
import type { ReadOperation, Reads } from '../operation.ts'
import { matchesByEntry, type SearchRequest, type SearchResult } from '../searching.ts'
import { signalsOfText } from '../signals/signals.ts'
import { isoTime } from '../values.ts'
import { entryOf, type ServedEntry } from './cache.ts'
import { findEntryByNumber } from './rows.ts'
import { tagKey } from './rules.ts'

/** Number of the best matches from which the entries of a requested state are selected. */
const CANDIDATES_OF_STATE = 200

/**
 * Finds the entries that answer a question, best first, each with its best passage. Without `limit`, an answer has only entries that fit
 * nearly as well as the first one, in as many tokens as it may have; it has none, but a few titles, if the question is not answerable.
 */
export const findEntries: ReadOperation<'findEntries'> = async (reads, { query }) => {
  const { q, tag = '', limit, tokens = limit === undefined ? FIND.tokens : Number.POSITIVE_INFINITY, state } = query
  const { result, quoting } = await searchFor(reads, q, {
    tag: tag === '' || tagKey(tag) === '' ? null : tag,
    sort: 'fit',
    limit: state === undefined ? CANDIDATES : CANDIDATES_OF_STATE,
    offset: 0,
  })
  const { answerableFrom, missing, corrected } = result
  const weights = new Map(result.weights)
  const all = await candidatesOf(reads, result, likenessTo(q))
  const candidates = state === undefined ? all : all.filter(({ standing }) => standing.state === state)
  const ordered = quoting === undefined ? candidates.toSorted(byRank) : quotingFirst(candidates, quoting)
  const { coverage, match } = fitOf({ best: all[0], first: candidates[0] }, result)
  const answerable =
    quoting === undefined ? match >= answerableFrom : candidates.some(({ served }) => quoting.has(served.number))
  const most = limit === undefined ? FIND.words : undefined
  const named = { missing: missing.slice(0, most), corrected: corrected.slice(0, most) }
  const frame = { coverage, match, answerable, ...named, dataClass: 'EXTERNAL' as const, ...TRUST }
  const isNo = !answerable && limit === undefined
  const rowsMost = query.tokens === undefined ? FIND.rows : FIND.max
  const chosen = isNo ? [] : (limit === undefined ? aboveGap(ordered) : ordered).slice(0, limit ?? rowsMost)
  const env = query.env === undefined ? [] : parseEnvironment(query.env)
  const rows: Row[] = []
  for (const [at, one] of chosen.entries()) {
    const mayBeWhole = at === 0 && isClearlyFirst(ordered)
    rows.push(await rowOf(reads, one, { weights, mayBeWhole, env, objectionsMax: query.tokens === undefined ? 1 : 3 }))
    await reads.yieldIfOverBudget()
  }
  const body = isNo ? noAnswer(ordered.slice(0, FIND.titles).map(titleOf), frame) : bestThatFit(rows, frame, tokens)
  return {
    body,
    markdown: () => (isNo ? markdownOf(body) : markdownThatFits(rows, frame, tokens)),
    fit: { coverage, match, answerableFrom, missing, corrected },
    observed: {
      ...observedSearch(body.items.length + (body.near?.length ?? 0), 'relevance', tag),
      // With a tag or a state, an excluded entry may answer the question.
      ...(body.answerable || tag !== '' || state !== undefined ? {} : { unanswered: unansweredPairs(q, result) }),
    },
  }
}

/** Candidates by how well they quote a line, then by rank. */
function quotingFirst(candidates: readonly Candidate[], quoting: ReadonlyMap<number, number>): Candidate[] {
  const quoted = ({ served }: Candidate): number => quoting.get(served.number) ?? 0
  return candidates.toSorted((a, b) => quoted(b) - quoted(a) || byRank(a, b))
}

/** Number of the best matches of a line that may quote it. */
const QUOTING_AMONG = 20
/** If more entries quote a line, it says nothing about its failure, unless an entry has nearly all of its names too. */
const QUOTING_MAX = 4
const SAME_NAMES = 2.75

/**
 * Searches for a question. Of a pasted output, searches for the line that an entry quotes; `quoting` has how well each entry quotes it, by
 * number, and is undefined for other questions.
 */
async function searchFor(
  reads: Reads,
  q: string,
  wanted: Omit<SearchRequest, 'q'>,
): Promise<{ result: SearchResult; quoting: ReadonlyMap<number, number> | undefined }> {
  const lines = messageLines(q)
  for (const line of lines ?? []) {
    const result = await reads.search({ ...wanted, q: line.text })
    const best = await candidatesOf(reads, { ...result, matches: result.matches.slice(0, QUOTING_AMONG) })
    const quoting: [number, number][] = []
    for (const { served } of best) {
      const how = quotedIn(entryOf(served), line)
      if (how > 0) quoting.push([served.number, how])
      await reads.yieldIfOverBudget()
    }
    const chosen = quoting.length > QUOTING_MAX ? quoting.filter(([, how]) => how >= SAME_NAMES) : quoting
    if (chosen.length > 0) return { result, quoting: new Map(chosen) }
  }
  return { result: await reads.search({ ...wanted, q }), quoting: lines === undefined ? undefined : new Map() }
}

type Candidate = ServedEntry['judged'] & { served: ServedEntry; score: number; whole: boolean; likeness: number }

/** The entries of a result with their scores, without those that were withdrawn after they were indexed. */
async function candidatesOf(
  reads: Reads,
  result: SearchResult,
  likenessOf: (title: string) => number = () => 0,
): Promise<Candidate[]> {
  const matches = matchesByEntry(result)
  let best = 0
  for (const { score } of result.matches) best = Math.max(best, score)
  const candidates: Candidate[] = []
  for (const served of await reads.entries.list([...matches.keys()])) {
    const { score, whole } = getOrThrow(matches, served.number)
    // An entry with a smaller score cannot come first by its title, which is therefore not read.
    const likeness = score < best / (1 + LIKE_GAIN) ? 0 : likenessOf(entryOf(served).title)
    candidates.push({ served, ...served.judged, score, whole, likeness })
  }
  return candidates
}

/**
 * How well the best match fits. `best` is the first entry of the search result. `first` is another one if `best` has another state than
 * requested.
 */
function fitOf(
  { best, first }: { best: Candidate | undefined; first: Candidate | undefined },
  { coverage, match }: SearchResult,
): Pick<SearchResult, 'coverage' | 'match'> {
  if (first === undefined) return { coverage: 'NONE', match: 0 }
  if (first === best) return { coverage, match }
  return { coverage: first.whole ? 'ALL' : 'SOME', match: roundScore(first.score) }
}

/** The states of a text with an open objection. */
const OPPOSED: ReadonlySet<State> = new Set(['DISPUTED', 'CONTRADICTED', 'ANSWERED'])

/**
 * Whether a passage has signals or an unconfirmed change; undefined if the text has neither. Only a text with signals can have a passage with
 * them.
 */
function avoidedIn(
  { served, signals, unconfirmed }: Candidate,
  text: Text,
): ((passage: string) => boolean) | undefined {
  if (signals.length === 0 && unconfirmed.length === 0) return undefined
  const changed =
    unconfirmed.length === 0
      ? []
      : textsOf(served.number)
          .cut(text)
          .piecesAt(unconfirmed)
          .filter(({ section }) => section === 'CONTENT')
  return passage =>
    changed.some(piece => passage.includes(piece.text.trim())) ||
    (signals.length > 0 && signalsOfText(passage).length > 0)
}

const titleOf = ({ served }: Candidate) => entryOf(served)

/**
 * An entry as a short row, with the strongest objections to its current text. Its content is the whole one that may stand in place of the
 * excerpt: of the entry that may be whole, if it is short, and has nothing that a passage avoids.
 */
async function rowOf(
  { reader, handleOf }: Reads,
  found: Candidate,
  of: {
    weights: ReadonlyMap<string, number>
    mayBeWhole: boolean
    env: ReturnType<typeof parseEnvironment>
    objectionsMax: number
  },
): Promise<Row> {
  const entry = entryOf(found.served)
  const { id, slug, title, summary, tags, content, currentRevisionId, updatedAt, standing, signals } = entry
  const excerpt = passageOf(content, of.weights, avoidedIn(found, { title, summary, content }))
  const isClean = signals.length === 0 && found.unconfirmed.length === 0
  const whole = of.mayBeWhole && isClean && content.length <= WHOLE_MAX ? content : undefined
  const row: Found = {
    id,
    slug,
    title,
    summary,
    excerpt,
    tags,
    score: roundScore(found.score),
    standing: shortStanding(standing),
    signals,
    ...(entry.unflaggedRevisionId === undefined ? {} : { unflaggedRevisionId: entry.unflaggedRevisionId }),
    currentRevisionId,
    updatedAt,
    ...(handleOf === undefined ? {} : { feedback: handleOf(found.served.revision) }),
  }
  const isOpposed = OPPOSED.has(standing.state)
  const judged = isOpposed || of.env.length > 0 ? await findEntryByNumber(reader, found.served.number) : undefined
  if (judged !== undefined && isOpposed) {
    const objections = await objectionsTo(reader, storedStanding(judged.standing))
    row.objections = objections.slice(0, of.objectionsMax)
  }
  const confirmed = judged === undefined ? [] : confirmedOn(storedStanding(judged.standing).observedOn, of.env)
  if (confirmed.length > 0) row.confirmedOn = confirmed.map(({ at, ...one }) => ({ ...one, lastAt: isoTime(at) }))
  return { row, content: whole }
}
