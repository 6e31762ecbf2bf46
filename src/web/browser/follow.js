import { FOLLOWED, jsonOf, storeItem } from './site.js'

/** What this browser follows: entries and tags, each with what was seen of it last. A page of one of them counts as seen. */

/** @typedef {{ revision: string, ordinal: number, state: string }} SeenEntry */
/** @typedef {{ at: string }} SeenTag */
/** @typedef {{ entry: Record<string, SeenEntry>, tag: Record<string, SeenTag> }} Followed */
/** @typedef {keyof Followed} Kind */

/** The maximum number of followed entries and tags: what the page reads in one minute. @type {Record<Kind, number>} */
export const MOST = { entry: 100, tag: 20 }
/** The names that an address can have. @type {Record<Kind, RegExp>} */
const NAMES = { entry: /^[a-z0-9-]{1,120}$/, tag: /^[\p{L}\p{M}\p{N} -]{1,40}$/u }

/**
 * The valid pairs of one kind, at most `MOST` of them.
 * @param {unknown} stored
 * @param {Kind} kind
 * @param {(seen: Record<string, unknown>) => boolean} isSeen
 */
function validOf(stored, kind, isSeen) {
  const pairs = Object.entries(Object(Object(stored)[kind])).filter(
    ([name, seen]) => NAMES[kind].test(name) && isSeen(Object(seen)),
  )
  return Object.fromEntries(pairs.slice(0, MOST[kind]))
}

/** The stored list. Anything else in the storage is ignored. @returns {Followed} */
export function followed() {
  const stored = jsonOf(FOLLOWED)
  return {
    entry: validOf(
      stored,
      'entry',
      ({ revision, ordinal, state }) =>
        [typeof revision, typeof ordinal, typeof state].join() === 'string,number,string',
    ),
    tag: validOf(stored, 'tag', ({ at }) => typeof at === 'string'),
  }
}

/** Stores the list. @param {Followed} list @returns {boolean} false if the browser has no storage */
const store = list => storeItem(FOLLOWED, JSON.stringify(list))

/**
 * Follows something, or replaces what was seen of it.
 * @template {Kind} K
 * @param {K} kind
 * @param {string} name
 * @param {Followed[K][string]} seen
 * @returns {string} the reason if it is not stored; empty if it is
 */
export function follow(kind, name, seen) {
  const list = followed()
  if (!Object.hasOwn(list[kind], name) && Object.keys(list[kind]).length >= MOST[kind]) return 'Your list is full'
  return store({ ...list, [kind]: { ...list[kind], [name]: seen } }) ? '' : 'This browser stores nothing'
}

/** @param {Kind} kind @param {string} name */
export function unfollow(kind, name) {
  const list = followed()
  delete list[kind][name]
  store(list)
}

/** What the button of a page names. @param {HTMLButtonElement} button */
function namedBy({ dataset: { follow: kind, name = '', seen = '' } }) {
  return { kind: /** @type {Kind} */ (kind), name, seen: JSON.parse(seen) }
}

/** @param {HTMLButtonElement} button */
function label(button) {
  const { kind, name } = namedBy(button)
  button.textContent = Object.hasOwn(followed()[kind], name) ? 'Unfollow' : 'Follow'
}

/** Follows what a button names, or ends that. @param {HTMLButtonElement} button */
export function press(button) {
  const { kind, name, seen } = namedBy(button)
  if (Object.hasOwn(followed()[kind], name)) unfollow(kind, name)
  else {
    const refused = follow(kind, name, seen)
    if (refused !== '') {
      button.textContent = refused
      return
    }
  }
  label(button)
}

/** Marks what the button of this page names as seen, if it is followed. @param {HTMLButtonElement} button */
export function see(button) {
  const { kind, name, seen } = namedBy(button)
  if (Object.hasOwn(followed()[kind], name)) follow(kind, name, seen)
  label(button)
}
