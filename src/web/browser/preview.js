import { messageOf } from './api.js'
import { make, need } from './dom.js'

const PATIENCE = 10_000
/** An open preview follows the text after a pause of the writer, and not more often than this, in milliseconds. Each one is a charged read. */
const PAUSE = 700
const INTERVAL = 3_000

/** The preview of the page. @type {(() => void) | undefined} */
let turn

/**
 * Opens or closes the preview of a content. The service renders it like every entry, and stores nothing.
 * @param {HTMLElement} root contains the button and the place
 * @param {import('./api.js').Field} field
 */
export function toggle(root, field) {
  turn ??= previewOf(root, field)
  turn()
}

/** @param {HTMLElement} root @param {import('./api.js').Field} field */
function previewOf(root, field) {
  const place = need(root, '[data-place]', HTMLElement)
  const asked = need(root, 'button', HTMLButtonElement)
  /** @type {string | undefined} */
  let shown
  let busy = false
  let earliest = 0
  let timer = 0

  const refresh = async () => {
    clearTimeout(timer)
    const text = field.value
    if (busy || place.hidden || text === shown) return
    busy = true
    const { nodes, wait } = await rendered(text)
    busy = false
    place.replaceChildren(...nodes)
    shown = wait === 0 ? text : undefined
    earliest = Date.now() + Math.max(INTERVAL, wait * 1_000)
    if (field.value !== shown) later()
  }
  const later = () => {
    clearTimeout(timer)
    timer = window.setTimeout(refresh, Math.max(PAUSE, earliest - Date.now()))
  }
  for (const event of ['input', 'draft']) field.form?.addEventListener(event, later)
  return () => {
    place.hidden = !place.hidden
    asked.setAttribute('aria-expanded', String(!place.hidden))
    asked.textContent = place.hidden ? 'Preview the content' : 'Close the preview'
    refresh()
  }
}

/**
 * @param {string} content
 * @returns {Promise<{ nodes: Node[], wait: number }>} the wait before another attempt, in seconds; 0 after a success
 */
async function rendered(content) {
  try {
    const response = await fetch('/preview', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/html, application/json' },
      body: JSON.stringify({ content }),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE),
    })
    if (!response.ok) return refusal((await response.json())?.error?.code, response.headers.get('retry-after'))
    // The service escapes everything except its own markup, and a parsed document runs nothing.
    const parsed = new DOMParser().parseFromString(await response.text(), 'text/html')
    const nodes = Array.from(parsed.body.childNodes)
    return { nodes: nodes.length > 0 ? nodes : [make('p', { class: 'hint' }, 'There is no content yet.')], wait: 0 }
  } catch {
    return refusal('NO_ANSWER', null)
  }
}

/** @param {unknown} code @param {string | null} wait */
function refusal(code, wait) {
  const sentence = code === 'NO_ANSWER' ? 'the service does not answer.' : messageOf(String(code))
  const note = make('p', { class: 'field-problem' }, `No preview: ${sentence}`, wait === null ? '' : ` Wait ${wait} s.`)
  return { nodes: [note], wait: Number(wait ?? PATIENCE / 1_000) }
}
