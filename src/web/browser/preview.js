import { messageOf } from './api.js'
import { make, need } from './dom.js'
import { startToolbar } from './toolbar.js'

const PATIENCE = 10_000
/** An open preview follows the text after a pause of the writer, and not more often than this, in milliseconds. Each one is a charged read. */
const PAUSE = 700
const INTERVAL = 3_000

/** What a button of the page does. @type {((pressed: HTMLButtonElement) => void) | undefined} */
let pressOf

/**
 * Starts the toolbar and the preview of the content of the page, with the first call. Returns what does the work of a pressed button of
 * either. The service renders a preview like every entry, and stores nothing.
 * @param {HTMLElement} root contains the field, the toolbar and the preview
 */
export function contentOf(root) {
  if (pressOf !== undefined) return pressOf
  const field = need(root, '#f-content', HTMLTextAreaElement)
  const format = startToolbar(need(root, '[role=toolbar]', HTMLElement), field)
  const preview = need(root, '[data-preview]', HTMLElement)
  const turn = previewOf(preview, field)
  pressOf = pressed => (preview.contains(pressed) ? turn() : format(pressed))
  return pressOf
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
