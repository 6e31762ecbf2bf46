// @ts-check
import { fromBase64, fromDecimal, fromHashLine, MalformedError, toBase64 } from './bytes.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** A proof that a leaf is in a log: its index, the inclusion proof, the signed checkpoint, and bytes for the application. @typedef {{ index: number, hashes: Bytes[], checkpoint: string, extra?: Bytes }} Proof */

const FORMAT = 'c2sp.org/tlog-proof@v1'
const PROOF_MAX = 524_288
/** Maximum hashes of a proof; a tree of 2^63 leaves needs as many. */
export const HASHES_MAX = 63

/** Writes a proof as a file (c2sp.org/tlog-proof). @param {Proof} proof @returns {string} */
export function formatProof({ index, hashes, checkpoint, extra }) {
  const lines = [FORMAT, ...(extra ? [`extra ${toBase64(extra)}`] : []), `index ${index}`, ...hashes.map(toBase64)]
  return `${lines.join('\n')}\n\n${checkpoint}`
}

/** Reads a proof. Throws MalformedError. Does not parse the checkpoint. @param {string} source @returns {Proof} */
export function parseProof(source) {
  const at = source.indexOf('\n\n')
  if (source.length > PROOF_MAX || at < 0) throw new MalformedError('A proof is too long, or has no checkpoint.')
  const [format, ...lines] = source.slice(0, at).split('\n')
  if (format !== FORMAT) throw new MalformedError(`A proof begins with ${FORMAT}.`)
  const extra = lines[0]?.startsWith('extra ') ? { extra: fromBase64((lines.shift() ?? '').slice(6)) } : {}
  const index = /^index (\d+)$/.exec(lines.shift() ?? '')?.[1]
  if (lines.length > HASHES_MAX) throw new MalformedError('A proof has at most 63 hashes.')
  return { index: fromDecimal(index), hashes: lines.map(fromHashLine), checkpoint: source.slice(at + 2), ...extra }
}
