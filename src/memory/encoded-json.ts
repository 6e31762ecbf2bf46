/**
 * JSON in UTF-8, as a buffer or as a string with one character per byte (Latin-1). Such a string takes half the memory of UTF-16, and is
 * sent without being encoded again.
 */
export type EncodedJson = string | Buffer

const NOT_ASCII = /[\x80-\xff]/

/** Encodes a text as UTF-8, one character per byte. */
export function encodeJson(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

/** Parses encoded JSON. */
export function decodeJson(json: EncodedJson): object {
  if (typeof json !== 'string') return JSON.parse(json.toString())
  return JSON.parse(NOT_ASCII.test(json) ? Buffer.from(json, 'latin1').toString() : json)
}

/** Joins encoded pieces of a few kilobytes each. Joined as strings, they would be copied twice. */
export function joinAtOnce(pieces: readonly string[]): Buffer {
  let size = 0
  for (const { length } of pieces) size += length
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const piece of pieces) at += bytes.write(piece, at, 'latin1')
  return bytes
}

/** Joins encoded pieces. Fresh memory is slow: it is written piece by piece, and other requests may run in between. */
export async function joinInTurns(
  pieces: readonly EncodedJson[],
  yieldIfOverBudget: () => Promise<void> | undefined,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(pieces.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const piece of pieces) {
    at += typeof piece === 'string' ? bytes.write(piece, at, 'latin1') : piece.copy(bytes, at)
    await yieldIfOverBudget()
  }
  return bytes
}
