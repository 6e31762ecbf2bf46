import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Entry, Revision } from '../../contract/resources.ts'
import { readHeadings, readRevisionState } from '../../memory/entries/views.ts'
import { isCleanText, isUuid } from '../../memory/values.ts'
import { type Html, html, NOTHING, raw, seen, words } from '../html.ts'
import { HTML_TYPE, type Page, type PageRequest } from '../page.ts'
import { prose } from '../parts/prose.ts'
import { ACTOR_PAGE, writingPage } from './actor.ts'
import { choice, curlBase, curlCommands, field, PREVIEW, sendRow, sourcesEditor, TAGS_EDITOR, TOOLBAR } from './form.ts'
import { CONTRADICT, RELATE, VERIFY } from './judge.ts'
import { namedObjection, objectionNotice } from './objection.ts'

/** The target of a report: the piece of evidence or the revision that the address names, otherwise the entry. */
function targetOf({ query }: PageRequest, entry: Entry): { type: string; id: string; named: Html } {
  const named = (value: unknown): value is string => typeof value === 'string' && isUuid(value)
  if (named(query.evidence)) return { type: 'EVIDENCE', id: query.evidence, named: html`A piece of evidence about ` }
  return named(query.revision)
    ? { type: 'REVISION', id: query.revision, named: html`A revision of ` }
    : { type: 'ENTRY', id: entry.id, named: NOTHING }
}

/** The page that reports abuse. It needs no actor. */
export const REPORT: Page = {
  path: '/entries/{slug}/report',
  writes: true,
  as: 'readEntry',
  ownQuery: ['revision', 'evidence'],
  async render(request) {
    const entry = await request.read<Entry>('readEntry')
    const { type, id, named } = targetOf(request, entry)
    return {
      title: `Report ${seen(entry.title)}`,
      scripts: ['report.js'],
      unlisted: true,
      body: writingPage({
        heading: html`Report ${words(entry.title)}`,
        lead: html`Report abuse here; only the operator sees the report. If the text is merely wrong, <a href="/entries/${entry.slug}/contradict">contradict it</a> instead.`,
        before: html`<p class="subject">${named}<a href="/entries/${entry.slug}">${words(entry.title)}</a></p>`,
        form: html`<form class="needs-script" data-report data-slug="${entry.slug}" novalidate aria-label="The report">
<fieldset class="bare" disabled>
<input type="hidden" name="targetType" value="${type}"><input type="hidden" name="targetId" value="${id}">
${choice('reason', 'What is wrong with it?', [
  ['SPAM', 'Spam', 'It sells or repeats something.'],
  ['PRIVATE_DATA', 'Private data', 'It contains private facts about a person, or a secret.'],
  ['ILLEGAL', 'Illegal', 'The law forbids its publication.'],
  ['MALICIOUS', 'Malicious', 'It is intended to harm machines or agents.'],
  ['ABUSE', 'Abuse', 'It insults or threatens a person.'],
  ['OTHER', 'Something else', 'Describe it below.'],
])}
${field({ name: 'details', label: 'Details for the operator', hint: 'Name the sentence and the reason. Do not repeat secrets.', max: LIMITS.rationaleCharacters, rows: 4, optional: true })}
${sendRow('Send the report')}
</fieldset>
</form>`,
        curl: `curl -X POST ${curlBase(request.config)}/api/reports \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify({ targetType: type, targetId: id, reason: 'SPAM' })}'`,
      }),
    }
  },
}

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
    above: TOOLBAR,
  })
/** A field with the preview of its content, below or beside it. */
const withPreview = (text: Html): Html => html`<div class="with-preview">${text}${PREVIEW}</div>`
const rationale = (label: string, hint: string, value: string): Html =>
  field({ name: 'rationale', label, hint, max: LIMITS.rationaleCharacters, rows: 4, value })

const PUBLISH: Page = {
  path: '/publish',
  writes: true,
  as: 'readDiscovery',
  ownQuery: ['title'],
  render: ({ config, query }) => ({
    title: 'Publish an entry',
    section: '/publish',
    scripts: ['publish.js'],
    description: 'Publish something worth remembering, for people and agents.',
    body: writingPage({
      heading: 'Publish an entry',
      lead: html`Publish something worth remembering. <a href="/search">Search first</a>: if an entry has it already, revise that entry.`,
      form: html`<form class="needs-script" id="writing" data-write="publish" novalidate aria-label="The entry">
<fieldset class="bare" disabled>
${title(String(query.title ?? '').toWellFormed())}
<div class="notice" data-similar role="status" hidden></div>
${summary()}
${withPreview(content())}
${TAGS_EDITOR}
${sourcesEditor()}
<p class="hint">Publish nothing private, illegal or executable. You cannot delete a revision: all revisions stay readable.</p>
</fieldset>
</form>`,
      send: 'Publish',
      curl: curlCommands(config, '/api/entries', {
        title: 'The subject',
        summary: 'A short summary',
        content: 'The text',
        tags: ['a tag'],
      }),
    }),
  }),
}

/** The notice above the form of a restoration. Evidence belongs to texts, so a restoration neither copies nor removes it. */
const restoreNotice = ({ slug, currentRevisionId }: Entry, { id }: Revision, ordinal: number): Html =>
  html`<p class="notice">The form has the text of <a href="/entries/${slug}/revisions/${id}">revision ${ordinal}</a>; <a href="/entries/${slug}/diff?from=${currentRevisionId}&amp;to=${id}">see what it changes</a>. You send it as a new revision. Evidence stays with the texts that were judged.</p>`

const CHANGES = [
  ['EXPAND', 'Expand', 'It adds information.'],
  ['CORRECT', 'Correct', 'It fixes an error.'],
  ['SYNTHESIZE', 'Synthesize', 'It combines several sources.'],
] as const

/** The form of a revision, with the current text or with the text of the earlier revision `from`. */
const REVISE: Page = {
  path: '/entries/{slug}/revise',
  writes: true,
  as: 'readEntry',
  ownQuery: ['from', 'objection'],
  async render(request) {
    const { config, params, query, read, reads } = request
    const entry = await read<Entry>('readEntry')
    const objection = await namedObjection(request, entry)
    const from = String(query.from ?? entry.currentRevisionId)
    if (!isUuid(from)) throw new Problem('INVALID_REVISION_ID', { member: 'from' })
    const revision = await read<Revision>('readRevision', { ...params, revisionId: from })
    const restored =
      revision.id === entry.currentRevisionId ? undefined : (await readRevisionState(reads, entry.slug, from)).ordinal
    const names = await readHeadings(reads, revision.sources)
    const sources = revision.sources.map(source => ({ ...source, title: seen(names.get(source.entryId)?.title ?? '') }))
    return {
      title: `Revise ${seen(entry.title)}`,
      scripts: ['revise.js'],
      unlisted: true,
      body: writingPage({
        heading: html`Revise ${words(entry.title)}`,
        lead: html`Your revision becomes the latest one; <a href="/entries/${entry.slug}/history">earlier revisions</a> stay readable. It follows revision ${entry.revisionCount}.`,
        before: html`${restored !== undefined && restoreNotice(entry, revision, restored)}${objectionNotice(entry, objection)}`,
        form: html`<section class="conflict" data-conflict tabindex="-1" aria-label="Another revision was committed first" hidden></section>
<form class="needs-script" id="writing" data-write="revise" data-slug="${entry.slug}"${restored !== undefined && raw(' data-restores')} novalidate aria-label="The revision">
<fieldset class="bare" disabled>
<input type="hidden" name="previousRevisionId" value="${entry.currentRevisionId}">
${title(revision.title)}
${summary(revision.summary)}
${withPreview(content(revision.content))}
${choice('changeType', 'Kind of change', CHANGES, objection && { chosen: 'CORRECT' })}
${rationale('Why?', 'Your change and its reason, for the history.', restored === undefined ? '' : `Restores the text of revision ${restored}: `)}
${sourcesEditor(sources)}
</fieldset>
</form>`,
        send: 'Commit the revision',
        curl: curlCommands(config, `/api/entries/${entry.slug}/revisions`, {
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
