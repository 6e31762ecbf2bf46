import type { Transaction } from '../../src/engine/database.ts'
import { findAddress, findWrongChange, readChanges, recomputeChanges } from '../../src/memory/entries/rows.ts'
import { findAnswer } from '../../src/memory/entries/view-rows.ts'
import {
  findObjector,
  listChanges,
  listJudgements,
  standingColumns,
  storedStanding,
} from '../../src/memory/evidence/rows.ts'
import { COUNTED_JUDGEMENTS } from '../../src/memory/evidence/rules.ts'
import type { WriteName } from '../../src/memory/operation.ts'
import { isCorrectedAfter, listOwnWrites } from '../../src/memory/work/rows.ts'

type Made = Record<string, string>
/** Performs a write operation as one of two actors, the author of an entry or one who judges it. */
type Act = (who: 'author' | 'judge', name: WriteName, body: object, params?: Record<string, string>) => Promise<Made>

const text = { title: 'Owl', summary: 'An owl', content: 'Owls see at night.' }
const other = { title: 'Heron', summary: 'Wades', content: 'Herons stand in shallow water.' }

/**
 * Takes the evidence about an entry through its life: judged, contradicted in both ways and with a quote, revised without a change, and
 * corrected. Returns the slugs of entries whose standing names something of every kind.
 */
export async function recordStandings(tx: Transaction, act: Act): Promise<string[]> {
  const entry = await act('author', 'createEntry', text)
  const source = await act('judge', 'createEntry', other)
  const at = { slug: String(entry.slug) }
  const revisionId = entry.currentRevisionId
  const revise = (body: object, previous: Made): Promise<Made> =>
    act('author', 'reviseEntry', { rationale: 'So', ...body, previousRevisionId: previous.currentRevisionId }, at)
  await act('author', 'verifyRevision', { revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Mine' }, at)
  await act('judge', 'contradictRevision', { revisionId, rationale: 'No' }, at)
  const item = { entry: at.slug, revisionId, kind: 'CONTRADICT', rationale: 'No', quote: 'at night' }
  await act('judge', 'recordEvidence', { items: [item] })
  const same = await revise({ ...text, changeType: 'EXPAND' }, entry)
  const corrected = await revise({ ...other, changeType: 'CORRECT' }, same)
  const restored = await revise({ ...text, changeType: 'EXPAND' }, corrected)
  const supporting = { revisionId: restored.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Yes' }
  await act('judge', 'verifyRevision', supporting, at)
  await revise({ ...other, changeType: 'CORRECT' }, restored)
  const objected = await act('author', 'createEntry', text)
  const relation = {
    sourceEntryId: source.id,
    targetEntryId: objected.id,
    relationType: 'CONTRADICTS',
    rationale: 'No',
  }
  await act('judge', 'relateEntries', relation)
  const wrong = await act('author', 'createEntry', text)
  const wrongAt = { slug: String(wrong.slug) }
  await act('judge', 'contradictRevision', { revisionId: wrong.currentRevisionId, rationale: 'No' }, wrongAt)
  const fixed = { ...other, rationale: 'So', changeType: 'CORRECT', previousRevisionId: wrong.currentRevisionId }
  await act('author', 'reviseEntry', fixed, wrongAt)
  await listJudgements(tx, { number: 1, evidence: COUNTED_JUDGEMENTS + 1, relations: COUNTED_JUDGEMENTS + 1 })
  await listChanges(tx, 1, 1, 2, 9)
  await standingColumns(tx, { ...storedStanding(null), changedBy: { actor: 1, others: 0 } })
  await findAddress(tx, 1)
  await listOwnWrites(tx, 1, 9)
  for (const verdict of ['CONTRADICTS', 'CONTRADICTED'] as const) await findObjector(tx, 1, verdict)
  await isCorrectedAfter(tx, 1, { revision: 1, actor: 1 })
  await findAnswer(tx, 1)
  await findWrongChange(tx, 1)
  await readChanges(tx, 1)
  await recomputeChanges(tx, 1)
  return [entry, objected, wrong].map(({ slug }) => String(slug))
}
