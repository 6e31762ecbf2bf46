import type { IncomingHttpHeaders } from 'node:http'
import { shortDigest } from '../../domain/short-digest.ts'
import { answerFields, isUnchanged } from '../caches/conditional.ts'
import type { Exchange } from '../exchange.ts'
import { type Compression, isWorthwhile, preferred, variesBy } from '../pipeline/compression.ts'

/** A document to send. It is made once for all requests. */
export type StaticDocument = { type: string; bytes: Buffer; etag: string; fields: Record<string, string> }

type Text = {
  type: string
  body: string | Buffer
  /** The version; by default a digest of the body. */
  digest?: string
  immutable?: boolean
  fields?: Record<string, string>
}

/** Only for files of the program, which moderation cannot withdraw. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function createDocument({ type, body, digest, immutable = false, fields = {} }: Text): StaticDocument {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const etag = digest ?? shortDigest(bytes)
  const cached = {
    ...answerFields({ body: {}, etag }, { method: 'GET' }),
    ...(immutable ? { 'cache-control': IMMUTABLE } : {}),
  }
  return { type, bytes, etag, fields: { ...fields, ...cached } }
}

export const isCurrent = ({ etag }: StaticDocument, { headers }: { headers: IncomingHttpHeaders }): boolean =>
  isUnchanged(headers['if-none-match'], etag)

/**
 * Returns the function that answers with a document, in the coding that the client prefers, or with 304 if the client has this version. The
 * version of a coded document is weak: it names the text, not the bytes.
 */
export function createSender({ compress }: Compression) {
  return async (made: StaticDocument, exchange: Exchange, status = 200): Promise<void> => {
    const { bytes, type, fields, etag } = made
    exchange.set({ ...fields, vary: variesBy(fields.vary ?? 'Origin') })
    const eligible = exchange.method !== 'POST' && isWorthwhile(bytes.length, type)
    const coding = eligible ? preferred(exchange.headers['accept-encoding']) : undefined
    if (exchange.method !== 'POST' && isCurrent(made, exchange)) {
      if (coding !== undefined) exchange.fields.etag = `W/"${etag}"`
      return exchange.send(304)
    }
    const coded = coding && (await compress(bytes, coding, etag))
    if (coded !== undefined) exchange.set({ etag: `W/"${etag}"`, 'content-encoding': coding })
    exchange.set({ 'content-type': type }).send(status, coded ?? bytes)
  }
}
