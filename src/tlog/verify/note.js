// @ts-check
import { fromBase64, MalformedError, toBase64, toHex } from './bytes.js'

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
