import type { PinFinding, PinsReport } from '../contract/resources.ts'
import { standingLine } from '../domain/evidence/standing-line.ts'
import { fenced, member } from './fence.ts'
import { SUMMARY_BYTES } from './show.ts'

/** The findings about pinned revisions, one line each, and the arguments of the next check. */
export function showPins({ items, same, sequence }: PinsReport, shared: boolean): string {
  const again = `Next time call check_pins with since="${sequence}".`
  if (items.length === 0) return `There are no findings for the ${same} pinned revisions. ${again}`
  return `${items.length} differ, ${same} do not. ${again}\n${fenced(shared, items.map(row))}`
}

const row = ({ signals = [], revised, evidence, ...rest }: PinFinding) => ({
  ...rest,
  ...(signals.length === 0 ? {} : { signals: signals.join(', ') }),
  ...(revised === undefined ? {} : { revised: revisedOf(revised) }),
  ...(evidence === undefined ? {} : { evidence: evidenceOf(evidence) }),
})

const revisedOf = ({ standing, rationale, ...rest }: NonNullable<PinFinding['revised']>) => ({
  ...rest,
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
