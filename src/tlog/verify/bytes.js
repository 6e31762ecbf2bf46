// @ts-check

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** A text or file violates its format. The message names the rule. */
export class MalformedError extends Error {
  /** @override */
  name = 'MalformedError'
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The UTF-8 form of a text. @param {string} text @returns {Bytes} */
export const toUtf8 = text => encoder.encode(text)

/** The text of UTF-8 bytes. Throws MalformedError on other bytes. @param {Uint8Array} bytes @returns {string} */
export function fromUtf8(bytes) {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new MalformedError('The text is not UTF-8.')
  }
}

/** Standard base64 with padding (RFC 4648, section 4). @param {Uint8Array} bytes @returns {string} */
export function toBase64(bytes) {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The bytes of standard base64. Throws MalformedError on any other spelling. @param {string} text @returns {Bytes} */
export function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw new MalformedError('A value is not base64.')
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  // Bits beyond the last byte must be zero: one value has one spelling.
  if (toBase64(bytes) !== text) throw new MalformedError('A value is not canonical base64.')
  return bytes
}

/** The hash in a line of base64. Throws MalformedError unless it has 32 bytes. @param {string} line @returns {Bytes} */
export function fromHashLine(line) {
  const hash = fromBase64(line)
  if (hash.length !== 32) throw new MalformedError('A hash has 32 bytes.')
  return hash
}

/** Lower-case hex. @param {Uint8Array} bytes @returns {string} */
export const toHex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

/** One array of several. @param {...Uint8Array} parts @returns {Bytes} */
export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** @param {Uint8Array} a @param {Uint8Array} b @returns {boolean} */
export const sameBytes = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at])

/** A number as 8 bytes, big-endian. @param {number} value from 0 to 2^53 - 1 @returns {Bytes} */
export function toUint64(value) {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

/**
 * A whole number in decimal without leading zeros. Throws MalformedError on other text and above 2^53 - 1.
 * @param {string | undefined} text
 * @returns {number}
 */
export function fromDecimal(text) {
  const value = /^(?:0|[1-9]\d{0,15})$/.test(text ?? '') ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new MalformedError('A number is not decimal, or above 2^53 - 1.')
  return value
}

/** SHA-256. @param {Bytes} bytes @returns {Promise<Bytes>} */
export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
