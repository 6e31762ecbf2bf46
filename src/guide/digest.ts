import { hash } from 'node:crypto'

/** A guide, and the SHA-256 in lower-case hex of all its lines but the last, with which a client can detect that its copy is stale. */
export type Digested = { body: string; digest: string }

/** Appends a line with its digest to a text that ends with a line feed. */
export function withDigest(text: string): Digested {
  const digest = hash('sha256', text, 'hex')
  return { body: `${text}SHA-256 of the text above this line: ${digest}\n`, digest }
}
