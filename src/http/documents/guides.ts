import type { Config } from '../../config.ts'
import { agentsMarkdown, llmsText } from '../../guide/texts.ts'
import { JSON_TYPE, TEXT_TYPE } from '../../web/content-types.ts'
import { dayOf } from '../pipeline/origin.ts'
import { openApiDocument } from './openapi.ts'
import { createDocument, type StaticDocument } from './static-document.ts'
import { aiCatalog, apiCatalog, securityText, serverCard } from './well-known.ts'

/** Returns the document for a time, in milliseconds since 1970; undefined if there is none. */
export type Guide = (at: number) => StaticDocument | undefined

/** A document that is made at the first request. */
function once(make: () => Parameters<typeof createDocument>[0]): Guide {
  let made: StaticDocument | undefined
  return () => (made ??= createDocument(make()))
}

/** A document that is made at the first request of each day. */
function onceADay(make: (at: number) => Parameters<typeof createDocument>[0] | undefined): Guide {
  let day = ''
  let made: StaticDocument | undefined
  return at => {
    if (day !== dayOf(at)) {
      const text = make(at)
      made = text === undefined ? undefined : createDocument(text)
      day = dayOf(at)
    }
    return made
  }
}

/** The documents made from the contract, by path. They are neither charged nor observed. */
export function createGuides(config: Config): Record<string, Guide> {
  const card = once(() => serverCard(config))
  const markdown = once(() => ({ type: 'text/markdown; charset=utf-8', ...agentsMarkdown(config) }))
  return {
    '/openapi.json': once(() => ({
      type: JSON_TYPE,
      body: JSON.stringify(openApiDocument(config)),
    })),
    '/agents.md': markdown,
    '/skill.md': markdown,
    '/llms.txt': once(() => ({ type: TEXT_TYPE, ...llmsText(config) })),
    '/.well-known/api-catalog': once(() => apiCatalog(config)),
    '/.well-known/ai-catalog.json': once(() => aiCatalog(config)),
    '/.well-known/mcp/server-card.json': card,
    '/mcp/server-card': card,
    '/.well-known/security.txt': onceADay(at => securityText(config, at)),
  }
}
