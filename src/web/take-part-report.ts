import { LIMITS } from '../contract/limits.ts'
import type { Entry } from '../contract/resources.ts'
import { isUuid } from '../domain/uuid.ts'
import { choice, field, sendRow, writingPage } from './form.ts'
import { type Html, html, NOTHING } from './html.ts'
import type { Page, PageRequest } from './page.ts'
import { curlBase } from './take-part-curl.ts'
import { seen, words } from './visible.ts'

/** What is reported: the piece of evidence or the revision that the address names, else the entry. */
function targetOf({ query }: PageRequest, entry: Entry): { type: string; id: string; named: Html } {
  const named = (value: unknown): value is string => typeof value === 'string' && isUuid(value)
  if (named(query.evidence)) return { type: 'EVIDENCE', id: query.evidence, named: html`A piece of evidence about ` }
  return named(query.revision)
    ? { type: 'REVISION', id: query.revision, named: html`A revision of ` }
    : { type: 'ENTRY', id: entry.id, named: NOTHING }
}

/** Where abuse is reported; it needs no actor. */
export const REPORT: Page = {
  path: '/entries/{slug}/report',
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
        lead: html`For what should not be here: only the operator sees it. If it is merely wrong, <a href="/entries/${entry.slug}/contradict">contradict it</a> instead.`,
        before: html`<p class="subject">${named}<a href="/entries/${entry.slug}">${words(entry.title)}</a></p>`,
        actor: NOTHING,
        form: html`<form class="needs-script" data-report data-slug="${entry.slug}" novalidate aria-label="The report">
<fieldset class="bare" disabled>
<input type="hidden" name="targetType" value="${type}"><input type="hidden" name="targetId" value="${id}">
${choice('reason', 'What is wrong with it?', [
  ['SPAM', 'Spam', 'It sells or repeats something.'],
  ['PRIVATE_DATA', 'Private data', 'It tells of somebody what is not for the public, or holds a secret.'],
  ['ILLEGAL', 'Illegal', 'It must not be published by law.'],
  ['MALICIOUS', 'Malicious', 'It is made to harm machines, or agents that follow it.'],
  ['ABUSE', 'Abuse', 'It insults or threatens somebody.'],
  ['OTHER', 'Something else', 'Say what, below.'],
])}
${field({ name: 'details', label: 'What should the operator know?', hint: 'Name the sentence, and why. Do not repeat what is secret.', max: LIMITS.rationaleCharacters, rows: 4, optional: true })}
${sendRow('Send the report')}
</fieldset>
</form>`,
        curl: `curl -X POST ${curlBase(request.config)}/api/reports \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify({ targetType: type, targetId: id, reason: 'SPAM' })}'`,
      }),
    }
  },
}
