import { fieldOf, showFieldProblem, textIn } from './api.js'
import { picker, theForm, withPicker, writeForm } from './write-form.js'

const form = theForm()
const { slug = '', entry: sourceEntryId = '' } = form.dataset
let targetEntryId = ''

/** Finds the target of the relation. */
async function findTarget() {
  const field = fieldOf(form, 'target')
  const { findByAddress } = await picker()
  const looked = await findByAddress(field.value)
  const itself = 'found' in looked && looked.found.entryId === sourceEntryId
  const problem = 'problem' in looked ? looked.problem : itself ? 'This is the same entry. Choose another one.' : ''
  showFieldProblem(field, problem)
  if (problem !== '' || !('found' in looked)) {
    field.focus()
    return false
  }
  targetEntryId = looked.found.entryId
  return true
}

const target = fieldOf(form, 'target')
if (target instanceof HTMLInputElement) withPicker(target, ({ offerAddresses }) => offerAddresses(target))
writeForm(form, {
  path: () => '/api/relations',
  input: () => ({
    sourceEntryId,
    targetEntryId,
    relationType: textIn(form, 'relationType'),
    rationale: textIn(form, 'rationale'),
  }),
  ready: findTarget,
  done: () => `/entries/${encodeURIComponent(slug)}/relations`,
})
