import type { Awaitable } from '../engine/database.ts'

/**
 * JSON in UTF-8, as a buffer or as a string with one character per byte (Latin-1). Such a string takes half the memory of UTF-16, and is
 * sent without being encoded again.
 */
export type EncodedJson = string | Buffer

/** Returns undefined if the request may continue in this turn of the event loop, otherwise a promise that resolves in a later turn. */
type Yielding = () => Promise<void> | undefined

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
export async function joinInTurns(pieces: readonly EncodedJson[], yieldIfOverBudget: Yielding): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(pieces.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const piece of pieces) {
    at += typeof piece === 'string' ? bytes.write(piece, at, 'latin1') : piece.copy(bytes, at)
    await yieldIfOverBudget()
  }
  return bytes
}

/** Number of items of a list that are encoded at once: ten of the longest texts take a millisecond. */
const ENCODED_AT_ONCE = 10

/** Encodes the body of an answer. Other requests may run while long lists are encoded. */
export function bytesOf(body: object, yieldIfOverBudget: Yielding): Awaitable<Buffer> {
  for (const value of Object.values(body))
    if (Array.isArray(value) && value.length > ENCODED_AT_ONCE) return encodeInTurns(body, yieldIfOverBudget)
  return Buffer.from(JSON.stringify(body))
}

async function encodeInTurns(body: object, yieldIfOverBudget: Yielding): Promise<Buffer> {
  const pieces: Buffer[] = []
  let separator = '{'
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    const start = `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (!Array.isArray(value) || value.length === 0) {
      pieces.push(Buffer.from(`${start}${JSON.stringify(value)}`))
      continue
    }
    for (let from = 0; from < value.length; from += ENCODED_AT_ONCE) {
      const items = JSON.stringify(value.slice(from, from + ENCODED_AT_ONCE)).slice(1, -1)
      pieces.push(Buffer.from(`${from === 0 ? `${start}[` : ','}${items}`))
      await yieldIfOverBudget()
    }
    pieces.push(Buffer.from(']'))
  }
  pieces.push(Buffer.from('}'))
  return joinInTurns(pieces, yieldIfOverBudget)
}
