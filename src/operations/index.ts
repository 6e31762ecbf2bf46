import type { NAMED_INPUTS, NameOf, OPERATIONS } from '../contract/operations.ts'
import type { Static } from '../contract/schema.ts'
import { listChanges, streamChanges } from './changes.ts'
import { checkPins } from './check-pins.ts'
import { createActor } from './create-actor.ts'
import { createEntry } from './create-entry.ts'
import { findEntriesAsOf } from './find-as-of.ts'
import { findEntries } from './find-entries.ts'
import { openDay, proveWritable, saveAdmissions, sweep } from './housekeeping.ts'
import { allIdempotent } from './idempotency.ts'
import { contradictRevision, verifyRevision } from './judge-revision.ts'
import { cosignCheckpoint, extendLog, publishCheckpoint, settleLog } from './keep-log.ts'
import { keepMirrored } from './keep-mirrored.ts'
import { listWork } from './list-work.ts'
import { moderate } from './moderate.ts'
import { recordObservations } from './observe.ts'
import type { ReadOperation, StreamOperation, WriteOperation } from './operation.ts'
import { readActor } from './read-actor.ts'
import { readAdminEvidence, readAdminSnapshot } from './read-administration.ts'
import { readEntryAsOf } from './read-as-of.ts'
import { readBatch } from './read-batch.ts'
import { readBlame } from './read-blame.ts'
import { listEntries, readEntry, searchEntries } from './read-entries.ts'
import { exportRecords, readExportManifest } from './read-export.ts'
import { listEvidence, listRelations, listRevisions, readRevision } from './read-history.ts'
import { readLogProof, readLogRecord } from './read-log.ts'
import { listActivity, listTimeline, readStats } from './read-observation.ts'
import { listReports } from './read-reports.ts'
import { readDiscovery, readHealth, readReadiness } from './read-service.ts'
import { listSimilar } from './read-similar.ts'
import { readStanding } from './read-standing.ts'
import { recordAsked } from './record-asked.ts'
import { recordEvidence } from './record-evidence.ts'
import { relateEntries } from './relate-entries.ts'
import { createReport, resolveReport } from './report.ts'
import { reviseEntry } from './revise-entry.ts'
import { rotateToken } from './rotate-token.ts'
import { streamActivity } from './stream-activity.ts'

export type ReadName = NameOf<'read'>
export type StreamName = NameOf<'stream'>
export type WriteName = NameOf<'write'>

/** The operations of the contract that only read, by name. */
export const READS: { [N in ReadName]: ReadOperation } = {
  readActor,
  listEntries,
  searchEntries,
  readEntry,
  readEntryAsOf,
  findEntriesAsOf,
  readBatch,
  findEntries,
  checkPins,
  listWork,
  listSimilar,
  listRevisions,
  readRevision,
  listRelations,
  listEvidence,
  readStanding,
  readBlame,
  listTimeline,
  listActivity,
  listChanges,
  readStats,
  exportRecords,
  readExportManifest,
  readLogRecord,
  readLogProof,
  readDiscovery,
  readHealth,
  readReadiness,
  readAdminSnapshot,
  readAdminEvidence,
  listReports,
}

/** The lists of the contract that are followed, by name. */
export const STREAMS: { [N in StreamName]: StreamOperation } = { streamActivity, streamChanges }

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
