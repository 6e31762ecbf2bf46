import type { Awaitable } from '../database/database.ts'
import { readActor } from './actors/read-actor.ts'
import { findEntriesAsOf } from './as-of/find-as-of.ts'
import { readEntryAsOf } from './as-of/read-as-of.ts'
import { findEntries } from './entries/find-entries.ts'
import { readBatch } from './entries/read-batch.ts'
import { readBlame } from './entries/read-blame.ts'
import { listEntries, readEntry, searchEntries } from './entries/read-entries.ts'
import { listEvidence, listRelations, listRevisions, readRevision } from './entries/read-history.ts'
import { readOverview } from './entries/read-overview.ts'
import { listSimilar } from './entries/read-similar.ts'
import { checkPins } from './evidence/check-pins.ts'
import { listWork } from './evidence/list-work.ts'
import { readStanding } from './evidence/read-standing.ts'
import { exportRecords, readExportManifest } from './export/read-export.ts'
import { readLogProof, readLogRecord } from './log/read-log.ts'
import { listReports, readAdminEvidence, readAdminSnapshot } from './moderation/read-administration.ts'
import { listChanges, streamChanges } from './observation/changes.ts'
import { listActivity, listTimeline, readStats, streamActivity } from './observation/read-observation.ts'
import type { Answer, CheckedRead, HandlersOf, ReadName, Reads } from './operation.ts'
import { readDiscovery, readHealth, readReadiness } from './read-service.ts'

/** The operations of the contract that only read, by name. */
export const READS: HandlersOf<'read'> = {
  readActor,
  listEntries,
  searchEntries,
  readEntry,
  readOverview,
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

/** The lists of the contract that can be streamed, by name. */
export const STREAMS: HandlersOf<'stream'> = { streamActivity, streamChanges }

type Run = (reads: Reads, request: CheckedRead) => Awaitable<Answer>

/** Runs a read. Its request must match the contract. */
export const runRead = (name: ReadName, reads: Reads, request: CheckedRead): Awaitable<Answer> =>
  (READS as Record<ReadName, unknown> as Record<ReadName, Run>)[name](reads, request)
