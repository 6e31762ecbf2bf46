import { call, refusalMessage } from './api.js'
import { button, make, need, words } from './dom.js'
import { follow, followed, unfollow } from './follow.js'

/** The page of what this browser follows: reads the present state of each, and shows what is new. */

/** @typedef {import('../../contract/resources.ts').Entry} Entry */
/** @typedef {import('./api.js').Refused} Refused */
/** A row: what is new is empty if nothing is; `see` marks it as seen. @typedef {{ kind: 'entry' | 'tag', name: string, title: Node, fresh: Node[], see: () => void }} Row */

/** Entries of one request, and changed entries of a tag that a row names. */
const BATCH = 50
const SHOWN = 5

const place = need(document, '[data-following]', HTMLElement)
const status = need(document, '[data-status]', HTMLElement)
/** @type {Record<string, string>} */
const STATES = JSON.parse(place.dataset.following ?? '{}')

/** @param {string} state */
const stateName = state => (STATES[state] ?? state).toLowerCase()
/** @param {number} count @param {string} noun */
const many = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/**
 * @param {import('./follow.js').SeenEntry} seen
 * @param {Entry} entry
 * @returns {Node[]}
 */
function newOf({ revision, ordinal, state }, { slug, currentRevisionId, revisionCount, standing }) {
  const news = []
  if (currentRevisionId !== revision) {
    const href = `/entries/${slug}/diff?${new URLSearchParams({ from: revision, to: currentRevisionId })}`
    news.push(make('a', { href }, many(Math.max(1, revisionCount - ordinal), 'new revision')))
  }
  if (standing.state !== state) {
    const href = `/entries/${slug}/evidence`
    news.push(make('a', { href }, `now ${stateName(standing.state)}, was ${stateName(state)}`))
  }
  return news
}

/** @param {[string, import('./follow.js').SeenEntry][]} pairs @returns {Promise<Row[] | Refused>} */
async function entryRows(pairs) {
  /** @type {Row[]} */
  const rows = []
  for (let from = 0; from < pairs.length; from += BATCH) {
    const part = pairs.slice(from, from + BATCH)
    const ids = part.map(([name]) => name).join()
    /** @type {import('./api.js').Answer<{ items: (Entry | { problem: string })[] }>} */
    const answer = await call('GET', `/api/batch?${new URLSearchParams({ ids })}`)
    if (!answer.ok) return answer
    part.forEach(([name, seen], index) => {
      const item = answer.body.items[index]
      if (item === undefined || !('standing' in item)) {
        const fresh = [make('span', {}, 'no longer public')]
        rows.push({ kind: 'entry', name, title: make('span', {}, name), fresh, see: () => unfollow('entry', name) })
        return
      }
      const { currentRevisionId: revision, revisionCount: ordinal, standing } = item
      rows.push({
        kind: 'entry',
        name,
        title: make('a', { href: `/entries/${name}` }, words(item.title)),
        fresh: newOf(seen, item),
        see: () => follow('entry', name, { revision, ordinal, state: standing.state }),
      })
    })
  }
  return rows
}

/** @param {[string, import('./follow.js').SeenTag][]} pairs @returns {Promise<Row[] | Refused>} */
async function tagRows(pairs) {
  /** @type {Row[]} */
  const rows = []
  for (const [tag, { at }] of pairs) {
    const query = new URLSearchParams({ tag, sort: 'recent', limit: String(BATCH) })
    /** @type {import('./api.js').Answer<{ items: Entry[] }>} */
    const answer = await call('GET', `/api/search?${query}`)
    if (!answer.ok) return answer
    const changed = answer.body.items.filter(({ updatedAt }) => updatedAt > at)
    const links = changed
      .slice(0, SHOWN)
      .map(({ slug, title }) => make('a', { href: `/entries/${slug}` }, words(title)))
    const left = changed.length - links.length
    const latest = answer.body.items[0]?.updatedAt ?? at
    rows.push({
      kind: 'tag',
      name: tag,
      title: make('a', { href: `/tags/${encodeURIComponent(tag)}` }, words(tag)),
      fresh:
        left > 0 ? [...links, make('span', {}, `${left}${changed.length === BATCH ? ' or more' : ''} others`)] : links,
      see: () => follow('tag', tag, { at: latest }),
    })
  }
  return rows
}

/** @param {Row} row */
function itemOf({ kind, name, title, fresh }) {
  const news = fresh.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]))
  const item = make('li', {}, title, ' ')
  const end = button(
    'Unfollow',
    () => {
      unfollow(kind, name)
      item.remove()
      say(`${name} is no longer followed.`)
    },
    { 'aria-label': `Unfollow ${name}` },
  )
  item.append(end, make('p', { class: 'small' }, ...(news.length === 0 ? ['Nothing new.'] : ['New: ', ...news])))
  return item
}

/** Shows a sentence and moves the focus to it. @param {string} sentence */
function say(sentence) {
  status.textContent = sentence
  status.focus()
}

/** @param {string} heading @param {Row[]} rows what is new first */
const sectionOf = (heading, rows) =>
  rows.length === 0
    ? []
    : [
        make('h2', {}, heading),
        make(
          'ul',
          { class: 'plain' },
          ...rows.toSorted((a, b) => Number(b.fresh.length > 0) - Number(a.fresh.length > 0)).map(itemOf),
        ),
      ]

/** Reads and shows everything. */
async function render() {
  const { entry, tag } = followed()
  const [entries, tags] = [await entryRows(Object.entries(entry)), await tagRows(Object.entries(tag))]
  if (!Array.isArray(entries)) return void status.replaceChildren(...refusalMessage(entries))
  if (!Array.isArray(tags)) return void status.replaceChildren(...refusalMessage(tags))
  const rows = [...entries, ...tags]
  const fresh = rows.filter(row => row.fresh.length > 0)
  status.textContent =
    rows.length === 0
      ? 'You follow nothing yet. The page of an entry has the button Follow at its end, the page of a tag at its beginning.'
      : `${fresh.length} of ${rows.length} have something new.`
  const seeAll = button('Mark all as seen', async () => {
    for (const row of fresh) row.see()
    await render()
    say('All is marked as seen.')
  })
  place.replaceChildren(
    ...(fresh.length === 0 ? [] : [make('p', {}, seeAll)]),
    ...sectionOf('Entries', entries),
    ...sectionOf('Tags', tags),
  )
}
render()
