import { call, messageOf, readEntry, readRevision } from './api.js'
import { afterPress, make, show, watchPresses, words } from './dom.js'

/** The revision of an address. @typedef {{ entryId: string, slug: string, title: string, revisionId: string }} Addressed */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Parses the address of an entry or a revision: a link of this site or of its API, a path, or only an id or slug.
 * @param {string} text
 * @returns {{ entry: string, revision?: string } | undefined}
 */
export function parseAddress(text) {
  const typed = text.trim()
  const path = /^(?:https?:\/\/[^/]+)?(?:\/api)?\/entries\/([^/?#]+)(?:\/revisions\/([^/?#]+))?/i.exec(typed)
  const entry = decoded(path?.[1] ?? typed).replace(/\.(?:md|json)$/, '')
  const revision = decoded(path?.[2] ?? '').replace(/\.(?:md|json)$/, '')
  if (!/^[0-9a-z-]{1,120}$/i.test(entry)) return undefined
  return UUID.test(revision) ? { entry, revision } : { entry }
}

/**
 * Reads the entry or revision of an address, or returns the problem.
 * @param {string} text
 * @returns {Promise<{ found: Addressed } | { problem: string }>}
 */
export async function findByAddress(text) {
  const named = parseAddress(text)
  if (named === undefined)
    return {
      problem:
        'This is not the address of an entry of this service. Choose an entry that is found while you type, or paste an address.',
    }
  const entry = await readEntry(named.entry)
  if (!entry.ok) return { problem: messageOf(entry.code) }
  const { id: entryId, slug, title, currentRevisionId } = entry.body
  if (named.revision === undefined) return { found: { entryId, slug, title, revisionId: currentRevisionId } }
  const revision = await readRevision(entryId, named.revision)
  if (!revision.ok) return { problem: messageOf(revision.code) }
  return { found: { entryId, slug, title: revision.body.title, revisionId: revision.body.id } }
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** @typedef {import('../../contract/resources.ts').Found} Found */

const SHOWN = 6
/** The delay between the last change and the search, in milliseconds. Each search is a charged read. */
const PAUSE = 350
const LETTERS = 3
/** The maximum length of a question, in UTF-16 units. */
const QUESTION = 500

/**
 * Offers entries while a field is typed, as a combobox: arrows and Enter, or a press, choose one. An address is not searched for.
 * @param {HTMLInputElement} field
 * @param {(found: Found) => void} choose
 */
export function offerEntries(field, choose) {
  watchPresses()
  const id = `${field.id}-found`
  const list = make('ul', { id, class: 'offers', role: 'listbox', 'aria-label': 'Entries found', hidden: true })
  ;(field.closest('.row') ?? field).after(list)
  for (const [name, value] of Object.entries({ role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': id }))
    field.setAttribute(name, value)
  /** @type {Found[]} */
  let found = []
  let active = -1
  let timer = 0

  const mark = (/** @type {number} */ at) => {
    active = at
    Array.from(list.children).forEach((option, index) => {
      option.setAttribute('aria-selected', String(index === at))
      if (index === at) option.scrollIntoView({ block: 'nearest' })
    })
    if (at < 0) field.removeAttribute('aria-activedescendant')
    else field.setAttribute('aria-activedescendant', `${id}-${at}`)
  }
  const offer = (/** @type {Found[]} */ items) => {
    found = items
    list.replaceChildren(...items.map(optionOf))
    show(list, items.length > 0)
    field.setAttribute('aria-expanded', String(items.length > 0))
    mark(-1)
  }
  const pick = (/** @type {number} */ at) => {
    const picked = found[at]
    offer([])
    if (picked !== undefined) choose(picked)
  }
  const optionOf = (/** @type {Found} */ { title, summary, standing }, /** @type {number} */ at) => {
    const state = standing.state.charAt(0) + standing.state.slice(1).toLowerCase()
    const option = make('li', { id: `${id}-${at}`, role: 'option', 'aria-selected': false })
    option.append(words(title), make('span', { class: 'small' }, ` ${state} · `, words(summary)))
    // The field keeps the focus.
    option.addEventListener('pointerdown', event => event.preventDefault())
    option.addEventListener('click', () => pick(at))
    return option
  }
  const search = async () => {
    const asked = field.value
    /** @type {import('./api.js').Answer<{ items: Found[] }>} */
    const answer = await call('GET', `/api/find?${new URLSearchParams({ q: asked.trim(), limit: String(SHOWN) })}`)
    if (asked === field.value && document.activeElement === field) offer(answer.ok ? answer.body.items : [])
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    const text = field.value.trim()
    const isAddress = /\/|^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(text) && parseAddress(text) !== undefined
    if (text.length < LETTERS || text.length > QUESTION || isAddress) offer([])
    else timer = window.setTimeout(search, PAUSE)
  })
  field.addEventListener('keydown', event => {
    if (found.length === 0) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) mark((active + step + found.length + (active < 0 && step < 0 ? 1 : 0)) % found.length)
    else if (event.key === 'Enter' && active >= 0) pick(active)
    else if (event.key === 'Escape') offer([])
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  })
  field.addEventListener('blur', () => {
    clearTimeout(timer)
    afterPress(() => offer([]))
  })
  offer([])
}

/**
 * Offers entries for a field whose value is an address. The title of the chosen entry is shown below the field.
 * @param {HTMLInputElement} field
 */
export function offerAddresses(field) {
  const chosen = make('p', { class: 'hint', role: 'status' })
  field.after(chosen)
  offerEntries(field, ({ slug, title }) => {
    field.value = `/entries/${slug}`
    field.dispatchEvent(new Event('input', { bubbles: true }))
    chosen.replaceChildren('Chosen: ', words(title))
  })
  field.addEventListener('input', () => chosen.replaceChildren())
}
