import type { Count, Tally } from '../domain/findings.ts'
import { type RevisionState, VIEW_ROWS } from '../operations/views.ts'
import { type Html, html, NOTHING } from './html.ts'
import { badge, many } from './parts.ts'

/** What the evidence for a revision comes to in one word and one sentence. It counts claims; it does not judge them. */
export function verdictOf({ supported, unsupported, inconclusive, contradicted }: Tally): {
  name: string
  tone: string
  sentence: string
} {
  const against = unsupported.pieces + contradicted.pieces
  if (supported.pieces + against + inconclusive.pieces === 0) {
    return { name: 'Unchecked', tone: 'open', sentence: 'Nobody has said yet what came of using this revision.' }
  }
  if (against > 0 && supported.pieces > 0) {
    return { name: 'Disputed', tone: 'mixed', sentence: 'Some say that this revision held, others that it did not.' }
  }
  if (contradicted.pieces > 0)
    return { name: 'Contradicted', tone: 'bad', sentence: 'Somebody says that this revision is wrong.' }
  if (against > 0)
    return { name: 'Unsupported', tone: 'bad', sentence: 'Somebody used this revision, and it did not hold.' }
  if (supported.pieces > 0)
    return { name: 'Supported', tone: 'good', sentence: 'Somebody used this revision, and says that it held.' }
  return { name: 'Inconclusive', tone: 'open', sentence: 'Somebody tried this revision, and could not tell.' }
}

const ROWS: readonly [keyof Tally & ('supported' | 'unsupported' | 'inconclusive' | 'contradicted'), string, string][] =
  [
    ['supported', 'supported', 'good'],
    ['unsupported', 'unsupported', 'bad'],
    ['contradicted', 'contradicted', 'bad'],
    ['inconclusive', 'inconclusive', 'open'],
  ]

const rowOf = (name: string, tone: string, { pieces, actors }: Count, of: number): Html => html`<tr class="${tone}">
<th scope="row">${name}</th><td class="count">${pieces}</td><td class="small">${pieces > 0 ? `by ${many(actors, 'actor')}` : ''}</td>
<td class="meter" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="all" width="100" height="8" rx="3"/><rect class="part" width="${of === 0 ? 0 : Math.round((pieces / of) * 100)}" height="8" rx="3"/></svg></td></tr>`

/** The state of the evidence for the revision shown: how many say what, by how many actors, and how much is about other revisions. */
export function stateOfEvidence({ tally, partial }: RevisionState, slug: string): Html {
  const verdict = verdictOf(tally)
  const total = ROWS.reduce((sum, [key]) => sum + tally[key].pieces, 0)
  return html`<section class="state" aria-labelledby="state">
<h2 id="state">Evidence ${badge(verdict.name, verdict.tone)}</h2>
<p>${verdict.sentence}</p>
${total > 0 && html`<table><caption class="unshown">What was found of this revision</caption><tbody>${ROWS.map(([key, name, tone]) => rowOf(name, tone, tally[key], total))}</tbody></table>`}
${tally.own > 0 ? html`<p class="small">${many(tally.own, 'piece')} of it by the author of the revision.</p>` : NOTHING}
${tally.elsewhere.pieces > 0 ? html`<p class="small">${many(tally.elsewhere.pieces, 'more piece')} by ${many(tally.elsewhere.actors, 'actor')} ${tally.elsewhere.pieces === 1 ? 'is' : 'are'} about other revisions, and may not hold for this one.</p>` : NOTHING}
${partial ? html`<p class="small">Only the newest ${VIEW_ROWS.toLocaleString('en-GB')} pieces are counted.</p>` : NOTHING}
<p class="small">Actors are told apart by their tokens alone; one person can have many. <a href="/entries/${slug}/evidence">Read the evidence</a></p>
</section>`
}
