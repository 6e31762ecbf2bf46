import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import canonicalize from 'canonicalize'

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
