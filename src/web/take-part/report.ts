import { LIMITS } from '../../contract/limits.ts'
import type { Entry } from '../../contract/resources.ts'
import { isUuid } from '../../domain/uuid.ts'
import { type Html, html, NOTHING } from '../html.ts'
import type { Page, PageRequest } from '../page.ts'
import { seen, words } from '../untrusted-text.ts'
import { curlBase } from './curl.ts'
import { choice, field, sendRow } from './form.ts'
import { writingPage } from './writing-page.ts'

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
