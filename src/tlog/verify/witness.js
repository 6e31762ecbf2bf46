// @ts-check
import { fromDecimal, fromHashLine, MalformedError, sameBytes } from './bytes.js'
import { formatNote, NOTE_MAX, parseCheckpoint, parseNote } from './note.js'
import { verifySignatures } from './signature.js'
import { HASHES_MAX, rootOfHashes, verifyConsistency } from './tree.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** @typedef {import('./note.js').Checkpoint} Checkpoint */
/** @typedef {import('./note.js').Note} Note */
/** @typedef {import('./signature.js').VerifierKey} VerifierKey */
/** @typedef {import('./signature.js').Verify} Verify */
/** A submission to a witness: the size that the witness cosigned last, the consistency proof from there, and the signed checkpoint. @typedef {{ old: number, proof: Bytes[], checkpoint: string }} Submission */
/**
 * The judgement of a submission (c2sp.org/tlog-witness). With status 200, `note` is to be cosigned: the checkpoint with the signatures of
 * the log only. With 409, `size` is the size that was cosigned last. An honest log never gets 422.
 * @typedef {{ status: 200, checkpoint: Checkpoint, note: Note } | { status: 409, size: number } | { status: 400 | 403 | 404 } | { status: 422, checkpoint: Checkpoint }} Judgement
 */

/** Maximum characters of a submission. */
export const SUBMISSION_MAX = NOTE_MAX + 4_096

/** Writes the body of add-checkpoint; hashes in base64. @param {{ old: number, proof: readonly string[], checkpoint: string }} submission @returns {string} */
export const formatSubmission = ({ old, proof, checkpoint }) =>
  `old ${old}\n${proof.map(hash => `${hash}\n`).join('')}\n${checkpoint}`

/** Reads the body of add-checkpoint. Throws MalformedError. @param {string} source @returns {Submission} */
function parseSubmission(source) {
  const at = source.indexOf('\n\n')
  if (source.length > SUBMISSION_MAX || at < 0)
    throw new MalformedError('A submission is too long, or has no checkpoint.')
  const [first = '', ...lines] = source.slice(0, at).split('\n')
  if (!first.startsWith('old ')) throw new MalformedError('A submission begins with old and a size.')
  if (lines.length > HASHES_MAX) throw new MalformedError('A proof has at most 63 hashes.')
  return { old: fromDecimal(first.slice(4)), proof: lines.map(fromHashLine), checkpoint: source.slice(at + 2) }
}

/**
 * Judges a submission to a witness of these logs. `lastOf` returns the checkpoint that it cosigned last for an origin.
 * @param {string} source
 * @param {readonly VerifierKey[]} logs
 * @param {(origin: string) => Checkpoint | undefined} lastOf
 * @param {Verify} [verify]
 * @returns {Promise<Judgement>}
 */
export async function judgeSubmission(source, logs, lastOf, verify) {
  const read = readSubmission(source)
  if (read === undefined) return { status: 400 }
  const { submission, note, checkpoint } = read
  const { old, proof } = submission
  const keys = logs.filter(({ name }) => name === checkpoint.origin)
  if (keys.length === 0) return { status: 404 }
  const { good, bad } = await verifySignatures(note, keys, verify)
  if (good.length === 0 || bad.length > 0) return { status: 403 }
  if (old > checkpoint.size) return { status: 400 }
  const empty = { size: 0, root: await rootOfHashes([]) }
  const last = lastOf(checkpoint.origin) ?? empty
  if (old !== last.size) return { status: 409, size: last.size }
  const sound = checkpoint.size > 0 || sameBytes(checkpoint.root, empty.root)
  if (!sound || !(await verifyConsistency(last, checkpoint, proof))) return { status: 422, checkpoint }
  const signatures = note.signatures.filter(({ name, id }) =>
    good.some(({ key }) => key.name === name && key.id === id),
  )
  return { status: 200, checkpoint, note: { text: note.text, signatures } }
}

/** @param {string} source */
function readSubmission(source) {
  try {
    const submission = parseSubmission(source)
    const note = parseNote(submission.checkpoint)
    return { submission, note, checkpoint: parseCheckpoint(note.text) }
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

/** The note that a witness publishes: the text, the signatures of the log, and its own line. @param {Note} note @param {string} line @returns {string} */
export const cosigned = (note, line) => `${formatNote(note)}${line}`
