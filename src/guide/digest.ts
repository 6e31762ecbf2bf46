import { hash } from 'node:crypto'

/** A guide and the SHA-256 of all of it but its last line, in lower-case hex: who keeps a copy can tell whether it is stale. */
export type Digested = { body: string; digest: string }

/** A text, which ends with a line feed, with the line that holds its digest. */
export function withDigest(text: string): Digested {
  const digest = hash('sha256', text, 'hex')
  return { body: `${text}SHA-256 of the text above this line: ${digest}\n`, digest }
}
