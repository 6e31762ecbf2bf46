import type { IncomingHttpHeaders } from 'node:http'
import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Awaitable } from '../../database/database.ts'
import type { Exchange } from '../exchange.ts'

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?;?\s*$/i

/** Maximum length of a Content-Type, in characters. Longer ones are refused without matching the pattern. */
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

/** Reads the body of a request; undefined if it has none. Throws BODY_TOO_LARGE, or MALFORMED_REQUEST if the client disconnects. */
export function readBody(exchange: Exchange): Awaitable<Buffer | undefined> {
  const { headers, request, fields } = exchange
  const length = Number(headers['content-length'] ?? 0)
  if (length === 0 && headers['transfer-encoding'] === undefined) return undefined
  const tooLarge = (): Problem => {
    // The client may still send the rest of the body, so the connection is closed.
    fields.connection = 'close'
    return new Problem('BODY_TOO_LARGE')
  }
  if (length > LIMITS.bodyBytes) throw tooLarge()
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let received = 0
    const settle = (): void => {
      request.off('data', take).off('end', end).off('error', fail)
      request.on('error', () => {})
    }
    const take = (piece: Buffer): void => {
      received += piece.length
      pieces.push(piece)
      if (received <= LIMITS.bodyBytes) return
      settle()
      reject(tooLarge())
    }
    const end = (): void => {
      settle()
      resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, received))
    }
    const fail = (): void => {
      settle()
      reject(new Problem('MALFORMED_REQUEST'))
    }
    request.on('data', take).on('end', end).on('error', fail)
  })
}
