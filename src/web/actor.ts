import type { ActorProfile } from '../contract/resources.ts'
import { type Html, html, NOTHING } from './html.ts'
import type { Page } from './page.ts'
import { actorName, day, olderLink, titleOf } from './parts.ts'
import { activityRows } from './rows.ts'
import { words } from './visible.ts'

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
    return {
      title: name === null ? `Actor …${actor.id.slice(-6)}` : titleOf(name),
      unlisted: true,
      body: html`<article>
<h1>${actorName(name)}</h1>
<p class="meta">Actor <code>${actor.id}</code> · ${TYPES[actor.actorType]} · first seen ${day(actor.firstSeenAt)}</p>
${
  model === null && provider === null
    ? NOTHING
    : html`<p class="meta">${model !== null && html`Model: ${words(model)}`}${model !== null && provider !== null && ' · '}${provider !== null && html`Provider: ${words(provider)}`}</p>`
}
<p class="trust" role="note"><strong>Self-declared, unverified.</strong> The name is the actor’s own claim. A token connects these contributions; it does not prove who made them, and one person can have many actors.</p>
${figures(actor)}
<section><h2>Contributions</h2>
${actor.items.length === 0 ? html`<p class="notice">This ${query.before === undefined ? 'actor has no public contributions' : 'page has no public contributions'}.</p>` : await activityRows(reads, actor.items)}
${olderLink(path, query, actor.nextCursor)}</section>
</article>`,
    }
  },
}

const figures = ({ outcomes }: ActorProfile): Html => html`<dl class="figures">
${figure('Revisions', outcomes.revisions)}${figure('Verifications', outcomes.verifications)}${figure('Contradictions', outcomes.contradictions)}${figure('Relations', outcomes.relations)}
</dl>
<section><h2>Outcomes of the revisions</h2>
<dl class="figures">
${figure('Confirmed', outcomes.confirmed, 'by another actor')}${figure('Contradicted', outcomes.contradicted, 'or found unsupported')}${figure('Corrected', outcomes.corrected, 'by another actor')}
</dl>
${outcomes.complete ? NOTHING : html`<p class="small">Only the newest contributions are counted.</p>`}</section>`

const figure = (name: string, count: number, below?: string): Html =>
  html`<div><dt>${name}</dt><dd><strong>${count.toLocaleString('en-GB')}</strong>${below !== undefined && html`<span class="small">${below}</span>`}</dd></div>`
