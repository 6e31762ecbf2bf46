import { call, fieldOf, lengthOf, showFieldProblem, textIn } from './api.js'
import { afterPress, button, make, need, show, watchPresses, words } from './dom.js'
import { listEditor, sourcesEditor, theForm, writeForm } from './write-form.js'

const PATTERN = /^[\p{L}\p{M}\p{N} -]+$/u
const MOST = 8
const LONGEST = 40

/** Equal for tags that the service treats as the same. @param {string} tag */
const formOf = tag => tag.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ')

/**
 * Edits a list of tags: Enter, a comma or the button adds the typed tag; every tag has a button that removes it.
 * @param {HTMLElement} root contains the field, the button and the list
 */
function tagsEditor(root) {
  const isItem = /** @returns {tag is string} */ (/** @type {unknown} */ tag) => typeof tag === 'string'
  const editor = listEditor(root, { items: [], noun: 'tag', nameOf: tag => tag, view: words, isItem })
  const { field, value } = editor

  /** Adds the typed tag. Returns false if that fails; the field shows the problem. */
  const add = () => {
    const typed = field.value.split(/[,\n]/).map(tag => tag.trim())
    const fresh = typed.filter(tag => tag !== '' && !value().some(other => formOf(other) === formOf(tag)))
    const problem = problemOf(fresh, value().length)
    showFieldProblem(field, problem)
    if (problem !== '') return false
    if (field.value !== '') {
      field.value = ''
      editor.change([...value(), ...fresh])
    }
    return true
  }
  editor.addBy(add, 'Enter', ',')
  return { ...editor, add }
}

/**
 * @param {string[]} fresh
 * @param {number} already
 */
function problemOf(fresh, already) {
  const odd = fresh.find(tag => !PATTERN.test(tag))
  if (odd !== undefined) return `“${odd}” is not a valid tag: use letters, digits, spaces and hyphens only.`
  const long = fresh.find(tag => lengthOf(tag) > LONGEST)
  if (long !== undefined) return `“${long}” is too long: ${LONGEST} characters at most.`
  return already + fresh.length > MOST ? `There would be more than ${MOST} tags; remove one first.` : ''
}

const SHOWN = 5
/** The maximum lengths of the texts that are compared, in characters. */
const COMPARED = { title: 180, summary: 500 }
/** The delay between the last typed character and the search, in milliseconds. */
const PAUSE = 400

/** The standing of an entry in the words of all pages. @param {import('../../contract/resources.ts').Similar['standing']} standing */
function standingWords({ state, tally }) {
  const all = tally.for + tally.against + tally.inconclusive
  const voices = all === 0 ? '' : `, ${tally.for} of ${all} ${tally.for === 1 ? 'says' : 'say'} it holds`
  return ` ${state.toLowerCase().replaceAll('_', ' ')}${voices} `
}

/**
 * Searches for entries similar to a title and a summary, once after a pause in typing, and shows them as links. A later search aborts an
 * earlier one. Shows nothing if the service does not answer.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} place
 */
function showSimilar(form, place) {
  let timer = 0
  let asked = ''
  let running = new AbortController()
  watchPresses()
  const compare = async () => {
    const texts = Object.entries(COMPARED).map(([name, most]) => [
      name,
      Array.from(fieldOf(form, name).value.trim()).slice(0, most).join(''),
    ])
    const { title, ...rest } = Object.fromEntries(texts)
    const query = title === '' ? '' : `${new URLSearchParams({ title, ...rest })}`
    if (query === asked) return
    asked = query
    running.abort()
    running = new AbortController()
    const { signal } = running
    /** @type {import('./api.js').Answer<{ items: import('../../contract/resources.ts').Similar[] }> | undefined} */
    const answer = query === '' ? undefined : await call('GET', `/api/similar?${query}`, { signal })
    if (signal.aborted) return
    const found = answer?.ok ? answer.body.items.slice(0, SHOWN) : []
    const links = found.map(({ slug, title: name, summary, standing }) =>
      make(
        'li',
        {},
        make('a', { href: `/entries/${slug}` }, words(name)),
        make('span', { class: 'small' }, standingWords(standing)),
        words(summary),
      ),
    )
    afterPress(() => {
      place.replaceChildren(
        make('p', {}, 'If one of these entries has it already, revise that entry instead.'),
        make('ul', {}, ...links),
      )
      show(place, found.length > 0)
    })
  }
  for (const name of Object.keys(COMPARED)) {
    fieldOf(form, name).addEventListener('input', () => {
      clearTimeout(timer)
      timer = window.setTimeout(compare, PAUSE)
    })
  }
  compare()
}

/** @typedef {{ title: string, summary: string, content: string }} Texts */
/** @typedef {import('../../contract/resources.ts').Entry} Entry */

/** A content with normalized line ends and without surrounding spaces. @param {string} text */
const plain = text => text.replaceAll('\r\n', '\n').trim()

/**
 * Finds an entry with the same content among those whose titles are similar. Undefined if there is none, or if the service does not answer.
 * @param {Texts} draft
 * @returns {Promise<Entry | undefined>}
 */
async function findSameText({ title, summary, content }) {
  /** @type {import('./api.js').Answer<{ items: { id: string }[] }>} */
  const similar = await call('GET', `/api/similar?${new URLSearchParams({ title, summary })}`)
  if (!similar.ok || similar.body.items.length === 0) return undefined
  const ids = similar.body.items.map(({ id }) => id).join()
  /** @type {import('./api.js').Answer<{ items: (Entry | { problem: string })[] }>} */
  const batch = await call('GET', `/api/batch?ids=${ids}`)
  const entries = batch.ok ? batch.body.items.flatMap(item => ('content' in item ? [item] : [])) : []
  return entries.find(entry => plain(entry.content) === plain(content))
}

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
showSimilar(form, need(form, '[data-similar]', HTMLElement))
