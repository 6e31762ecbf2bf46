import type { Transaction } from '../database/database.ts'
import { HEAD } from '../store/head.ts'
import { createActor, rotateToken } from './actors/issue-token.ts'
import { createEntry } from './entries/create-entry.ts'
import { relateEntries } from './entries/relate-entries.ts'
import { reviseEntry } from './entries/revise-entry.ts'
import { contradictRevision, verifyRevision } from './evidence/judge-revision.ts'
import { recordEvidence } from './evidence/record-evidence.ts'
import { keepMirrored } from './export/store-mirrored.ts'
import { keepPurged, openDay, proveWritable, saveAdmissions, sweep } from './housekeeping.ts'
import { idempotent } from './idempotency.ts'
import { cosignCheckpoint, extendLog, publishCheckpoint, settleLog } from './log/append-log.ts'
import { moderate } from './moderation/moderate.ts'
import { createReport, resolveReport } from './moderation/report.ts'
import { recordObservations } from './observation/observe.ts'
import { recordUnansweredTopics } from './observation/record-unanswered.ts'
import type { CheckedWrite, Context, HandlersOf, WriteAnswer, WriteName, WriteOperation } from './operation.ts'

/**
 * Adds the newest sequence of its transaction to the answer of a write. That is the sequence of the write itself, or of a later write of
 * the same commit. A store that has reached it contains the write.
 */
const sequenced =
  <N extends WriteName>(operation: WriteOperation<N>): WriteOperation<N> =>
  async (tx, context, request) => {
    const answer = await operation(tx, context, request)
    return { ...answer, sequence: (await tx.load(HEAD)).sequence }
  }

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
    relateEntries,
    moderate,
    createReport,
    resolveReport,
  },
  operation => idempotent(sequenced(operation)),
)

type Run = (tx: Transaction, context: Context, request: CheckedWrite) => Promise<WriteAnswer>

/** Runs a write. Its request must match the contract. */
export const runWrite = (name: WriteName, ...[tx, context, request]: Parameters<Run>): Promise<WriteAnswer> =>
  (WRITES as Record<WriteName, unknown> as Record<WriteName, Run>)[name](tx, context, request)

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
}

export type MaintenanceName = keyof typeof MAINTENANCE
