import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { cacheFields, isUnchanged } from './conditional.ts'
import { agentsMarkdown, llmsText } from './guide-texts.ts'
import { openApiDocument } from './openapi.ts'

type Rendered = { type: string; body: string }
type Guide = (config: Config) => Rendered

const markdown: Guide = config => ({ type: 'text/markdown; charset=utf-8', body: agentsMarkdown(config) })
const json = (document: object): Rendered => ({
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(document),
})

/** The documents made from the contract table, by path; none is charged or observed. */
export const GUIDES: Record<string, Guide> = {
  '/openapi.json': config => json(openApiDocument(config)),
  '/agents.md': markdown,
  '/skill.md': markdown,
  '/llms.txt': config => ({ type: 'text/plain; charset=utf-8', body: llmsText(config) }),
}

export async function guideAnswer(
  guide: Guide,
  config: Config,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { type, body } = guide(config)
  const etag = hash('sha256', body, 'base64url').slice(0, 22)
  const fields = cacheFields({ body: {}, etag }, { method: 'GET' })
  if (isUnchanged(request.headers['if-none-match'], etag)) return reply.code(304).headers(fields).send()
  return reply.code(200).headers(fields).type(type).send(body)
}
