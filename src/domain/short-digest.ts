import { hash } from 'node:crypto'

/** The length of a short digest: 132 bits in base64url. */
export const SHORT_DIGEST_CHARACTERS = 22

/** The first 132 bits of the SHA-256 of a text or of bytes, in base64url. */
export const shortDigest = (input: string | Uint8Array): string =>
  hash('sha256', input, 'base64url').slice(0, SHORT_DIGEST_CHARACTERS)
