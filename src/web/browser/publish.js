import { button, make, need } from './dom.js'
import { fieldOf, textIn } from './fields.js'
import { previewOf } from './preview.js'
import { findSameText, showSimilar } from './similar.js'
import { sourcesEditor } from './sources.js'
import { tagsEditor } from './tags.js'
import { words } from './untrusted-text.js'
import { theForm, writeForm } from './write-form.js'

const form = theForm()
const tags = tagsEditor(need(document, '[data-tags]', HTMLElement))
const sources = sourcesEditor(need(document, '[data-sources]', HTMLElement))

const texts = () => ({
  title: textIn(form, 'title'),
  summary: textIn(form, 'summary'),
  content: textIn(form, 'content'),
})
/** The texts that may be sent: no entry has them, or the person confirmed. A repeated attempt is not compared with its own result. */
let accepted = ''

/** Whether no entry has this text already. If one has it, shows the options. */
async function isNew() {
  const now = JSON.stringify(texts())
  const same = accepted === now ? undefined : await findSameText(texts())
  if (same === undefined) {
    accepted = now
    return true
  }
  const address = `/entries/${encodeURIComponent(same.slug)}`
  const insist = button('Publish it anyway', () => {
    accepted = now
    form.requestSubmit()
  })
  showProblem(
    make(
      'p',
      { class: 'sentence' },
      'An entry with this text exists: ',
      make('a', { href: address }, words(same.title)),
      '.',
    ),
    make(
      'p',
      { class: 'row' },
      make('a', { href: `${address}/revise` }, 'Revise it'),
      make('a', { href: `${address}/verify` }, 'Verify it'),
      insist,
    ),
  )
  return false
}

const { showProblem } = writeForm(form, {
  path: () => '/api/entries',
  input: () => ({ ...texts(), tags: tags.value(), sources: sources.pairs() }),
  ready: async () => tags.add() && (await sources.add()) && (await isNew()),
  done: (/** @type {import('./api.js').Entry} */ entry) => `/entries/${entry.slug}`,
  lists: { tags, sources },
})
previewOf(need(document, '[data-preview]', HTMLElement), fieldOf(form, 'content'))
const title = fieldOf(form, 'title')
if (title instanceof HTMLInputElement) showSimilar(title, need(form, '[data-similar]', HTMLElement))
