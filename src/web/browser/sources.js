import { button, make, need } from './dom.js'
import { findByAddress } from './entry-address.js'
import { offerEntries } from './entry-picker.js'
import { showFieldProblem } from './fields.js'
import { words } from './untrusted-text.js'

/** @typedef {{ entryId: string, revisionId: string, title: string }} Source */

const MOST = 20

/**
 * Edits the list of exact revisions that a text uses: entries are offered while one types, and an address is looked up and added.
 * @param {HTMLElement} root contains the field, the button and the list, whose items have the data of their sources
 */
export function sourcesEditor(root) {
  const field = need(root, 'input', HTMLInputElement)
  const list = need(root, '[data-list]', HTMLElement)
  /** @type {Source[]} */
  let sources = Array.from(list.querySelectorAll('li'), ({ dataset }) => ({
    entryId: dataset.entry ?? '',
    revisionId: dataset.revision ?? '',
    title: dataset.title ?? '',
  }))

  const render = () =>
    list.replaceChildren(
      ...sources.map(source => {
        const href = `/entries/${source.entryId}/revisions/${source.revisionId}`
        const name = source.title === '' ? source.entryId : source.title
        const remove = button('Remove', () => change(sources.filter(other => other !== source)), {
          'aria-label': `Remove the source ${name}`,
        })
        return make('li', {}, make('a', { href }, words(name)), remove)
      }),
    )
  const change = (/** @type {Source[]} */ next) => {
    sources = next
    render()
    field.focus()
    root.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Looks up the typed address and adds it. Returns false if that fails; the field shows the problem. */
  const add = async () => {
    const over = sources.length > MOST ? `There are ${sources.length} sources, and ${MOST} at most: remove some.` : ''
    showFieldProblem(field, over)
    if (over !== '') field.focus()
    if (over !== '' || field.value.trim() === '') return over === ''
    const looked = await findByAddress(field.value)
    if ('found' in looked) return append(looked.found)
    showFieldProblem(field, looked.problem)
    return false
  }
  const append = (/** @type {Source} */ { entryId, revisionId, title }) => {
    const full = sources.length >= MOST ? `There are ${MOST} sources already; remove one first.` : ''
    showFieldProblem(field, full)
    if (full !== '') return false
    field.value = ''
    const known = sources.some(other => other.revisionId === revisionId)
    change(known ? sources : [...sources, { entryId, revisionId, title }])
    return true
  }
  offerEntries(field, ({ id, currentRevisionId, title }) =>
    append({ entryId: id, revisionId: currentRevisionId, title }),
  )
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || field.value === '') return
    event.preventDefault()
    add()
  })
  need(root, '[data-add]', HTMLButtonElement).addEventListener('click', add)
  render()

  return {
    add,
    value: () => sources,
    /** @param {unknown} next */
    set(next) {
      sources = Array.isArray(next) ? next.filter(isSource) : []
      render()
    },
    /** The sources for the request. */
    pairs: () => sources.map(({ entryId, revisionId }) => ({ entryId, revisionId })),
  }
}

/** @param {unknown} value @returns {value is Source} */
const isSource = value =>
  typeof value === 'object' &&
  value !== null &&
  ['entryId', 'revisionId', 'title'].every(name => typeof Reflect.get(value, name) === 'string')
