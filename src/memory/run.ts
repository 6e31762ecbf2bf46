import type { Awaitable, Transaction } from '../engine/database.ts'
import { exportRecords, readExportManifest } from '../mirror/export.ts'
import { keepMirrored } from '../mirror/keep.ts'
import { cosignCheckpoint, extendLog, publishCheckpoint, settleLog } from '../tlog/append.ts'
import { readLogProof, readLogRecord } from '../tlog/read.ts'
import { listChanges, streamChanges } from './activity/changes.ts'
import { recordObservations } from './activity/observe.ts'
import { listActivity, listTimeline, readStats, streamActivity } from './activity/read.ts'
import { recordUnansweredTopics } from './activity/unanswered.ts'
import { createActor, readActor, rotateToken } from './actors/actor.ts'
import { findEntriesAsOf, readEntryAsOf } from './as-of/read.ts'
import { readBlame } from './entries/blame.ts'
import { createEntry } from './entries/create.ts'
import { findEntries } from './entries/find.ts'
import { listEvidence, listRelations, listRevisions, readRevision } from './entries/history.ts'
import { readOverview } from './entries/overview.ts'
import { listEntries, readBatch, readEntry, searchEntries } from './entries/read.ts'
import { reviseEntry } from './entries/revise.ts'
import { listSimilar } from './entries/similar.ts'
import { contradictRevision, recordEvidence, sendFeedback, verifyRevision } from './evidence/judge.ts'
import { readStanding } from './evidence/read.ts'
import { idempotent } from './idempotency/replay.ts'
import { saveAdmissions } from './limits/rows.ts'
import { createAppeal, listAppeals, listDecisions } from './moderation/appeal.ts'
import { applyErasures, moderate } from './moderation/moderate.ts'
import { listReports, readAdminEvidence, readAdminSnapshot, readModerationCounts } from './moderation/read.ts'
import { createReport, readReport, resolveReport } from './moderation/report.ts'
import type {
  Answer,
  CheckedRead,
  CheckedWrite,
  Context,
  HandlersOf,
  ReadName,
  ReadOperation,
  Reads,
  WriteAnswer,
  WriteName,
  WriteOperation,
} from './operation.ts'
import { checkPins } from './pins/check.ts'
import { relateEntries } from './relations/relate.ts'
import { keepPurged, openDay, proveWritable, readDiscovery, readHealth, readReadiness, sweep } from './service.ts'
import { listWork } from './work/list.ts'

/** A read that depends only on its request and on permanent records. Its answers are cached. */
const ofRecords =
  <N extends ReadName>(name: N, read: ReadOperation<N>): ReadOperation<N> =>
  (reads, request) =>
    reads.entries.answer(JSON.stringify([name, request.params, request.query]), () => read(reads, request))

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
  listRevisions: ofRecords('listRevisions', listRevisions),
  readRevision: ofRecords('readRevision', readRevision),
  listRelations: ofRecords('listRelations', listRelations),
  listEvidence: ofRecords('listEvidence', listEvidence),
  readStanding: ofRecords('readStanding', readStanding),
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
  listAppeals,
  readReport,
  readModerationCounts,
  listDecisions,
}

/** The lists of the contract that can be streamed, by name. */
export const STREAMS: HandlersOf<'stream'> = { streamActivity, streamChanges }

type RunRead = (reads: Reads, request: CheckedRead) => Awaitable<Answer>

/** The same for a name that is known only at run time. The request must match the contract. */
export const READS_BY_NAME = READS as Record<ReadName, unknown> as Record<ReadName, RunRead>

type Wrap = <N extends WriteName>(operation: WriteOperation<N>) => WriteOperation<N>

/** The same operations, each wrapped. */
const mapHandlers = (operations: HandlersOf<'write'>, wrap: Wrap): HandlersOf<'write'> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, wrap(operation as WriteOperation<WriteName>)]),
  ) as unknown as HandlersOf<'write'>

/** The operations of the contract that write, by name: each runs inside one transaction. */
export const WRITES: HandlersOf<'write'> = mapHandlers(
  {
    createActor,
    rotateToken,
    createEntry,
    reviseEntry,
    verifyRevision,
    contradictRevision,
    recordEvidence,
    sendFeedback,
    relateEntries,
    moderate,
    createAppeal,
    createReport,
    resolveReport,
  },
  idempotent,
)

type RunWrite = (tx: Transaction, context: Context, request: CheckedWrite) => Promise<WriteAnswer>

/** Runs a write. Its request must match the contract. */
export const runWrite = (name: WriteName, ...[tx, context, request]: Parameters<RunWrite>): Promise<WriteAnswer> =>
  (WRITES as Record<WriteName, unknown> as Record<WriteName, RunWrite>)[name](tx, context, request)

/** The writes of the service itself, by name. */
export const MAINTENANCE = {
  recordObservations,
  recordUnansweredTopics,
  saveAdmissions,
  openDay,
  sweep,
  proveWritable,
  keepMirrored,
  extendLog,
  publishCheckpoint,
  cosignCheckpoint,
  settleLog,
  keepPurged,
  applyErasures,
}

export type MaintenanceName = keyof typeof MAINTENANCE
