// @ts-check
import { fromBase64, fromDecimal, fromHashLine, MalformedError, toBase64, toHex } from './bytes.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** A signature line: the name and the id (8 hex digits) of the key, and the signature of the key. @typedef {{ name: string, id: string, signature: Bytes }} NoteSignature */
/** A text that ends in a newline, and its signatures (c2sp.org/signed-note). @typedef {{ text: string, signatures: NoteSignature[] }} Note */

/** Maximum characters of a note; 32 signatures by ML-DSA-44 fit. */
export const NOTE_MAX = 131_072
const SIGNATURES_MAX = 32
const KEY_NAME = /^[^\p{White_Space}+]+$/u

/** Whether a key may have this name: not empty, and without white space, plus and control characters. @param {string} name @returns {boolean} */
export const isKeyName = name => KEY_NAME.test(name) && isText(name)

/** Whether a text may be in a note: Unicode, and no ASCII control character but the newline. @param {string} text @returns {boolean} */
const isText = text => text.isWellFormed() && !/[\0-\x09\x0b-\x1f]/.test(text)

/** Parses a signed note without verifying its signatures. Throws MalformedError. @param {string} source @returns {Note} */
export function parseNote(source) {
  if (source.length > NOTE_MAX || !isText(source)) throw new MalformedError('A note is too long, or not text.')
  const at = source.lastIndexOf('\n\n')
  if (at < 0) throw new MalformedError('A note has an empty line before its signatures.')
  return { text: source.slice(0, at + 1), signatures: parseSignatures(source.slice(at + 2)) }
}

/** Reads lines of signatures. Throws MalformedError unless there are 1 to 32. @param {string} source @returns {NoteSignature[]} */
export function parseSignatures(source) {
  const lines = source.split('\n')
  if (lines.pop() !== '' || lines.length === 0 || lines.length > SIGNATURES_MAX) {
    throw new MalformedError('A note has 1 to 32 signatures, each in a line.')
  }
  return lines.map(line => {
    const [dash, name = '', base64 = '', more] = line.split(' ')
    const bytes = fromBase64(base64)
    if (dash !== '—' || more !== undefined || !isKeyName(name) || bytes.length < 5) {
      throw new MalformedError('A signature line is a dash, a key name and base64.')
    }
    return { name, id: toHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) }
  })
}

/** Writes a line of a signature. @param {NoteSignature} signature @returns {string} */
export function formatSignature({ name, id, signature }) {
  const bytes = new Uint8Array(4 + signature.length)
  new DataView(bytes.buffer).setUint32(0, Number.parseInt(id, 16))
  bytes.set(signature, 4)
  return `— ${name} ${toBase64(bytes)}\n`
}

/** Writes a signed note. @param {Note} note @returns {string} */
export const formatNote = ({ text, signatures }) => `${text}\n${signatures.map(formatSignature).join('')}`

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
