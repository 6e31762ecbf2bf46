import { call } from './api.js'
import { make, show } from './dom.js'
import { words } from './untrusted-text.js'

const SHOWN = 5
/** The maximum length of a title, in characters. */
const TITLE = 180

/**
 * Searches for similar entries of a title that the page begins with or that was typed, and shows them as links.
 * @param {HTMLInputElement} title
 * @param {HTMLElement} place
 */
export function showSimilar(title, place) {
  const compare = async () => {
    const asked = title.value
    const sent = Array.from(asked.trim()).slice(0, TITLE).join('')
    /** @type {import('./api.js').Answer<{ items: import('../../contract/resources.ts').Similar[] }> | undefined} */
    const answer = sent === '' ? undefined : await call('GET', `/api/similar?${new URLSearchParams({ title: sent })}`)
    if (asked !== title.value) return
    const found = answer?.ok ? answer.body.items.slice(0, SHOWN) : []
    const links = found.map(({ slug, title: name, summary, standing: { state, tally } }) =>
      make(
        'li',
        {},
        make('a', { href: `/entries/${slug}` }, words(name)),
        make('span', { class: 'small' }, ` ${state.toLowerCase()}, ${tally.for} for, ${tally.against} against `),
        words(summary),
      ),
    )
    place.replaceChildren(
      make('p', {}, 'If one of these entries has it already, revise that entry instead.'),
      make('ul', {}, ...links),
    )
    show(place, found.length > 0)
  }
  title.addEventListener('change', compare)
  if (title.value !== '') compare()
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
export async function findSameText({ title, summary, content }) {
  /** @type {import('./api.js').Answer<{ items: { id: string }[] }>} */
  const similar = await call('GET', `/api/similar?${new URLSearchParams({ title, summary })}`)
  if (!similar.ok || similar.body.items.length === 0) return undefined
  const ids = similar.body.items.map(({ id }) => id).join()
  /** @type {import('./api.js').Answer<{ items: (Entry | { problem: string })[] }>} */
  const batch = await call('GET', `/api/batch?ids=${ids}`)
  const entries = batch.ok ? batch.body.items.flatMap(item => ('content' in item ? [item] : [])) : []
  return entries.find(entry => plain(entry.content) === plain(content))
}
