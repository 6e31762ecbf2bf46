import { button, make, need } from './dom.js'

/** The newest activity, live: an event of the stream that `data-live` names makes the page read its own list again, so that the server writes every row. */

/** The least time between two reads of the list, in milliseconds. */
const PACE = 5_000

const live = need(document, '[data-live]', HTMLElement)
const rows = need(document, '.rows', HTMLOListElement)
const state = make('span', { role: 'status' })
const toggle = button('Pause', () => (paused ? resume() : pause()))
let paused = false
let last = 0
/** @type {EventSource | undefined} */
let stream
/** @type {ReturnType<typeof setTimeout> | undefined} */
let due

/** @param {ParentNode} list @returns {HTMLElement[]} */
const itemsOf = list => Array.from(list.querySelectorAll('li[data-row]')).filter(one => one instanceof HTMLElement)

/** Reads the list again, adds its new rows at the top, and removes rows that it no longer has. The row with the focus stays. */
async function refresh() {
  due = undefined
  last = Date.now()
  const answer = await fetch(location.href, { headers: { accept: 'text/html' }, credentials: 'omit' }).catch(() => null)
  if (paused || answer === null) return
  if (!answer.ok) return stop('The list could not be read.')
  const fresh = itemsOf(new DOMParser().parseFromString(await answer.text(), 'text/html'))
  const shown = new Set(itemsOf(rows).map(one => one.dataset.row))
  const added = fresh.filter(one => !shown.has(one.dataset.row))
  const listed = new Set(fresh.map(one => one.dataset.row))
  for (const one of itemsOf(rows)) {
    if (!listed.has(one.dataset.row) && !one.contains(document.activeElement)) one.remove()
  }
  rows.prepend(...added.map(one => document.importNode(one, true)))
  if (added.length > 0) state.textContent = added.length === 1 ? '1 new row.' : `${added.length} new rows.`
}

function wake() {
  due ??= setTimeout(refresh, Math.max(0, last + PACE - Date.now()))
}

function open() {
  close()
  stream = new EventSource(live.dataset.live ?? '')
  for (const name of ['open', 'activity', 'change']) stream.addEventListener(name, wake)
  stream.addEventListener('error', () => {
    if (stream?.readyState === EventSource.CLOSED) stop('The server refused the stream.')
  })
}

function close() {
  stream?.close()
  clearTimeout(due)
  due = undefined
}

function pause() {
  stop('Paused.')
}

/** @param {string} reason */
function stop(reason) {
  paused = true
  close()
  state.textContent = reason
  toggle.textContent = 'Resume'
}

function resume() {
  paused = false
  state.textContent = 'Live.'
  toggle.textContent = 'Pause'
  open()
}

// A hidden page occupies no stream of its origin.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) close()
  else if (!paused) open()
})
live.append(toggle, ' ', state)
resume()
