import type { NameOf } from '../contract/operations.ts'
import { listChanges, streamChanges } from './changes.ts'
import { checkPins } from './check-pins.ts'
import { findEntriesAsOf } from './find-as-of.ts'
import { findEntries } from './find-entries.ts'
import { listWork } from './list-work.ts'
import type { ReadOperation, StreamOperation } from './operation.ts'
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
import { streamActivity } from './stream-activity.ts'

export type ReadName = NameOf<'read'>
export type StreamName = NameOf<'stream'>

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
