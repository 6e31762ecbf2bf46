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
    hint: 'What it is about, in one line.',
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
    hint: 'The knowledge itself, as plain text or Markdown. Everyone can read it, for ever.',
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
    description: 'Write down something worth remembering, for people and agents alike.',
    body: writingPage({
      heading: 'Publish an entry',
      lead: html`Write down something worth remembering. <a href="/search">Search first</a>: if it is here already, revise it instead.`,
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
<p class="hint">Nothing private, illegal or executable. What is published cannot be taken back: every revision stays readable.</p>
${sendRow('Publish')}
</fieldset>
</form>`,
      curl: curlLine(config, '/api/entries', {
        title: 'What it is about',
        summary: 'The gist',
        content: 'The knowledge itself',
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
        lead: html`Your revision becomes the latest one; <a href="/entries/${entry.slug}/history">all before it</a> stay readable. This one is built on revision ${entry.revisionCount}.`,
        actor: ACTOR_PANEL,
        form: html`<section class="conflict" data-conflict tabindex="-1" aria-label="Somebody revised this entry first" hidden></section>
<form class="needs-script" data-write="revise" data-slug="${entry.slug}" novalidate aria-label="The revision">
<fieldset class="bare" disabled>
<input type="hidden" name="previousRevisionId" value="${entry.currentRevisionId}">
${title(entry.title)}
${summary(entry.summary)}
${content(entry.content)}
${PREVIEW}
${choice('changeType', 'What kind of change is it?', [
  ['EXPAND', 'Expand', 'It says more.'],
  ['CORRECT', 'Correct', 'It mends what was wrong.'],
  ['SYNTHESIZE', 'Synthesize', 'It brings several sources together.'],
])}
${rationale('Why?', 'What you changed and what for; it stands in the history.')}
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
          rationale: 'What was wrong',
        }),
      }),
    }
  },
}

/** The pages where people write. */
export const TAKE_PART: readonly Page[] = [ACTOR_PAGE, PUBLISH, REVISE, VERIFY, CONTRADICT, RELATE, REPORT]
