import { fieldOf, fill, refusalMessage, shownAs, textIn, UNANSWERED } from './api.js'
import { make, need, show } from './dom.js'
import { sourcesEditor, theForm, writeForm } from './write-form.js'

/** @typedef {import('./conflict.js').Texts} Texts */
/** @typedef {{ entryId: string, revisionId: string }} Pair */

const TEXTS = /** @type {const} */ (['title', 'summary', 'content'])
const form = theForm()
const { slug = '' } = form.dataset
const address = `/entries/${encodeURIComponent(slug)}`
const place = need(document, '[data-conflict]', HTMLElement)
const sources = sourcesEditor(need(document, '[data-sources]', HTMLElement))
/** The base revision of the page; a draft may have an earlier base. */
const latest = fieldOf(form, 'previousRevisionId').value

/** @param {(name: keyof Texts) => string} textOf @returns {Texts} */
const textsBy = textOf => ({ title: textOf('title'), summary: textOf('summary'), content: textOf('content') })
/** The texts of a revision as the form shows them. @param {Texts} texts */
const shown = texts => textsBy(name => shownAs(fieldOf(form, name), texts[name]))
const typed = () => textsBy(name => textIn(form, name))
/** The text in the page as served, byte for byte. @param {keyof Texts} name */
const given = name => {
  const field = fieldOf(form, name)
  return 'defaultValue' in field ? field.defaultValue : field.value
}
/** The base revision of the form. @type {Texts & { sources: readonly Pair[] }} */
let built = { ...textsBy(given), sources: sources.pairs() }

/** The texts of the form. A text that was not edited has the bytes of the base revision. */
const mine = () => {
  const [now, before] = [typed(), shown(built)]
  return textsBy(name => (now[name] === before[name] ? built[name] : now[name]))
}
/** @param {Pair} pair */
const keyOf = ({ entryId, revisionId }) => `${entryId}@${revisionId}`
/** @param {readonly Pair[]} pairs */
const keysOf = pairs => pairs.map(keyOf).join()

/** A restored text differs from the latest one without an edit. */
function isChange() {
  if (form.dataset.restores !== undefined) return true
  const now = mine()
  return TEXTS.some(name => now[name] !== built[name]) || keysOf(sources.pairs()) !== keysOf(built.sources)
}

/** Whether there is a change to send. If there is none, shows a message. */
function changesSomething() {
  if (isChange()) return true
  const verify = make('a', { href: `${address}/verify` }, 'verify it')
  showProblem(
    make(
      'p',
      { class: 'sentence' },
      'This revision would change nothing: title, summary, content and sources are the same. Change something, or ',
      verify,
      ' if you found it supported.',
    ),
  )
  return false
}

/** Shows the changes of the other writer, and fills the form with the merge. */
async function openConflict() {
  const loaded = await Promise.all([import('./conflict.js'), import('./three-way.js')]).catch(() => undefined)
  if (loaded === undefined) return showProblem(...refusalMessage(UNANSWERED))
  const [{ conflictView, readConflict }, { mergeSets }] = loaded
  const read = await readConflict(slug, textIn(form, 'previousRevisionId'))
  if ('ok' in read) return showProblem(...refusalMessage(read))
  const { base, theirs, sources: others, by } = read
  const versions = { base: shown(base), theirs: shown(theirs), rationale: theirs.rationale, by, mine: typed() }
  place.replaceChildren(
    ...conflictView(versions, (merged, send) => {
      built = theirs
      for (const name of TEXTS) fill(fieldOf(form, name), merged[name])
      fill(fieldOf(form, 'previousRevisionId'), theirs.id)
      sources.set(mergeSets(base.sources, others, sources.value(), keyOf))
      show(place, false)
      showProblem()
      if (send) {
        need(document, '[data-send] button', HTMLButtonElement).focus()
        return form.requestSubmit()
      }
      need(document, '[data-send] [data-state]', HTMLElement).textContent =
        'The form has the merge, on top of the other revision. Read it, then send it.'
      fieldOf(form, 'content').focus()
    }),
  )
  show(place, true)
  place.focus()
}

const { restored, showProblem } = writeForm(form, {
  path: () => `/api${address}/revisions`,
  input: () => ({
    previousRevisionId: textIn(form, 'previousRevisionId'),
    ...mine(),
    changeType: textIn(form, 'changeType'),
    rationale: textIn(form, 'rationale'),
    sources: sources.pairs(),
  }),
  ready: async () => (await sources.add()) && changesSomething(),
  done: () => address,
  refused: ({ code }) => {
    if (code === 'STALE_REVISION') openConflict()
    return code === 'STALE_REVISION'
  },
  lists: { sources },
})
if (restored && textIn(form, 'previousRevisionId') !== latest) openConflict()

/** The sentence that an objection is about is selected. */
const quote = document.querySelector('[data-quote]')?.textContent ?? ''
const field = fieldOf(form, 'content')
const at = field instanceof HTMLTextAreaElement && quote !== '' ? field.value.indexOf(quote) : -1
if (field instanceof HTMLTextAreaElement && at >= 0) {
  field.focus()
  field.setSelectionRange(at, at + quote.length)
}
