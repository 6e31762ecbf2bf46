// @ts-check
import { fromDecimal, fromHashLine, MalformedError, toBase64 } from './bytes.js'
import { parseNote } from './note.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** The head of a log: whose it is, how many leaves it has and their root hash. @typedef {{ origin: string, size: number, root: Bytes }} Checkpoint */

/** The text of a checkpoint, without signatures (c2sp.org/tlog-checkpoint). @param {Checkpoint} checkpoint @returns {string} */
export const formatCheckpoint = ({ origin, size, root }) => `${origin}\n${size}\n${toBase64(root)}\n`

/** Parses the text of a note as a checkpoint; ignores extension lines. Throws MalformedError. @param {string} text @returns {Checkpoint} */
export function parseCheckpoint(text) {
  const lines = text.split('\n')
  const [origin = '', size, root = ''] = lines
  if (lines.length < 4 || lines.pop() !== '' || lines.includes('')) {
    throw new MalformedError('A checkpoint has three lines or more, and none is empty.')
  }
  return { origin, size: fromDecimal(size), root: fromHashLine(root) }
}

/** Parses a signed note as a checkpoint without verifying its signatures. Throws MalformedError. @param {string} note @returns {Checkpoint} */
export const parseSignedCheckpoint = note => parseCheckpoint(parseNote(note).text)
