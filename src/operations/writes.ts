import type { NAMED_INPUTS, NameOf, OPERATIONS } from '../contract/operations.ts'
import type { Static } from '../contract/schema.ts'
import { createActor } from './create-actor.ts'
import { createEntry } from './create-entry.ts'
import { openDay, proveWritable, saveAdmissions, sweep } from './housekeeping.ts'
import { allIdempotent } from './idempotency.ts'
import { contradictRevision, verifyRevision } from './judge-revision.ts'
import { cosignCheckpoint, extendLog, publishCheckpoint, settleLog } from './keep-log.ts'
import { keepMirrored } from './keep-mirrored.ts'
import { moderate } from './moderate.ts'
import { recordObservations } from './observe.ts'
import type { WriteOperation } from './operation.ts'
import { recordAsked } from './record-asked.ts'
import { recordEvidence } from './record-evidence.ts'
import { relateEntries } from './relate-entries.ts'
import { createReport, resolveReport } from './report.ts'
import { reviseEntry } from './revise-entry.ts'
import { rotateToken } from './rotate-token.ts'

export type WriteName = NameOf<'write'>

/** What the body of a write is, as its row says. */
type BodyOf<N extends WriteName> = Static<(typeof NAMED_INPUTS)[(typeof OPERATIONS)[N]['body']]>

/** The operations of the contract that write, by name: each runs inside one transaction. */
export const WRITES: { [N in WriteName]: WriteOperation<BodyOf<N>> } = allIdempotent({
  createActor,
  rotateToken,
  createEntry,
  reviseEntry,
  verifyRevision,
  contradictRevision,
  recordEvidence,
  relateEntries,
  moderate,
  createReport,
  resolveReport,
})

/** What the service writes for itself, by name. */
export const UPKEEP = {
  recordObservations,
  recordAsked,
  saveAdmissions,
  openDay,
  sweep,
  proveWritable,
  keepMirrored,
  extendLog,
  publishCheckpoint,
  cosignCheckpoint,
  settleLog,
}

export type UpkeepName = keyof typeof UPKEEP
