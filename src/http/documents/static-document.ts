import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerFields, isUnchanged } from '../caches/conditional.ts'
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

const DIGEST_CHARACTERS = 22
/** Only for files of the program, which moderation cannot withdraw. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function createDocument({ type, body, digest, immutable = false, fields = {} }: Text): StaticDocument {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const etag = digest ?? hash('sha256', bytes, 'base64url').slice(0, DIGEST_CHARACTERS)
  const cached = {
    ...answerFields({ body: {}, etag }, { method: 'GET' }),
    ...(immutable ? { 'cache-control': IMMUTABLE } : {}),
  }
  return { type, bytes, etag, fields: { ...fields, ...cached } }
}

export const isCurrent = ({ etag }: StaticDocument, request: FastifyRequest): boolean =>
  isUnchanged(request.headers['if-none-match'], etag)

/**
 * Returns the function that answers with a document, in the coding that the client prefers, or with 304 if the client has this version. The
 * version of a coded document is weak: it names the text, not the bytes.
 */
export function createSender({ compress }: Compression) {
  return async (
    made: StaticDocument,
    request: FastifyRequest,
    reply: FastifyReply,
    status = 200,
  ): Promise<FastifyReply> => {
    const { bytes, type, fields, etag } = made
    reply.headers({ ...fields, vary: variesBy(fields.vary ?? 'Origin') })
    const eligible = request.method !== 'POST' && isWorthwhile(bytes.length, type)
    const coding = eligible ? preferred(request.headers['accept-encoding']) : undefined
    if (isCurrent(made, request)) {
      if (coding !== undefined) reply.header('etag', `W/"${etag}"`)
      return reply.code(304).send()
    }
    const coded = coding && (await compress(bytes, coding, etag))
    if (coded !== undefined) reply.headers({ etag: `W/"${etag}"`, 'content-encoding': coding })
    // For a text, the framework would add a charset, which the type of a linkset does not have. Bytes are sent unchanged.
    return reply
      .code(status)
      .type(type)
      .send(coded ?? bytes)
  }
}
