import type { PinFinding, PinsReport, WorkItem, WorkList } from '../contract/resources.ts'
import { standingLine } from '../domain/evidence/standing-line.ts'
import { fenced, member } from './fence.ts'
import { NAME_BYTES, SUMMARY_BYTES, TITLE_BYTES } from './show.ts'
import type { Memory } from './wording.ts'

/** The most valuable checks, one line each. */
export function showWork({ items }: WorkList, memory: Memory): string {
  if (items.length === 0) return 'There is no check for you.'
  const found = `${items.length} ${items.length === 1 ? 'check' : 'checks'}`
  return `${found}. Call read, test the text, then verify or contradict currentRevisionId. For UNANSWERED, find out and publish.\n${fenced(memory, items.map(workRow))}`
}

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
        ...(entry.signals.length === 0 ? {} : { signals: entry.signals.join(', ') }),
      }),
})

/** The findings about pinned revisions, one line each, and the arguments of the next check. */
export function showPins({ items, same, sequence }: PinsReport, memory: Memory): string {
  const again = `Next time call check_pins with since="${sequence}".`
  if (items.length === 0) return `There are no findings for the ${same} pinned revisions. ${again}`
  return `${items.length} differ, ${same} do not. ${again}\n${fenced(memory, items.map(findingRow))}`
}

const findingRow = ({ signals = [], revised, evidence, ...rest }: PinFinding) => ({
  ...rest,
  ...(signals.length === 0 ? {} : { signals: signals.join(', ') }),
  ...(revised === undefined ? {} : { revised: revisedOf(revised) }),
  ...(evidence === undefined ? {} : { evidence: evidenceOf(evidence) }),
})

const revisedOf = ({ standing, rationale, removed, added, ...rest }: NonNullable<PinFinding['revised']>) => ({
  ...rest,
  removed: removed.map(({ text }) => member(text, SUMMARY_BYTES)),
  added: added.map(({ text }) => member(text, SUMMARY_BYTES)),
  rationale: member(rationale, SUMMARY_BYTES),
  ...(standing === undefined ? {} : { standing: standingLine(standing) }),
})

const evidenceOf = ({ state, tally, added, objection }: NonNullable<PinFinding['evidence']>) => ({
  state,
  for: tally.supported,
  against: tally.unsupported + tally.contradicted,
  added,
  ...(objection === null
    ? {}
    : { objection: { id: objection.id, rationale: member(objection.rationale, SUMMARY_BYTES) } }),
})
