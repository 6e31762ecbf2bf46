import type { Config } from '../config.ts'
import { agentsMarkdown, llmsText } from '../guide/texts.ts'
import { type Made, madeOf } from './made.ts'
import { openApiDocument } from './openapi.ts'
import { dayOf } from './origin.ts'
import { apiCatalog, securityText } from './well-known.ts'

/** Returns the document for a time, in milliseconds since 1970; undefined if there is none. */
export type Guide = (at: number) => Made | undefined

/** A document that is made at the first request. */
function once(make: () => Parameters<typeof madeOf>[0]): Guide {
  let made: Made | undefined
  return () => (made ??= madeOf(make()))
}

/** A document that is made at the first request of each day. */
function onceADay(make: (at: number) => Parameters<typeof madeOf>[0] | undefined): Guide {
  let day = ''
  let made: Made | undefined
  return at => {
    if (day !== dayOf(at)) {
      const text = make(at)
      made = text === undefined ? undefined : madeOf(text)
      day = dayOf(at)
    }
    return made
  }
}

/** The documents made from the contract, by path. They are neither charged nor observed. */
export function createGuides(config: Config): Record<string, Guide> {
  const markdown = once(() => ({ type: 'text/markdown; charset=utf-8', ...agentsMarkdown(config) }))
  return {
    '/openapi.json': once(() => ({
      type: 'application/json; charset=utf-8',
      body: JSON.stringify(openApiDocument(config)),
    })),
    '/agents.md': markdown,
    '/skill.md': markdown,
    '/llms.txt': once(() => ({ type: 'text/plain; charset=utf-8', ...llmsText(config) })),
    '/.well-known/api-catalog': once(() => apiCatalog(config)),
    '/.well-known/security.txt': onceADay(at => securityText(config, at)),
  }
}
