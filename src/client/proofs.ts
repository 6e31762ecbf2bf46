import {
  type LogVerdict,
  type ProofVerdict,
  type ReadFile,
  type Trust,
  verifyLogFiles,
  verifyProof,
} from '../tlog/verify/verify.js'
import type { Connection } from './connection.ts'
import { verifyHash } from './hash.ts'
import { clientError } from './problem.ts'
import type { Revision } from './resources.ts'
import type { CallOptions } from './settings.ts'
import type { Methods } from './table.ts'

/** The trusted keys or policy, and older checkpoints that the caller stored. */
export type LogTrust = Trust & { older?: readonly string[] }

/** Reads files of the service by their path. */
const readFrom =
  (connection: Connection, base: string, options?: CallOptions): ReadFile =>
  async path =>
    (await connection.send(
      { method: 'GET', path: base + path, charged: true, bytes: true },
      options,
    )) as Uint8Array<ArrayBuffer>

/** Reads the proof of a record and verifies it. Throws INVALID_ARGUMENT if `record` is not a record number. */
export async function verifyRecord(
  connection: Connection,
  record: string | number,
  trust: Trust,
  options?: CallOptions,
): Promise<ProofVerdict> {
  if (!/^[1-9]\d{0,15}$/.test(String(record))) {
    throw clientError('INVALID_ARGUMENT', 'record is the number of a record, from 1.')
  }
  const proof = await readFrom(connection, '/api/log/records/', options)(`${record}/proof`)
  const verdict = await verifyProof(new TextDecoder().decode(proof), trust)
  if (verdict.holds && verdict.record !== Number(record)) {
    return { ...verdict, holds: false, reasons: [`The proof is of record ${verdict.record}.`] }
  }
  return verdict
}

/**
 * Verifies a revision of the caller: its hash, the proof that its record is in the log, and that the record names this hash, entry and
 * author.
 */
export async function verifyRevision(
  connection: Connection,
  methods: Methods,
  revision: Revision,
  trust: Trust,
  options: CallOptions = {},
): Promise<ProofVerdict> {
  let [record]: number[] = []
  await methods.readRevision(revision.entryId, revision.id, {
    ...options,
    onResponse(metadata) {
      record = metadata.records[0]
      options.onResponse?.(metadata)
    },
  })
  if (record === undefined)
    return { holds: false, reasons: ['The service names no record of the revision.'], witnesses: [] }
  const [verdict, hash] = await Promise.all([
    verifyRecord(connection, record, trust, options),
    verifyHash(methods, revision, options),
  ])
  const reasons = [...verdict.reasons]
  if (!hash.holds) reasons.push('The revision is not what its evidenceHash was made of.')
  for (const member of ['evidenceHash', 'entryId', 'actorId'] as const) {
    if (verdict.statement?.[member] !== revision[member])
      reasons.push(`The log has another ${member} for record ${record}.`)
  }
  return { ...verdict, reasons, holds: reasons.length === 0 }
}

/** Reads and verifies the whole log. The signed root must be that of all entries, and the log must extend every older checkpoint. */
export const verifyLog = (connection: Connection, trust: LogTrust, options?: CallOptions): Promise<LogVerdict> =>
  verifyLogFiles(readFrom(connection, '/log/', options), trust)
