import {
  type LogVerdict,
  type ProofVerdict,
  type ReadFile,
  type Trust,
  verifyLogFiles,
  verifyProof,
} from '../tlog/verify.js'
import type { Connection } from './connection.ts'
import { clientError } from './problem.ts'
import type { CallOptions } from './settings.ts'

/** Who is trusted, and checkpoints of the log that were kept at any time before. */
export type LogTrust = Trust & { older?: readonly string[] }

/** Reads files of the service by their path. */
const readFrom =
  (connection: Connection, base: string, options?: CallOptions): ReadFile =>
  async path =>
    (await connection.send(
      { method: 'GET', path: base + path, charged: true, octets: true },
      options,
    )) as Uint8Array<ArrayBuffer>

/** Reads the proof of a record and verifies it. */
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

/** Reads the whole log and verifies it: that the signed root is that of all entries, and that it begins with every older checkpoint. */
export const verifyLog = (connection: Connection, trust: LogTrust, options?: CallOptions): Promise<LogVerdict> =>
  verifyLogFiles(readFrom(connection, '/log/', options), trust)
