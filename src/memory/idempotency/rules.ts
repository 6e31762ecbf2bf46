import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import canonicalize from 'canonicalize'
import { Problem } from '../../contract/problem.ts'
import { isAscii } from '../../find/rules/words.ts'
import { isToken, TOKEN_CHARACTERS, TOKEN_PREFIX } from '../actors/rules.ts'
import { EVERY_HIDDEN } from '../invisible-characters.js'
import { pathOfText } from '../values.ts'

/** Derived from an Idempotency-Key: the id of the stored answer, and the key that seals it, which is never stored. */
export type IdempotencyKey = { id: string; seal: string }
/** A write whose retries can be recognised. `request` is a digest of the request. */
export type Idempotency = IdempotencyKey & { request: string }

const ID_BYTES = 16
const SEAL_BYTES = 32
const REQUEST_CHARACTERS = 22
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** How many random bytes `seal` needs. */
export const SEAL_NONCE_BYTES = NONCE_BYTES

/**
 * Derives the id and the sealing key from an Idempotency-Key by HKDF-SHA-256 (RFC 5869). `secret` is the secret of the server; `caller`
 * identifies the caller. Without the secret neither value can be guessed, and neither reveals the other.
 */
export function idempotencyKeyOf(secret: string, caller: string, idempotencyKey: string): IdempotencyKey {
  const derived = Buffer.from(hkdfSync('sha256', secret, idempotencyKey, `retry of ${caller}`, ID_BYTES + SEAL_BYTES))
  return {
    id: derived.subarray(0, ID_BYTES).toString('base64url'),
    seal: derived.subarray(ID_BYTES).toString('base64url'),
  }
}

/** A digest of an operation, its path parameters and its body: the same for two spellings of the same JSON. */
export const requestDigest = ({ seal }: IdempotencyKey, operation: string, params: object, body: unknown): string =>
  createHmac('sha256', seal)
    .update(canonicalize([operation, params, body]) as string)
    .digest('base64url')
    .slice(0, REQUEST_CHARACTERS)

/** Encrypts the answer to a write for its retries (AES-256-GCM). `nonce` is SEAL_NONCE_BYTES random bytes. */
export function seal({ id, request, seal: key }: Idempotency, text: string, nonce: Uint8Array): string {
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64url'), nonce)
  cipher.setAAD(Buffer.from(`${id} ${request}`))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts a text that `seal` encrypted for the same write. Throws if the text was changed. */
export function unseal({ id, request, seal: key }: Idempotency, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64url'), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(`${id} ${request}`))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

const KEY_BEGINNING = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** The characters after the first line of a key that are searched. The fields before the bytes of the key are shorter. */
const KEY_HEAD_CHARACTERS = 500
/** Base64 characters in a row that count as a key; an ellipsis or a description has fewer. */
const KEY_CHARACTERS = 32

/** Refuses a JSON value with an actor token or a private key in PEM in any text, because stored texts are public and permanent. */
export function assertNoSecret(value: unknown): void {
  const path = pathOfText(value, holdsSecret)
  if (path !== undefined) throw new Problem('SECRET_IN_TEXT', path.length === 0 ? {} : { member: path.join('.') })
}

/** The forms of an underscore in Markdown: escaped, or as a character reference. */
const UNDERSCORE = /\\_|&(?:#0{0,6}95|#[xX]0{0,5}5[fF]|lowbar);/g

/**
 * Whether a text contains a well-formed actor token with its checksum, or a private key in PEM: as it is written, or as it is shown, without
 * invisible characters and with plain underscores.
 */
export function holdsSecret(text: string): boolean {
  const shown = (isAscii(text) ? text : text.replace(EVERY_HIDDEN, '')).replaceAll(UNDERSCORE, '_')
  return holdsToken(text) || holdsPrivateKey(text) || (shown !== text && (holdsToken(shown) || holdsPrivateKey(shown)))
}

function holdsToken(text: string): boolean {
  for (let at = text.indexOf(TOKEN_PREFIX); at >= 0; at = text.indexOf(TOKEN_PREFIX, at + 1)) {
    if (isToken(text.slice(at, at + TOKEN_CHARACTERS))) return true
  }
  return false
}

function holdsPrivateKey(text: string): boolean {
  if (!text.includes('-----BEGIN ')) return false
  for (const { 0: line, index } of text.matchAll(KEY_BEGINNING)) {
    const from = index + line.length
    // Keys also come quoted, indented, with escaped line breaks, and with fields before their bytes (RFC 1421, RFC 9580).
    const bytes = text
      .slice(from, from + KEY_HEAD_CHARACTERS)
      .replaceAll(/\\[rn]/g, '\n')
      .replaceAll(/^[\s>|#"'`*]*[A-Za-z-]+: .*$/gm, '')
      .replaceAll(/[\s>|#"'`*]/g, '')
    if (new RegExp(`^[A-Za-z0-9+/]{${KEY_CHARACTERS}}`).test(bytes)) return true
  }
  return false
}
