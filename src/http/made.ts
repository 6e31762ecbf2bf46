import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerFields, isUnchanged } from './conditional.ts'

/** A document to send. It is made once for all requests. */
export type Made = { type: string; bytes: Buffer; etag: string; fields: Record<string, string> }

type Text = {
  type: string
  body: string
  /** The version; by default a digest of the body. */
  digest?: string
  immutable?: boolean
  fields?: Record<string, string>
}

const DIGEST_CHARACTERS = 22
/** Only for files of the program, which moderation cannot withdraw. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function madeOf({ type, body, digest, immutable = false, fields = {} }: Text): Made {
  const bytes = Buffer.from(body)
  const etag = digest ?? hash('sha256', bytes, 'base64url').slice(0, DIGEST_CHARACTERS)
  const cached = {
    ...answerFields({ body: {}, etag }, { method: 'GET' }),
    ...(immutable ? { 'cache-control': IMMUTABLE } : {}),
  }
  return { type, bytes, etag, fields: { ...fields, ...cached } }
}

export const isKnown = ({ etag }: Made, request: FastifyRequest): boolean =>
  isUnchanged(request.headers['if-none-match'], etag)

/** Answers with a document, or with 304 if the client has this version. */
export function sendMade(made: Made, request: FastifyRequest, reply: FastifyReply, status = 200): FastifyReply {
  reply.headers(made.fields)
  if (isKnown(made, request)) return reply.code(304).send()
  // For a text, the framework would add a charset, which the type of a linkset does not have. Bytes are sent unchanged.
  return reply.code(status).type(made.type).send(made.bytes)
}
