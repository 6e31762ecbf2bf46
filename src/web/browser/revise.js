import { conflictView, readConflict } from './conflict.js'
import { need, show } from './dom.js'
import { fieldOf, fill, textIn } from './fields.js'
import { previewOf } from './preview.js'
import { toldOf } from './sending.js'
import { sourcesEditor } from './sources.js'
import { theForm, writeForm } from './write-form.js'

const form = theForm()
const { slug = '' } = form.dataset
const address = `/entries/${encodeURIComponent(slug)}`
const place = need(document, '[data-conflict]', HTMLElement)
const sources = sourcesEditor(need(document, '[data-sources]', HTMLElement))
/** The revision that the page was made from; a draft may have begun with an earlier one. */
const latest = fieldOf(form, 'previousRevisionId').value

const mine = () => ({
  title: textIn(form, 'title'),
  summary: textIn(form, 'summary'),
  content: textIn(form, 'content'),
})

/** Shows what somebody else changed meanwhile, and lets the person go on from there. */
async function openConflict() {
  const read = await readConflict(slug, textIn(form, 'previousRevisionId'))
  if ('ok' in read) return tell(...toldOf(read))
  const { theirs } = read
  place.replaceChildren(
    ...conflictView({ ...read, mine: mine() }, merged => {
      for (const name of /** @type {const} */ (['title', 'summary', 'content'])) fill(fieldOf(form, name), merged[name])
      fill(fieldOf(form, 'previousRevisionId'), theirs.id)
      show(place, false)
      tell()
      need(form, '[data-state]', HTMLElement).textContent =
        'The form holds the merge, on top of their revision. Read it over, then send it.'
      fieldOf(form, 'content').focus()
    }),
  )
  show(place, true)
  place.focus()
}

const { restored, tell } = writeForm(form, {
  path: () => `/api${address}/revisions`,
  input: () => ({
    previousRevisionId: textIn(form, 'previousRevisionId'),
    ...mine(),
    changeType: textIn(form, 'changeType'),
    rationale: textIn(form, 'rationale'),
    sources: sources.pairs(),
  }),
  ready: () => sources.add(),
  done: () => address,
  refused: ({ code }) => {
    if (code === 'STALE_REVISION') openConflict()
    return code === 'STALE_REVISION'
  },
  lists: { sources },
})
previewOf(need(document, '[data-preview]', HTMLElement), () => textIn(form, 'content'))
if (restored && textIn(form, 'previousRevisionId') !== latest) openConflict()
