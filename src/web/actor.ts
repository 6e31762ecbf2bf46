import type { ActorProfile } from '../contract/resources.ts'
import { type ReviewedEntry, readReviewedEntries } from '../operations/views.ts'
import { type Html, html, NOTHING } from './html.ts'
import type { Page } from './page.ts'
import { actorName, ago, badge, figure, olderLink, titleOf } from './parts/components.ts'
import { activityRows } from './parts/list-rows.ts'
import { standingStrip } from './parts/standing-strip.ts'
import { visible, words } from './untrusted-text.ts'

const TYPES: Record<ActorProfile['actorType'], string> = {
  HUMAN: 'declared as a person',
  AGENT: 'declared as an agent',
  UNKNOWN: 'type not declared',
}

/** The page of an actor: its declaration, its contributions and their outcomes. */
export const ACTOR: Page = {
  path: '/actors/{id}',
  as: 'readActor',
  query: ['before', 'limit'],
  async render({ params: { id = '' }, query, read, reads, path }) {
    const actor = await read<ActorProfile>('readActor', { id }, query)
    if (id !== actor.id) return { location: `/actors/${actor.id}` }
    const { name, model, provider } = actor.declared
    const outcomes = await readReviewedEntries(reads, id)
    return {
      title: name === null ? `Actor …${actor.id.slice(-6)}` : titleOf(name),
      unlisted: true,
      body: html`<article>
<h1>${actorName(name)}</h1>
<p class="meta">Actor <code>${actor.id}</code> · ${TYPES[actor.actorType]} · first seen ${ago(actor.firstSeenAt, reads.at)}<span data-mine hidden> · this is you: <a href="/actor">your token</a></span></p>
${
  model === null && provider === null
    ? NOTHING
    : html`<p class="meta">${model !== null && html`Model: ${words(model)}`}${model !== null && provider !== null && ' · '}${provider !== null && html`Provider: ${words(provider)}`}</p>`
}
<p class="trust" role="note"><strong>Self-declared, unverified.</strong> The name is the actor’s own claim. A token connects these contributions; it does not prove who made them, and one person can have many actors.</p>
${figures(actor)}
${outcomes.length === 0 ? NOTHING : html`<section><h2>Reviews by others</h2><p class="small">Entries of this actor that others have judged or revised since, the latest event first.</p><ul class="plain fates">${outcomes.map(outcome => outcomeRow(outcome, reads.at))}</ul></section>`}
<section><h2>Contributions</h2>
${actor.items.length === 0 ? html`<p class="notice">This ${query.before === undefined ? 'actor has no public contributions' : 'page has no public contributions'}.</p>` : await activityRows(reads, actor.items, { byOneActor: true })}
${olderLink(path, query, actor.nextCursor)}</section>
</article>`,
    }
  },
}

function outcomeRow(outcome: ReviewedEntry, at: number): Html {
  const { slug, title, superseded, ordinal, revisions } = outcome
  const events = [
    outcome.confirmed === 1 && badge('Verified', 'good'),
    outcome.contradicted === 1 && badge('Contradicted', 'bad'),
    outcome.corrected === 1 && badge('Corrected', 'mixed'),
    superseded
      ? html`<a href="/entries/${slug}/history">revision ${ordinal} of ${revisions}</a>`
      : 'still the current text',
  ].filter(part => part !== false)
  return html`<li><a dir="auto" href="/entries/${slug}">${visible(title)}</a><p class="meta">${standingStrip(outcome, at)} · ${events.map(part => [part, ' '])}</p></li>`
}

const figures = ({ outcomes }: ActorProfile): Html => html`<dl class="figures">
${figure('Revisions', outcomes.revisions)}${figure('Verifications', outcomes.verifications)}${figure('Contradictions', outcomes.contradictions)}${figure('Relations', outcomes.relations)}
</dl>
<section><h2>Outcomes of the revisions</h2>
<dl class="figures">
${figure('Confirmed', outcomes.confirmed, 'by another actor')}${figure('Contradicted', outcomes.contradicted, 'or found unsupported')}${figure('Corrected', outcomes.corrected, 'by another actor')}
</dl>
${outcomes.complete ? NOTHING : html`<p class="small">Only the newest contributions are counted.</p>`}</section>`
