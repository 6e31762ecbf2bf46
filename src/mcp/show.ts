import { EVIDENCE_OF_SIDE } from '../contract/limits.ts'
import type {
  Author,
  Batch,
  Blame,
  Contradiction,
  Decision,
  Entry,
  Evidence,
  FoundList,
  PinFinding,
  PinsReport,
  Relation,
  Revision,
  Standing,
  Verification,
  WorkItem,
} from '../contract/resources.ts'
import { markdownOf } from '../find/rules/answers.ts'
import { earlierCount, standingLine } from '../memory/evidence/rules.ts'
import { plain } from '../memory/plain.ts'
import { signalNames, signalsMember, signalsOf } from '../memory/signals/signals.ts'
import { allSignals, signalLine } from '../memory/signals/text.ts'
import { beginningOf, fenced, fencedText, type Memory, member, sizeInJson } from './tool.ts'

/**
 * Bytes of UTF-8 that count as one token of a model. Less than the average of 4, so that the answer of a tool, with ids and JSON, stays
 * within the budget. `find` uses the average.
 */
export const BYTES_PER_MODEL_TOKEN = 3
export const TOKENS = { least: 1_000, most: 20_000, byDefault: 4_000 } as const

/** Bytes reserved for the sentences of the service, the fence included, and for those of one of several entries. */
const OWN_BYTES = 1_400
const FENCE_BYTES = 600
export const TITLE_BYTES = 300
export const SUMMARY_BYTES = 600
export const NAME_BYTES = 100
const RATIONALE_BYTES = 1_200
/** The share of a budget that evidence may take if the content would fill it, and the share that the first rows of each side may take. */
const EVIDENCE_SHARE = 0.4
const SIDES_SHARE = 0.75

const briefly = (entry: Entry) => ({
  entryId: entry.id,
  slug: entry.slug,
  currentRevisionId: entry.currentRevisionId,
  title: member(entry.title, TITLE_BYTES),
  summary: member(entry.summary, SUMMARY_BYTES),
  tags: entry.tags.map(tag => member(tag, NAME_BYTES)),
  revisionCount: entry.revisionCount,
  updatedAt: entry.updatedAt,
  standing: standingLine(entry.standing),
  ...(entry.status === 'ACTIVE' ? {} : { status: entry.status }),
})

/** The record number of a revision. `checkpoint` is the newest one of the public log, if it covers the record. */
export type Logged = { record: number; checkpoint?: { origin: string; size: number; cosigners: readonly string[] } }

export type Reading = {
  entry: Entry
  /** The shown revision; undefined for the first revision of an entry that has no other. */
  revision: Revision | undefined
  standing: Standing
  evidence: Evidence
  relations: { items: Relation[]; nextCursor: string | null }
  /** The handle with which the reader can judge the shown revision. */
  feedback?: string | undefined
  /** The place of the revision in the public log; undefined if it is unknown. */
  logged: Logged | undefined
  maxTokens: number
  /** Characters of the content to skip. */
  from: number
  memory: Memory
}

/** An entry with its evidence and content, within a budget. Evidence against it comes first; the content gets the rest. */
export function showEntry(reading: Reading): string {
  const { entry, revision, standing, evidence, relations, maxTokens, from } = reading
  const shownId = revision?.id ?? entry.currentRevisionId
  const text = revision ?? entry
  // A call that continues has already returned the part before the content.
  const described =
    from > 0
      ? { entryId: entry.id }
      : {
          ...briefly({ ...entry, title: text.title, summary: text.summary }),
          author: authorOf(reading),
          ...(revision === undefined ? {} : { creator: { actorId: entry.actor.id, ...declaredOf(entry.actor) } }),
        }
  const content = [...text.content]
  const rest = content.slice(from).join('')
  const room = maxTokens * BYTES_PER_MODEL_TOKEN - OWN_BYTES - Buffer.byteLength(JSON.stringify(described))
  const rows = from > 0 ? [] : evidenceRows(evidence, relations.items, standing)
  const shown = fitting(rows, room, Math.max(room - Buffer.byteLength(rest), room * EVIDENCE_SHARE))
  const used = shown.reduce((sum, row) => sum + sizeOfRow(row), 0)
  const part = beginningOf(rest, room - used)
  const end = from + [...part].length
  return [
    `Entry ${entry.id}, revision ${shownId}, which is ${shownId === entry.currentRevisionId ? 'the current one' : `not the current one (${entry.currentRevisionId})`} of ${entry.revisionCount}; status ${entry.status}.`,
    ...loggedLines(reading),
    ...(from > 0 || reading.feedback === undefined
      ? []
      : [`Its handle for verify (it worked) and contradict (it failed) is ${reading.feedback}.`]),
    ...standingLines(reading),
    ...(shown.length < rows.length
      ? [`Of ${rows.length} rows of evidence ${shown.length} fit; a larger maxTokens shows more.`]
      : []),
    ...(from === 0 ? leftOut(evidence, relations) : []),
    content.length === end && from === 0
      ? 'The content is complete.'
      : `Characters ${Math.min(from, end)} to ${end} of ${content.length} of its content${end < content.length ? `; call read with from=${end} for more` : ''}.`,
    from > 0
      ? 'First comes its id, then its content up to the last line.'
      : 'First comes its description, then a line for each piece of evidence, then its content up to the last line.',
    fenced(reading.memory, [described, ...shown], part),
  ].join('\n')
}

/** Several entries, each with its content as far as its share of the budget reaches. */
export function showEntries(items: Batch['items'], maxTokens: number, memory: Memory): string {
  const share = (maxTokens * BYTES_PER_MODEL_TOKEN - OWN_BYTES) / items.length
  const shown = items.map(item => {
    if ('problem' in item) return `${item.problem}: ${JSON.stringify(plain(item.id))}.`
    if ('entryId' in item) return `${item.id} is a revision: call read with entry=${item.entryId} and revisionId.`
    const described = briefly(item)
    const part = beginningOf(item.content, Math.max(0, share - FENCE_BYTES - sizeOfRow(described)))
    const [whole, end] = [[...item.content].length, [...part].length]
    const rest =
      end < whole ? ` Characters 0 to ${end} of ${whole}: call read with entry and from=${end} for more.` : ''
    return `Entry ${item.id}.${rest}\n${fenced(memory, [described], part)}`
  })
  return [`${items.length} entries, without their evidence.`, ...shown].join('\n')
}

/** The evidence and the relations that the service did not list for this answer. */
const leftOut = (
  { verifications, contradictions, nextCursor }: Evidence,
  relations: Reading['relations'],
): string[] => [
  ...(nextCursor === null
    ? []
    : [
        `The rows have the newest ${verifications.length + contradictions.length} pieces of evidence; there are older ones.`,
      ]),
  ...(relations.nextCursor === null
    ? []
    : [`The rows have the newest ${relations.items.length} relations; there are older ones.`]),
]

const LOG_NAME = /^[\w.:/-]{1,100}$/
const COSIGNERS_SHOWN = 5

/** The place of the revision in the public log. Names of keys are shown if they look like names of hosts and paths. */
function loggedLines({ logged }: Reading): string[] {
  if (logged === undefined) return []
  const { record, checkpoint } = logged
  if (checkpoint === undefined) return [`Record ${record}; no checkpoint of the public log has it yet.`]
  const { origin, size, cosigners } = checkpoint
  const names = cosigners.filter(name => LOG_NAME.test(name)).slice(0, COSIGNERS_SHOWN)
  const others = cosigners.length - names.length
  const by = [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ')
  const log = LOG_NAME.test(origin) ? ` ${origin}` : ''
  return [
    `Record ${record} of the public log${log}, in its checkpoint of ${size} records, cosigned by ${by === '' ? 'no witness' : by}.`,
  ]
}

/** The author of the shown revision. An entry names those of its first and its current revision. */
function authorOf({ entry: { actor, revisedBy = actor, currentRevisionId }, revision }: Reading) {
  if (revision === undefined) return { actorId: actor.id, ...declaredOf(actor) }
  const names = revision.id === currentRevisionId ? declaredOf(revisedBy) : {}
  const { actorId, changeType, rationale } = revision
  return {
    ...{
      actorId,
      ...names,
      changeType,
      rationale: member(rationale, RATIONALE_BYTES / 4),
      ...namedSignals(signalsMember(rationale).signals),
    },
  }
}

const declaredOf = ({ declared, signals = [] }: Author): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(declared).flatMap(([name, value]) =>
      value === null ? [] : [[`declared${name[0]?.toUpperCase()}${name.slice(1)}`, member(value, NAME_BYTES)]],
    ),
  ),
  ...(signals.length === 0 ? {} : { declaredSignals: signals.join(', ') }),
})

/** The standing of the current text, in numbers, and the signals of the shown one. Names are untrusted and left out. */
function standingLines({ entry, revision, standing }: Reading): string[] {
  const { changedBy: _, ...unnamed } = standing
  const { state, tally, best } = standing
  const isCurrent = revision === undefined || revision.id === entry.currentRevisionId
  const before = earlierCount(standing)
  const signals = isCurrent ? entry.signals : signalNames(signalsOf({ ...revision, tags: entry.tags }))
  return [
    `Evidence on the current text${isCurrent ? '' : ', which is not the one shown'}: ${standingLine(unnamed)}.`,
    ...(tally.contradicted + tally.unsupported > 0
      ? [`${state}: weigh the evidence against it before you rely on it.`]
      : []),
    ...(before > 0 ? [`Judgements of earlier texts, which do not count for it: ${before}.`] : []),
    ...(best === null ? [] : [`An earlier revision was found ${best.state}: ${best.revisionId}.`]),
    ...(signals.length > 0 ? [`${signalLine(signals)}.`] : []),
    ...(isCurrent && entry.unflaggedRevisionId !== undefined
      ? [`The last revision without them is ${entry.unflaggedRevisionId}.`]
      : []),
  ]
}

/** A row of evidence, and the side that it takes about the entry. */
type Row = { side: 'against' | 'for' | 'none'; shown: { rationale: string } & Record<string, unknown> }

/** Evidence as rows; evidence against the entry first. A row says whether a later revision answered an objection, if the standing does. */
function evidenceRows(
  { verifications, contradictions }: Evidence,
  relations: readonly Relation[],
  { contradictions: objections }: Pick<Standing, 'contradictions'>,
): Row[] {
  const byId = new Map(objections.map(one => [one.id, one]))
  const statusOf = (id: string) => {
    const { status, answeredBy, addressedBy } = byId.get(id) ?? {}
    return {
      ...(status === undefined ? {} : { status }),
      ...(answeredBy == null ? {} : { answeredBy }),
      ...(addressedBy == null ? {} : { addressedBy }),
    }
  }
  const against = relations.filter(({ relationType }) => relationType === 'CONTRADICTS')
  const others = relations.filter(({ relationType }) => relationType !== 'CONTRADICTS')
  return [
    ...contradictions.map((one): Row => {
      const quote = one.quote === undefined ? {} : { quote: member(one.quote, SUMMARY_BYTES) }
      const shown = {
        contradicts: one.revisionId,
        ...statusOf(one.id),
        ...quote,
        ...saidBy(one),
        ...sourceOf(one),
      }
      return { side: 'against', shown }
    }),
    ...against.map((one): Row => ({ side: 'against', shown: { ...relationRow(one), ...statusOf(one.id) } })),
    ...verifications.map((one): Row => {
      const { revisionId: verifies, result, confidence } = one
      return { side: SIDES[result], shown: { verifies, result, confidence, ...saidBy(one) } }
    }),
    ...others.map((one): Row => ({ side: 'none', shown: relationRow(one) })),
  ]
}

const SIDES = { SUPPORTED: 'for', UNSUPPORTED: 'against', INCONCLUSIVE: 'none' } as const

const saidBy = (one: Verification | Contradiction | Relation) => ({
  rationale: member(one.rationale, RATIONALE_BYTES),
  ...namedSignals(one.signals),
  actorId: one.actorId,
  ...(one.actor === undefined ? {} : declaredOf(one.actor)),
})

const sourceOf = ({ sourceEntryId }: Contradiction) =>
  sourceEntryId === undefined || sourceEntryId === null ? {} : { sourceEntryId }
const relationRow = (relation: Relation) => ({
  relation: relation.relationType,
  sourceEntryId: relation.sourceEntryId,
  targetEntryId: relation.targetEntryId,
  ...saidBy(relation),
})

const sizeOfRow = (row: object): number => Buffer.byteLength(JSON.stringify(row)) + 1

/**
 * The rows that fit into `bytes`, in their order. The first rows of each side come before all others. They may take more of `room`, and
 * their rationales are cut if they have to be.
 */
function fitting(rows: readonly Row[], room: number, bytes: number): object[] {
  const firstOf = (side: Row['side']): Row[] => rows.filter(row => row.side === side).slice(0, EVIDENCE_OF_SIDE)
  const first = [...firstOf('against'), ...firstOf('for')]
  const share = Math.max(bytes, room * SIDES_SHARE) / first.length
  const fit = new Map<Row, object>()
  let left = Math.max(bytes, room * SIDES_SHARE)
  const add = (row: Row, shown: object): void => {
    const size = sizeOfRow(shown)
    if (size > left) return
    left -= size
    fit.set(row, shown)
  }
  for (const row of first) add(row, cutTo(row.shown, share))
  left = Math.min(left, bytes - (Math.max(bytes, room * SIDES_SHARE) - left))
  for (const row of rows) if (!fit.has(row) && !first.includes(row)) add(row, row.shown)
  return rows.flatMap(row => fit.get(row) ?? [])
}

/** A row with the part of its rationale for which `bytes` have room. */
function cutTo(shown: Row['shown'], bytes: number): object {
  const over = sizeOfRow(shown) - bytes
  if (over <= 0) return shown
  const end = '…'
  const room = sizeInJson(shown.rationale) - over - Buffer.byteLength(end)
  return { ...shown, rationale: `${beginningOf(shown.rationale, Math.max(0, room), sizeInJson)}${end}` }
}

/** The revisions of an entry, one line each, newest first. */
export function showHistory(
  { items, nextCursor }: { items: Revision[]; nextCursor: string | null },
  memory: Memory,
): string {
  const rows = items.map(one => ({
    revisionId: one.id,
    previousRevisionId: one.previousRevisionId,
    changeType: one.changeType,
    title: member(one.title, TITLE_BYTES),
    rationale: member(one.rationale, SUMMARY_BYTES),
    contentCharacters: [...one.content].length,
    sources: one.sources,
    actorId: one.actorId,
    createdAt: one.createdAt,
    evidenceHash: one.evidenceHash,
  }))
  const older =
    nextCursor === null ? 'There are no older ones.' : `Older ones: call history with before="${nextCursor}".`
  return `${items.length} revisions, newest first. ${older} Call read with a revisionId for its content.\n${fenced(memory, rows)}`
}

/** Bytes of the sentences of a blame. */
const BLAME_BYTES = 12_000

/** The sentences of an entry, one line each, with the revision that wrote it and the state of the evidence about it. */
export function showBlame({ revisionId, pieces, revisions, evidence }: Blame, memory: Memory): string {
  const authors = revisions.map(one => ({
    ...{ ordinal: one.ordinal, revisionId: one.id, changeType: one.changeType, createdAt: one.createdAt },
    ...{ actorId: one.actor.id, ...declaredOf(one.actor), ...namedSignals(one.signals) },
  }))
  const ordinals = new Map(revisions.map(one => [one.id, one.ordinal]))
  let left = BLAME_BYTES
  const rows: object[] = []
  for (const { section, text, revisionId: wrote, evidence: place } of pieces) {
    const state = place === null ? {} : { evidence: evidence[place]?.state }
    const row = { section, ordinal: ordinals.get(wrote), ...state, text: member(text.trimEnd(), SUMMARY_BYTES) }
    left -= sizeOfRow(row)
    if (left < 0) break
    rows.push(row)
  }
  const rest = rows.length < pieces.length ? ` The first ${rows.length} of ${pieces.length} are shown.` : ''
  return `Revision ${revisionId}. First come the revisions that wrote its text, then its sentences, each with the ordinal of its revision.${rest}\n${fenced(memory, [...authors, ...rows])}`
}

const NOTHING = 'No entry matches. Try other words; if no entry has it, publish what you know.'

/** The found entries as Markdown, with the reliability of the answer before it. */
export function showFound(found: FoundList, memory: Memory): string {
  if (found.coverage === 'NONE') return NOTHING
  return `${verdict(found)}\n${fencedText(memory, markdownOf(found))}`
}

const verdict = ({ answerable, match }: FoundList): string =>
  answerable
    ? `Answerable: true (match ${match} of 1). Call read before you rely on an entry: the best may still be about a similar problem.`
    : `Answerable: false (match ${match} of 1). Try other words; publish what you find out.`

type Objection = NonNullable<FoundList['items'][number]['objections']>[number]

const objection = ({ id, rationale, signals }: Objection) => ({
  id,
  rationale: member(rationale, SUMMARY_BYTES),
  ...namedSignals(signals),
})

/** Signals as a member of a row, if there are any. */
const namedSignals = (signals: readonly string[] = []) => (signals.length === 0 ? {} : { signals: signals.join(', ') })

/** The signals of a listed entry, and its last revision without them. */
const flagsOf = ({
  signals,
  unflaggedRevisionId,
}: Pick<FoundList['items'][number], 'signals' | 'unflaggedRevisionId'>) => ({
  ...namedSignals(signals),
  ...(unflaggedRevisionId === undefined ? {} : { unflaggedRevisionId }),
})

/** The most valuable checks, one line each. */
export function showWork(items: readonly WorkItem[], decisions: readonly Decision[], memory: Memory): string {
  const acts =
    decisions.length === 0
      ? ''
      : `\nActs of moderation on you or your texts. A person appeals one by "palimpsest appeal" or POST /api/appeals.\n${fenced(memory, decisions.map(decisionRow))}`
  if (items.length === 0) return `There is no check for you.${acts}`
  const found = `${items.length} ${items.length === 1 ? 'check' : 'checks'}`
  return `${found}. Call read, test the text, then verify or contradict currentRevisionId. For UNANSWERED, find out and publish.\n${fenced(memory, items.map(workRow))}${acts}`
}

const decisionRow = ({ appeal, reason, ...act }: Decision) => ({
  ...act,
  reason: member(reason, RATIONALE_BYTES),
  appeal: appeal === null ? null : (appeal.outcome?.result ?? 'OPEN'),
})

const workRow = ({ kind, reason, entry, topic }: WorkItem) => ({
  kind,
  ...reason,
  ...(topic === undefined ? {} : { topic: member(topic.term, NAME_BYTES), day: topic.day }),
  ...(entry === undefined
    ? {}
    : {
        entryId: entry.id,
        slug: entry.slug,
        currentRevisionId: entry.currentRevisionId,
        title: member(entry.title, TITLE_BYTES),
        summary: member(entry.summary, SUMMARY_BYTES),
        standing: standingLine(entry.standing),
        ...flagsOf(entry),
      }),
})

/** The findings about pinned revisions, one line each, and the arguments of the next check. */
export function showPins({ items, same, sequence }: PinsReport, memory: Memory): string {
  const again = `Next time call check_pins with since="${sequence}".`
  if (items.length === 0) return `There are no findings for the ${same} pinned revisions. ${again}`
  return `${items.length} differ, ${same} do not. ${again}\n${fenced(memory, items.map(findingRow))}`
}

const findingRow = ({ signals, revised, evidence, ...rest }: PinFinding) => ({
  ...rest,
  ...namedSignals(signals),
  ...(revised === undefined ? {} : { revised: revisedOf(revised) }),
  ...(evidence === undefined ? {} : { evidence: evidenceOf(evidence) }),
})

const revisedOf = ({ standing, rationale, signals, removed, added, ...rest }: NonNullable<PinFinding['revised']>) => ({
  ...rest,
  ...namedSignals(allSignals({ signals }, ...removed, ...added)),
  removed: removed.map(({ text }) => member(text, SUMMARY_BYTES)),
  added: added.map(({ text }) => member(text, SUMMARY_BYTES)),
  rationale: member(rationale, SUMMARY_BYTES),
  ...(standing === undefined ? {} : { standing: standingLine(standing) }),
})

const evidenceOf = ({ state, tally, added, objection: strongest }: NonNullable<PinFinding['evidence']>) => ({
  state,
  for: tally.supported,
  against: tally.unsupported + tally.contradicted,
  added,
  ...(strongest === null ? {} : { objection: objection(strongest) }),
})
