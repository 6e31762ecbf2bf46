import { need } from './dom.js'
import { fieldOf, textIn } from './fields.js'
import { previewOf } from './preview.js'
import { showSimilar } from './similar.js'
import { sourcesEditor } from './sources.js'
import { tagsEditor } from './tags.js'
import { theForm, writeForm } from './write-form.js'

const form = theForm()
const tags = tagsEditor(need(document, '[data-tags]', HTMLElement))
const sources = sourcesEditor(need(document, '[data-sources]', HTMLElement))

writeForm(form, {
  path: () => '/api/entries',
  input: () => ({
    title: textIn(form, 'title'),
    summary: textIn(form, 'summary'),
    content: textIn(form, 'content'),
    tags: tags.value(),
    sources: sources.pairs(),
  }),
  ready: async () => tags.add() && (await sources.add()),
  done: (/** @type {import('./api.js').Entry} */ entry) => `/entries/${entry.slug}`,
  lists: { tags, sources },
})
previewOf(need(document, '[data-preview]', HTMLElement), () => textIn(form, 'content'))
const title = fieldOf(form, 'title')
if (title instanceof HTMLInputElement) showSimilar(title, need(form, '[data-similar]', HTMLElement))
