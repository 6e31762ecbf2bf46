import { call } from './api.js'
import { make, show } from './dom.js'
import { words } from './visible.js'

/** How many of a title's words are searched for: the longest say most. */
const WORDS = 2
const SHOWN = 5

/**
 * Looks, when a title was typed, for entries that may say it already, and shows them as links.
 * @param {HTMLInputElement} title
 * @param {HTMLElement} place
 */
export function showSimilar(title, place) {
  title.addEventListener('change', async () => {
    const asked = title.value
    const q = (asked.match(/[\p{L}\p{M}\p{N}]{3,}/gu) ?? []).sort((a, b) => b.length - a.length).slice(0, WORDS)
    /** @type {import('./api.js').Answer<{ items: import('./api.js').Entry[] }> | undefined} */
    const answer =
      q.length === 0
        ? undefined
        : await call(
            'GET',
            `/api/search?${new URLSearchParams({ q: q.join(' ').slice(0, 200), sort: 'relevance', limit: String(SHOWN) })}`,
          )
    if (asked !== title.value) return
    const found = answer?.ok ? answer.body.items : []
    const links = found.map(({ slug, title: name, summary }) =>
      make('li', {}, make('a', { href: `/entries/${slug}` }, words(name)), ' ', words(summary)),
    )
    place.replaceChildren(
      make('p', {}, 'Is it here already? Then revise that entry instead.'),
      make('ul', {}, ...links),
    )
    show(place, found.length > 0)
  })
}
