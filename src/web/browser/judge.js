import { findByAddress } from './entry-address.js'
import { fieldOf, tellField, textIn } from './fields.js'
import { theForm, writeForm } from './write-form.js'

/** Verifying and contradicting: what is judged stands in the form; a confidence only in the one, an entry in support only in the other. */
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

/** Finds the entry in support that is named, if one is. */
async function findSupport() {
  sourceEntryId = undefined
  const field = fieldOf(form, 'support')
  tellField(field, '')
  if (field.value.trim() === '') return true
  const looked = await findByAddress(field.value)
  if ('found' in looked) sourceEntryId = looked.found.entryId
  else {
    tellField(field, looked.problem)
    field.focus()
  }
  return 'found' in looked
}

writeForm(form, {
  path: () => `/api${address}/${kind}`,
  input: () => (kind === 'verify' ? verification() : contradiction()),
  ready: () => kind === 'verify' || findSupport(),
  done: () => `${address}/evidence`,
})
