// @ts-check
import { concat, fromBase64, MalformedError, sha256, toBase64, toHex, toUint64, toUtf8 } from './bytes.js'
import { isKeyName, parseCheckpoint } from './note.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** @typedef {import('./note.js').Note} Note */
/** @typedef {import('./note.js').NoteSignature} NoteSignature */
/** A public key with its name: `type` is one of SIGNATURE_TYPES or unknown, `id` 8 hex digits. @typedef {{ name: string, id: string, type: number, key: Bytes }} VerifierKey */
/** A key whose signature is good, and the time in seconds that a cosignature names. @typedef {{ key: VerifierKey, time?: number }} GoodSignature */
/** Keys by the result of verifying their signatures; `unchecked` if this machine lacks the algorithm. @typedef {{ good: GoodSignature[], bad: VerifierKey[], unchecked: VerifierKey[] }} Verdict */
/** Verifies one signature; undefined if the algorithm is missing. @typedef {(algorithm: Algorithm, key: Bytes, message: Bytes, signature: Bytes) => Promise<boolean | undefined>} Verify */
/** @typedef {'Ed25519' | 'ML-DSA-44'} Algorithm */

/** The signature types that are verified: of a log by Ed25519 (c2sp.org/signed-note), cosignatures by Ed25519 and by ML-DSA-44 (c2sp.org/tlog-cosignature). */
export const SIGNATURE_TYPES = /** @type {const} */ ({ ed25519: 1, cosignatureEd25519: 4, cosignatureMlDsa44: 6 })

/** @type {Record<number, { algorithm: Algorithm, keyBytes: number }>} */
const TYPES = {
  [SIGNATURE_TYPES.ed25519]: { algorithm: 'Ed25519', keyBytes: 32 },
  [SIGNATURE_TYPES.cosignatureEd25519]: { algorithm: 'Ed25519', keyBytes: 32 },
  [SIGNATURE_TYPES.cosignatureMlDsa44]: { algorithm: 'ML-DSA-44', keyBytes: 1312 },
}

/** The latest time of a cosignature in seconds; JavaScript has no later date. Time 0 does not say that the tree is the largest one. */
const TIME_MAX = 8_640_000_000_000

/** The input of the hash for the id of a key. The id is the first four bytes of its SHA-256. @param {Omit<VerifierKey, 'id'>} key @returns {Bytes} */
export const keyIdInput = ({ name, type, key }) => concat(toUtf8(`${name}\n`), Uint8Array.of(type), key)

/** A key as `name+id+base64`. @param {VerifierKey} key @returns {string} */
export const formatVerifierKey = ({ name, id, type, key }) =>
  `${name}+${id}+${toBase64(concat(Uint8Array.of(type), key))}`

/** The key under another name: a log that continues another one may sign with its key. @param {VerifierKey} key @param {string} name @returns {Promise<VerifierKey>} */
export async function renameKey({ type, key }, name) {
  const digest = await sha256(keyIdInput({ name, type, key }))
  return { name, id: toHex(digest.subarray(0, 4)), type, key }
}

/** Reads a key of a log or witness. Throws MalformedError, also if its id or length does not match. @param {string} vkey @returns {Promise<VerifierKey>} */
export async function parseVerifierKey(vkey) {
  const [, name = '', id = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{4,4000})$/.exec(vkey) ?? []
  if (!isKeyName(name)) throw new MalformedError('A verifier key is name+id+base64.')
  const bytes = fromBase64(base64)
  const key = { name, id, type: bytes[0] ?? 0, key: bytes.slice(1) }
  const known = TYPES[key.type]
  if (known !== undefined && known.keyBytes !== key.key.length)
    throw new MalformedError('A verifier key has another length.')
  const digest = await sha256(keyIdInput(key))
  if (toHex(digest.subarray(0, 4)) !== id) throw new MalformedError('The id of a verifier key is not that of the key.')
  return key
}

/**
 * The message that a key of this type signs. A log signs the text (1), a witness also the time in seconds: with the text (4), or with its
 * own name and the three first lines (6). Throws MalformedError if the text for type 6 is not a checkpoint.
 * @param {Pick<VerifierKey, 'name' | 'type'>} key
 * @param {string} text
 * @param {number} time
 * @returns {Bytes}
 */
export function signedMessage({ name, type }, text, time) {
  if (type === SIGNATURE_TYPES.ed25519) return toUtf8(text)
  if (type === SIGNATURE_TYPES.cosignatureEd25519) return toUtf8(`cosignature/v1\ntime ${time}\n${text}`)
  const { origin, size, root } = parseCheckpoint(text)
  const start = toUint64(0)
  return concat(toUtf8('subtree/v1\n\0'), counted(name), toUint64(time), counted(origin), start, toUint64(size), root)
}

/** Bytes of a text after their number, which is 1 to 255. @param {string} text @returns {Bytes} */
function counted(text) {
  const bytes = toUtf8(text)
  if (bytes.length < 1 || bytes.length > 255) throw new MalformedError('A name is too long for ML-DSA-44.')
  return concat(Uint8Array.of(bytes.length), bytes)
}

/** Verifies with WebCrypto, which browsers have on https and on localhost only. @type {Verify} */
async function verifyWithWebCrypto(algorithm, key, message, signature) {
  try {
    const format = /** @type {'raw'} */ (algorithm === 'Ed25519' ? 'raw' : 'raw-public')
    const imported = await crypto.subtle.importKey(format, key, algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, imported, signature, message)
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') return undefined
    return false
  }
}

/**
 * Verifies the signatures of a note by these keys, one for each key. Signatures by other keys are ignored.
 * @param {Note} note
 * @param {readonly VerifierKey[]} keys
 * @param {Verify} [verify]
 * @returns {Promise<Verdict>}
 */
export async function verifySignatures(note, keys, verify = verifyWithWebCrypto) {
  /** @type {Verdict} */
  const verdict = { good: [], bad: [], unchecked: [] }
  for (const key of keys) {
    const line = note.signatures.find(({ name, id }) => name === key.name && id === key.id)
    if (line === undefined) continue
    const checked = await verifyLine(note.text, key, line.signature, verify)
    if (checked === undefined) verdict.unchecked.push(key)
    else if (checked === false) verdict.bad.push(key)
    else verdict.good.push({ key, ...checked })
  }
  return verdict
}

/**
 * @param {string} text
 * @param {VerifierKey} key
 * @param {Bytes} bytes
 * @param {Verify} verify
 * @returns {Promise<{ time?: number } | false | undefined>}
 */
async function verifyLine(text, key, bytes, verify) {
  const known = TYPES[key.type]
  if (known === undefined) return undefined
  const timed = key.type !== SIGNATURE_TYPES.ed25519
  if (timed && bytes.length < 8) return false
  const time = timed ? Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)) : 0
  if (timed && (time < 1 || time > TIME_MAX)) return false
  const good = await verify(known.algorithm, key.key, signedMessage(key, text, time), timed ? bytes.slice(8) : bytes)
  return good && timed ? { time } : good ? {} : good
}
