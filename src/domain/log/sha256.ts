import { hash } from 'node:crypto'

/** SHA-256 of bytes, or of the UTF-8 form of a text. Node makes the digest as a text in a third of the time that a buffer takes. */
export const sha256 = (input: Uint8Array | string): Buffer<ArrayBuffer> =>
  Buffer.from(hash('sha256', input, 'binary'), 'binary')
