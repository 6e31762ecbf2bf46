/** Every page: the stored actor and its name in the header, buttons that copy, answers about an entry, and the keys. One module, because each is a request. */

/** @typedef {import('../../contract/resources.ts').ActorIssued} ActorIssued */
/** The stored data of an actor. @typedef {{ token: string, id: string | null, name: string | null }} KeptActor */

const KEY = 'palimpsest.actor'
const TOKEN = /\bplm_[0-9A-Za-z]{33}\b/

/** For browsers without storage: the actor lasts as long as the page. @type {string | null} */
let unkept = null

/** Called when this page stores or removes an actor. @type {Set<() => void>} */
const listeners = new Set()
const notify = () => {
  for (const changed of listeners) changed()
}

/** The text of an item that this browser stores; null without the item, or without storage. @param {string} key */
export function itemOf(key) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** The value of an item that is JSON; undefined without the item, or if it is no JSON. @param {string} key */
export function jsonOf(key) {
  try {
    return JSON.parse(itemOf(key) ?? '')
  } catch {
    return undefined
  }
}

/**
 * Stores an item in this browser, or removes it.
 * @param {string} key
 * @param {string | null} text null removes the item
 * @returns {boolean} false if the browser has no storage
 */
export function storeItem(key, text) {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/**
 * The actor that this browser stores.
 * @returns {KeptActor | undefined}
 */
export const keptActor = () => actorFromText(unkept ?? itemOf(KEY) ?? '')

/**
 * Stores an actor in this browser and replaces the previous one.
 * @param {KeptActor} actor
 * @returns {boolean} false if the browser has no storage, so that the actor is lost with the page
 */
export function keepActor(actor) {
  const text = JSON.stringify(actor)
  const isStored = storeItem(KEY, text)
  unkept = isStored ? null : text
  notify()
  return isStored
}

/** Whether this browser stores an actor for longer than this page. */
export const storesActors = () => storeItem(`${KEY}.trial`, '') && storeItem(`${KEY}.trial`, null)

/** Removes the actor. Without a copy of the token no one can write as it. */
export function forgetActor() {
  unkept = null
  storeItem(KEY, null)
  notify()
}

/** @param {ActorIssued} issued @returns {KeptActor} */
export const actorOf = ({ actor, token }) => ({ token, id: actor.id, name: actor.declared.name })

/** The text of the file that saves an actor. @param {KeptActor} actor */
export const fileOf = actor =>
  `${JSON.stringify({ ...actor, service: location.origin, note: 'Anyone who has this token can write as this actor.' }, null, 2)}\n`

/**
 * Finds an actor in a text: a file made by `fileOf`, or any text that contains a token.
 * @param {string} text
 * @returns {KeptActor | undefined}
 */
export function actorFromText(text) {
  const token = TOKEN.exec(text)?.[0]
  if (token === undefined) return undefined
  try {
    const { id, name } = JSON.parse(text)
    return { token, id: typeof id === 'string' ? id : null, name: typeof name === 'string' ? name : null }
  } catch {
    return { token, id: null, name: null }
  }
}

/** Calls back when another tab of this browser stores or removes an actor. @param {() => void} changed */
const onActorElsewhere = changed =>
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) changed()
  })

/** Calls back when this page or another tab of this browser stores or removes an actor. @param {() => void} changed */
export function onActor(changed) {
  listeners.add(changed)
  onActorElsewhere(changed)
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The address of the page of an actor, or of the page that creates one. @param {KeptActor | undefined} actor */
const pageOf = actor => (actor?.id && ID.test(actor.id) ? `/actors/${actor.id}` : '/actor')

/** Names the actor of this browser in the header, and links to its page. */
function showActor() {
  const you = document.querySelector('[data-you]')
  if (!(you instanceof HTMLAnchorElement)) return
  const actor = keptActor()
  const name = document.createElement('bdi')
  name.textContent = actor?.name ?? (actor?.id ? `You …${actor.id.slice(-6)}` : 'You')
  you.replaceChildren(name)
  you.setAttribute('href', pageOf(actor))
  you.title = actor === undefined ? 'You have no actor yet' : `Your actor: ${actor.name ?? 'without a name'}`
  document.querySelector('[data-mine]')?.toggleAttribute('hidden', you.pathname !== location.pathname)
}
showActor()
onActor(showActor)

/** A button that copies the address of a link or the text of a block, for each element with `data-copy`, which names the copied thing, and for each block of code of a content and example of the API. */
for (const source of document.querySelectorAll('[data-copy], .operation pre, .prose pre')) {
  if (!(source instanceof HTMLElement) || navigator.clipboard === undefined) continue
  const copy = document.createElement('button')
  copy.type = 'button'
  copy.setAttribute('aria-live', 'polite')
  copy.textContent = `Copy ${source.dataset.copy ?? (source.closest('.prose') ? 'code' : 'the example')}`
  copy.addEventListener('click', async () => {
    const text = source instanceof HTMLAnchorElement ? source.href : (source.textContent ?? '')
    copy.textContent = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Not copied: the browser refused',
    )
  })
  source.after(' ', copy)
}

/** What an entry needs to record a result is loaded with the first press of an answer, or the first marked words. */
for (const form of document.querySelectorAll('form[data-judge]')) {
  document.addEventListener('selectionchange', async () => (await import('./judge.js')).mark())
  for (const pressed of form.querySelectorAll('.answers button')) {
    pressed.addEventListener('click', async event => {
      event.preventDefault()
      const { answer } = await import('./judge.js')
      if (form instanceof HTMLFormElement && pressed instanceof HTMLButtonElement) answer(form, pressed)
    })
  }
}

/**
 * Calls back once an element is in view.
 * @param {Element | null} place
 * @param {() => unknown} act
 */
function onceSeen(place, act) {
  if (place === null) return
  const watch = new IntersectionObserver(([one]) => {
    if (!one?.isIntersecting) return
    watch.disconnect()
    act()
  })
  watch.observe(place)
}

/** A live list is followed once it is in view. */
onceSeen(document.querySelector('[data-live]'), () => import('./activity.js'))

/**
 * The page of an address as it is now; undefined if it cannot be read.
 * @param {string} address
 */
export async function pageAt(address) {
  const headers = { accept: 'text/html' }
  const answer = await fetch(address, { headers, cache: 'no-cache', credentials: 'omit' }).catch(() => null)
  return answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
}

/**
 * Reads a part of another page; null if it cannot be read.
 * @param {string} address
 * @param {string} selector
 */
export async function partOf(address, selector) {
  const part = (await pageAt(address))?.querySelector(selector)
  return part ? document.importNode(part, true) : null
}

/** A part that another page has is read once its place is in view. Its link leads to it, and remains if it cannot be read. */
const later = document.querySelector('[data-later]')
onceSeen(later, async () => {
  const link = later?.querySelector('a')
  const part = link && (await partOf(link.href, link.hash))
  if (part) later?.replaceChildren(...part.childNodes)
})

/** What shows the layers of another revision in place is loaded when its slider is moved. */
document.querySelector('[data-layers]')?.addEventListener('input', async () => (await import('./layers.js')).show())

/** The item that has the followed entries and tags. */
export const FOLLOWED = 'palimpsest.followed'

/** What follows an entry or a tag is loaded if this browser follows something, or with the first press. */
const follow = document.querySelector('[data-follow]')
if (follow instanceof HTMLButtonElement) {
  const loaded = async () => await import('./follow.js')
  follow.addEventListener('click', async () => (await loaded()).press(follow))
  if (itemOf(FOLLOWED) !== null) loaded().then(({ see }) => see(follow))
}

/** The stored value `off` of this item disables the keys. */
export const SETTING = 'palimpsest.keys'
const ROWS = '.boards .plain > li, .result, .rows > li, .revision, .piece, .neighbour'
const FIELDS = 'input, textarea, select, [contenteditable]'

export const keysAreOn = () => itemOf(SETTING) !== 'off'

function focusSearch() {
  const field = document.querySelector('main input[type=search]') ?? document.querySelector('#site-q')
  if (field instanceof HTMLInputElement) field.select()
}

/** Moves the focus to the first link of the next or previous row, from the row with the focus. @param {1 | -1} step @param {string} of */
function move(step, of = ROWS) {
  const rows = Array.from(document.querySelectorAll(of)).filter(row => row.checkVisibility())
  const from = rows.findIndex(row => row.contains(document.activeElement))
  const row = rows[from < 0 ? 0 : from + step]
  const link = row?.querySelector(':is(h2, h3, .at) a, .what a') ?? row?.querySelector('a')
  if (link instanceof HTMLElement) link.focus()
}

const showHelp = async () => (await import('./keys-help.js')).showHelp()
const makeExact = async () => (await import('./keys-help.js')).makeExact()

/** @type {Record<string, () => unknown>} */
const ACTS = {
  '/': focusSearch,
  j: () => move(1),
  k: () => move(-1),
  n: () => move(1, '.change'),
  p: () => move(-1, '.change'),
  y: makeExact,
  '?': showHelp,
}

/** Whether a key belongs to a field, a dialog, an input method or a command of the browser. @param {KeyboardEvent} event */
const isTaken = event =>
  event.defaultPrevented ||
  event.isComposing ||
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  (event.target instanceof Element && event.target.closest(FIELDS) !== null) ||
  document.querySelector('dialog[open]') !== null

document.addEventListener('keydown', event => {
  const act = Object.hasOwn(ACTS, event.key) ? ACTS[event.key] : undefined
  if (act === undefined || isTaken(event) || !keysAreOn()) return
  event.preventDefault()
  act()
})
const help = document.querySelector('[data-keys]')
help?.addEventListener('click', showHelp)
help?.parentElement?.removeAttribute('hidden')
