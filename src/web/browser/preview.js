import { make, need } from './dom.js'
import { messageOf } from './messages.js'

const PATIENCE = 10_000

/**
 * Shows the preview of a content. The service renders it like every entry, and stores nothing.
 * @param {HTMLElement} root contains the button and the place
 * @param {() => string} read
 */
export function previewOf(root, read) {
  const place = need(root, '[data-place]', HTMLElement)
  const asked = need(root, 'button', HTMLButtonElement)
  asked.addEventListener('click', async () => {
    asked.setAttribute('aria-busy', 'true')
    place.replaceChildren(...(await rendered(read())))
    place.hidden = false
    asked.removeAttribute('aria-busy')
    asked.textContent = 'Refresh the preview'
    place.focus()
  })
}

/**
 * @param {string} content
 * @returns {Promise<Node[]>}
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
    if (!response.ok) return [refusal((await response.json())?.error?.code, response.headers.get('retry-after'))]
    // The service escapes everything except its own markup, and a parsed document runs nothing.
    const parsed = new DOMParser().parseFromString(await response.text(), 'text/html')
    return Array.from(parsed.body.childNodes)
  } catch {
    return [refusal('NO_ANSWER', null)]
  }
}

/** @param {unknown} code @param {string | null} wait */
const refusal = (code, wait) =>
  make(
    'p',
    { class: 'field-problem' },
    code === 'NO_ANSWER' ? 'No preview: the service does not answer.' : `No preview: ${messageOf(String(code))}`,
    wait === null ? '' : ` Wait ${wait} s.`,
  )
