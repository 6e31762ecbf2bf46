import { fieldOf, textIn } from './api.js'
import { lookedUp, theForm, withAddresses, writeForm } from './write-form.js'

const form = theForm()
const { slug = '', entry: sourceEntryId = '' } = form.dataset
let targetEntryId = ''

const target = fieldOf(form, 'target')
withAddresses(target)

/** Finds the target of the relation. */
async function findTarget() {
  const found = await lookedUp(target, ({ entryId }) =>
    entryId === sourceEntryId ? 'This is the same entry. Choose another one.' : '',
  )
  targetEntryId = found?.entryId ?? ''
  return found !== undefined
}

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
