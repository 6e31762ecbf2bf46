// @ts-check
import { concat, fromDecimal, fromHashLine, fromUtf8, MalformedError, sha256, toBase64, toUtf8 } from './bytes.js'
import { TILE_WIDTH } from './tile.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** The content of a leaf: the number of the record, its kind, and SHA-256(salt ∥ statement). @typedef {{ record: number, kind: string, commitment: Bytes }} Entry */

const FORMAT = 'palimpsest-record/v1'
export const SALT_BYTES = 16

/** The text of an entry: three lines in ASCII. @param {number} record @param {string} kind @param {string} commitment in base64 @returns {string} */
export const entryText = (record, kind, commitment) => `${FORMAT}\n${record} ${kind}\n${commitment}\n`

/** The entry of a record: three lines of text. Its leaf is number `record` - 1. @param {Entry} entry @returns {Bytes} */
export const formatEntry = ({ record, kind, commitment }) => toUtf8(entryText(record, kind, toBase64(commitment)))

/** Parses an entry. Throws MalformedError on any other text. @param {Uint8Array} bytes @returns {Entry} */
export function parseEntry(bytes) {
  const [format, line = '', commitment = '', end, more] = fromUtf8(bytes).split('\n')
  const [number, kind = '', rest] = line.split(' ')
  if (format !== FORMAT || end !== '' || more !== undefined || rest !== undefined || !/^[a-z]{1,20}$/.test(kind)) {
    throw new MalformedError('An entry is not one of palimpsest-record/v1.')
  }
  return { record: fromDecimal(number), kind, commitment: fromHashLine(commitment) }
}

/** The commitment of a record to its statement. @param {Uint8Array} salt 16 bytes @param {Uint8Array} statement @returns {Promise<Bytes>} */
export const commitmentOf = (salt, statement) => sha256(concat(salt, statement))

/** Entries as a bundle: each after its length as two bytes, big-endian. @param {readonly Uint8Array[]} entries 1 to 256, of at most 65,535 bytes each @returns {Bytes} */
export const formatBundle = entries =>
  concat(...entries.flatMap(entry => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]))

/** The entries of a bundle. Throws MalformedError unless there are exactly `width`. @param {Bytes} bundle @param {number} width @returns {Bytes[]} */
export function parseBundle(bundle, width) {
  /** @type {Bytes[]} */
  const entries = []
  let at = 0
  while (at + 2 <= bundle.length && entries.length < TILE_WIDTH) {
    const end = at + 2 + (bundle[at] ?? 0) * 256 + (bundle[at + 1] ?? 0)
    if (end > bundle.length) break
    entries.push(bundle.subarray(at + 2, end))
    at = end
  }
  if (at !== bundle.length || entries.length !== width)
    throw new MalformedError('A bundle has other entries than its width says.')
  return entries
}
