import { judgementOf } from './judge-here.js'
import { theForm, writeForm } from './write-form.js'

/** The page that records whether a revision held. */
const form = theForm()
const { request, ready, answered } = judgementOf(form)
writeForm(form, {
  path: () => request().path,
  input: () => request().body,
  answered,
  ready,
  done: () => `/entries/${encodeURIComponent(form.dataset.slug ?? '')}/evidence`,
})
