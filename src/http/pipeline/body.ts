import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../../contract/problem.ts'

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?;?\s*$/i

/** Valid types are not longer. Longer ones are refused without a match of the pattern. */
const TYPE_CHARACTERS_MAX = 200

/** Refuses a body without a type, or with another type than uncompressed JSON in UTF-8. */
export function assertJsonBody(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']
  const plain = encoding === undefined || encoding.trim().toLowerCase() === 'identity'
  const type = headers['content-type'] ?? ''
  if (!plain || type.length > TYPE_CHARACTERS_MAX || !JSON_TYPE.test(type)) throw new Problem('UNSUPPORTED_MEDIA_TYPE')
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses the bytes of a body. Throws MALFORMED_JSON for invalid UTF-8, a byte order mark and invalid JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    throw new Problem('MALFORMED_JSON')
  }
}
