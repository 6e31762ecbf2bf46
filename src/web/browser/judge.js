import { findByAddress } from './entry-address.js'
import { offerAddresses } from './entry-picker.js'
import { fieldOf, showFieldProblem, textIn } from './fields.js'
import { theForm, writeForm } from './write-form.js'

/** The pages that verify and contradict. The form has the judged revision. Only a verification has a confidence; only a contradiction has a quote and a supporting entry. */
const form = theForm()
const { write: kind, slug = '' } = form.dataset
const address = `/entries/${encodeURIComponent(slug)}`
/** @type {string | undefined} */
let sourceEntryId

const verification = () => ({
  revisionId: textIn(form, 'revisionId'),
  result: textIn(form, 'result'),
  confidence: Number(textIn(form, 'confidence')) / 100,
  rationale: textIn(form, 'rationale'),
})
const contradiction = () => ({
  revisionId: textIn(form, 'revisionId'),
  rationale: textIn(form, 'rationale'),
  ...(sourceEntryId === undefined ? {} : { sourceEntryId }),
})
/** The quote of a contradiction; empty if it is about the whole text. */
const quote = () => (kind === 'contradict' ? textIn(form, 'quote').trim() : '')
const quoting = () => ({ items: [{ entry: slug, kind: 'CONTRADICT', quote: quote(), ...contradiction() }] })

/**
 * The refusal of the only item as an answer.
 * @param {import('./api.js').Answer<{ items?: import('../../contract/resources.ts').EvidenceResult[] }>} sent
 * @returns {typeof sent}
 */
function answered(sent) {
  const error = sent.ok ? sent.body.items?.[0]?.error : undefined
  return error === undefined
    ? sent
    : { ok: false, status: sent.status, code: error.code, requestId: null, retryAfter: 0 }
}

/** Finds the named supporting entry, if there is one. */
async function findSupport() {
  sourceEntryId = undefined
  const field = fieldOf(form, 'support')
  showFieldProblem(field, '')
  if (field.value.trim() === '') return true
  const looked = await findByAddress(field.value)
  if ('found' in looked) sourceEntryId = looked.found.entryId
  else {
    showFieldProblem(field, looked.problem)
    field.focus()
  }
  return 'found' in looked
}

const support = kind === 'contradict' && fieldOf(form, 'support')
if (support instanceof HTMLInputElement) offerAddresses(support)
writeForm(form, {
  path: () => (quote() === '' ? `/api${address}/${kind}` : '/api/evidence'),
  input: () => (kind === 'verify' ? verification() : quote() === '' ? contradiction() : quoting()),
  answered,
  ready: () => kind === 'verify' || findSupport(),
  done: () => `${address}/evidence`,
})
