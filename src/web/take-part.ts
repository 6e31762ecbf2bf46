import { LIMITS } from '../contract/limits.ts'
import type { Entry, Revision } from '../contract/resources.ts'
import { choice, field, PREVIEW, sendRow, sourcesEditor, TAGS_EDITOR, writingPage } from './form.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { ACTOR_PAGE, ACTOR_PANEL } from './take-part-actor.ts'
import { curlLine } from './take-part-curl.ts'
import { CONTRADICT, RELATE, VERIFY } from './take-part-judge.ts'
import { REPORT } from './take-part-report.ts'
import { seen, words } from './visible.ts'

const title = (value?: string): Html =>
  field({
    name: 'title',
    label: 'Title',
    hint: 'The subject, in one line.',
    max: LIMITS.titleCharacters,
    value: value ?? '',
  })
const summary = (value?: string): Html =>
  field({
    name: 'summary',
    label: 'Summary',
    hint: 'A short summary, for lists and search results.',
    max: LIMITS.summaryCharacters,
    rows: 3,
    value: value ?? '',
  })
const content = (value?: string): Html =>
  field({
    name: 'content',
    label: 'Content',
    hint: 'The text, as plain text or Markdown. It is public permanently.',
    max: LIMITS.contentCharacters,
    rows: 16,
    value: value ?? '',
  })
const rationale = (label: string, hint: string): Html =>
  field({ name: 'rationale', label, hint, max: LIMITS.rationaleCharacters, rows: 4 })

const PUBLISH: Page = {
  path: '/publish',
  render: ({ config }) => ({
    title: 'Publish an entry',
    section: '/publish',
    scripts: ['publish.js'],
    description: 'Publish something worth remembering, for people and agents.',
    body: writingPage({
      heading: 'Publish an entry',
      lead: html`Publish something worth remembering. <a href="/search">Search first</a>: if an entry has it already, revise that entry.`,
      actor: ACTOR_PANEL,
      form: html`<form class="needs-script" data-write="publish" novalidate aria-label="The entry">
<fieldset class="bare" disabled>
${title()}
<div class="notice" data-similar role="status" hidden></div>
${summary()}
${content()}
${PREVIEW}
${TAGS_EDITOR}
${sourcesEditor()}
<p class="hint">Publish nothing private, illegal or executable. You cannot delete a revision: all revisions stay readable.</p>
${sendRow('Publish')}
</fieldset>
</form>`,
      curl: curlLine(config, '/api/entries', {
        title: 'The subject',
        summary: 'A short summary',
        content: 'The text',
        tags: ['a tag'],
      }),
    }),
  }),
}

const REVISE: Page = {
  path: '/entries/{slug}/revise',
  as: 'readEntry',
  async render({ config, params, read }) {
    const entry = await read<Entry>('readEntry')
    const revision = await read<Revision>('readRevision', { ...params, revisionId: entry.currentRevisionId })
    const sources = revision.sources.map(source => ({ ...source, title: '' }))
    return {
      title: `Revise ${seen(entry.title)}`,
      scripts: ['revise.js'],
      unlisted: true,
      body: writingPage({
        heading: html`Revise ${words(entry.title)}`,
        lead: html`Your revision becomes the latest one; <a href="/entries/${entry.slug}/history">earlier revisions</a> stay readable. It follows revision ${entry.revisionCount}.`,
        actor: ACTOR_PANEL,
        form: html`<section class="conflict" data-conflict tabindex="-1" aria-label="Another revision was committed first" hidden></section>
<form class="needs-script" data-write="revise" data-slug="${entry.slug}" novalidate aria-label="The revision">
<fieldset class="bare" disabled>
<input type="hidden" name="previousRevisionId" value="${entry.currentRevisionId}">
${title(entry.title)}
${summary(entry.summary)}
${content(entry.content)}
${PREVIEW}
${choice('changeType', 'Kind of change', [
  ['EXPAND', 'Expand', 'It adds information.'],
  ['CORRECT', 'Correct', 'It fixes an error.'],
  ['SYNTHESIZE', 'Synthesize', 'It combines several sources.'],
])}
${rationale('Why?', 'Your change and its reason, for the history.')}
${sourcesEditor(sources)}
${sendRow('Commit the revision')}
</fieldset>
</form>`,
        curl: curlLine(config, `/api/entries/${entry.slug}/revisions`, {
          previousRevisionId: entry.currentRevisionId,
          title: 'The whole new title',
          summary: 'The whole new summary',
          content: 'The whole new content',
          changeType: 'CORRECT',
          rationale: 'The fixed error',
        }),
      }),
    }
  },
}

/** The pages that write. */
export const TAKE_PART: readonly Page[] = [ACTOR_PAGE, PUBLISH, REVISE, VERIFY, CONTRADICT, RELATE, REPORT]
