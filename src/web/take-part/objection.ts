import type { Entry } from '../../contract/resources.ts'
import { type NamedObjection, readObjection } from '../../memory/evidence/weights.ts'
import { isUuid } from '../../memory/values.ts'
import { type Html, html, NOTHING, visible } from '../html.ts'
import type { PageRequest } from '../page.ts'

/** The objection that the query of a page names; undefined without one. */
export async function namedObjection(
  { query, reads }: PageRequest,
  { slug }: Entry,
): Promise<NamedObjection | undefined> {
  const id = query.objection
  return typeof id === 'string' && isUuid(id) ? readObjection(reads, slug, id.toLowerCase()) : undefined
}

/** Shows an objection above the form that replies to it. The script of a revision selects the quoted sentence. */
export const objectionNotice = ({ slug }: Entry, objection: NamedObjection | undefined): Html =>
  objection === undefined
    ? NOTHING
    : html`<div class="subject"><p><a href="/entries/${slug}/evidence#evidence-${objection.id}">The objection</a>: <q dir="auto">${visible(objection.rationale)}</q></p>
${objection.quote !== null && html`<blockquote data-quote dir="auto">${visible(objection.quote)}</blockquote>`}</div>`

/** The reason with which a reader accepts the answer to an objection. */
export const acceptance = ({ answer, quote }: NamedObjection): string =>
  `${answer === undefined ? 'The current text' : `Revision ${answer}`} answers the objection${quote === null ? '' : ` to “${quote}”`}.`
