import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import { isCleanText } from '../../domain/text.ts'
import { HTML_TYPE } from '../content-types.ts'
import type { Page } from '../page.ts'
import { prose } from '../parts/prose.ts'

/** Renders a content like the page of an entry. Stores nothing. The answer is an HTML fragment. */
export const PREVIEW_PAGE: Page = {
  path: '/preview',
  method: 'POST',
  as: 'readDiscovery',
  async render({ body }) {
    const { content } = (body ?? {}) as { content?: unknown }
    if (typeof content !== 'string' || [...content].length > LIMITS.contentCharacters)
      throw new Problem('INVALID_CONTENT', { member: 'content' })
    if (!isCleanText(content)) throw new Problem('INVALID_TEXT', { member: 'content' })
    return { type: HTML_TYPE, body: (await prose(content)).markup }
  },
}
