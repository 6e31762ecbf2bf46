import { keptActor, onActor } from './actor.js'

/** Every page: the actor of this browser in the header, buttons that copy, answers about an entry, and the keys. One module, because each is a request. */

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The address of the page of an actor, or of the page that creates one. @param {import('./actor.js').KeptActor | undefined} actor */
const pageOf = actor => (actor?.id && ID.test(actor.id) ? `/actors/${actor.id}` : '/actor')

/** Names the actor of this browser in the header, and links to its page. */
function showActor() {
  const you = document.querySelector('[data-you]')
  if (!(you instanceof HTMLAnchorElement)) return
  const actor = keptActor()
  const name = document.createElement('bdi')
  name.textContent = actor?.name ?? 'You'
  you.replaceChildren(name)
  you.setAttribute('href', pageOf(actor))
  you.title = actor === undefined ? 'You have no actor yet' : `Your actor: ${actor.name ?? 'without a name'}`
  document.querySelector('[data-mine]')?.toggleAttribute('hidden', you.pathname !== location.pathname)
}
showActor()
onActor(showActor)

/** Adds a button that copies the address of a link or the text of a block to each element with `data-copy`, which names the copied thing, and to each example of the API. */
for (const source of document.querySelectorAll('[data-copy], .operation pre')) {
  if (!(source instanceof HTMLElement) || navigator.clipboard === undefined) continue
  const copy = document.createElement('button')
  copy.type = 'button'
  copy.setAttribute('aria-live', 'polite')
  copy.textContent = `Copy ${source.dataset.copy ?? 'the example'}`
  copy.addEventListener('click', async () => {
    const text = source instanceof HTMLAnchorElement ? source.href : (source.textContent ?? '')
    copy.textContent = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Not copied: the browser refused',
    )
  })
  source.after(' ', copy)
}

/** What an entry needs to record a result is loaded with the first press of an answer. */
for (const form of document.querySelectorAll('form[data-judge]')) {
  for (const pressed of form.querySelectorAll('.answers button')) {
    pressed.addEventListener('click', async event => {
      event.preventDefault()
      const { answer } = await import('./judge-here.js')
      if (form instanceof HTMLFormElement && pressed instanceof HTMLButtonElement) answer(form, pressed)
    })
  }
}

/** The stored value `off` of this item disables the keys. */
export const SETTING = 'palimpsest.keys'
const ROWS = '.boards .plain > li, .result, .rows > li, .revision, .piece, .neighbour'
const FIELDS = 'input, textarea, select, [contenteditable]'

export function keysAreOn() {
  try {
    return localStorage.getItem(SETTING) !== 'off'
  } catch {
    return true
  }
}

function focusSearch() {
  const field = document.querySelector('main input[type=search]') ?? document.querySelector('#site-q')
  if (field instanceof HTMLInputElement) field.select()
}

/** Moves the focus to the first link of the next or previous row, from the row with the focus. @param {1 | -1} step */
function move(step) {
  const rows = Array.from(document.querySelectorAll(ROWS)).filter(row => row.checkVisibility())
  const from = rows.findIndex(row => row.contains(document.activeElement))
  const row = rows[from < 0 ? 0 : from + step]
  const link = row?.querySelector(':is(h2, h3) a, .what a') ?? row?.querySelector('a')
  if (link instanceof HTMLElement) link.focus()
}

const showHelp = async () => (await import('./keys-help.js')).showHelp()

/** @type {Record<string, () => unknown>} */
const ACTS = { '/': focusSearch, j: () => move(1), k: () => move(-1), '?': showHelp }

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
