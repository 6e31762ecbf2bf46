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
        make(
          'span',
          { class: 'small' },
          ` ${state.toLowerCase()}, ${tally.independentFor} for, ${tally.independentAgainst} against `,
        ),
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
