import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { Problem } from '../contract/problems.ts'
import { agentsMarkdown, llmsText } from '../guide/texts.ts'
import { cacheFields, isUnchanged } from './conditional.ts'
import { openApiDocument } from './openapi.ts'
import { apiCatalog, securityText } from './well-known.ts'

type Rendered = { type: string; body: string; digest?: string; fields?: Record<string, string> }
/** Makes a document at a time, in milliseconds; undefined where there is none. */
type Guide = (config: Config, at: number) => Rendered | undefined

const markdown: Guide = config => ({ type: 'text/markdown; charset=utf-8', ...agentsMarkdown(config) })
const json = (document: object): Rendered => ({
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(document),
})

/** The documents made from the contract table, by path; none is charged or observed. */
export const GUIDES: Record<string, Guide> = {
  '/openapi.json': config => json(openApiDocument(config)),
  '/agents.md': markdown,
  '/skill.md': markdown,
  '/llms.txt': config => ({ type: 'text/plain; charset=utf-8', ...llmsText(config) }),
  '/.well-known/api-catalog': apiCatalog,
  '/.well-known/security.txt': securityText,
}

export async function guideAnswer(
  guide: Guide,
  config: Config,
  at: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const rendered = guide(config, at)
  if (rendered === undefined) throw new Problem('ROUTE_NOT_FOUND')
  const { type, body, fields: own = {} } = rendered
  const etag = rendered.digest ?? hash('sha256', body, 'base64url').slice(0, 22)
  const fields = { ...own, ...cacheFields({ body: {}, etag }, { method: 'GET' }) }
  if (isUnchanged(request.headers['if-none-match'], etag)) return reply.code(304).headers(fields).send()
  // Of a text the framework would add to the type what a linkset does not have.
  return reply.code(200).headers(fields).type(type).send(Buffer.from(body))
}
