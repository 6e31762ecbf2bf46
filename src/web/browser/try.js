import { button, make } from './dom.js'

/** The characters of an answer that are shown. The rest is not loaded. */
const SHOWN = 20_000
const PATIENCE = 20_000
const FIELDS = ['content-type', 'etag', 'link', 'ratelimit', 'retry-after', 'x-request-id']

/** The newest entry, for the examples. @type {Promise<{ slug: string, currentRevisionId: string } | undefined> | undefined} */
let newest

/** Reads the newest entry once. */
function newestEntry() {
  newest ??= fetch('/api/entries?limit=1', { credentials: 'omit' })
    .then(answer => answer.json())
    .then(body => body.items?.[0])
    .catch(() => undefined)
  return newest
}

/**
 * The path of an example with an entry that exists.
 * @param {string} path
 * @param {string} template the path with its parameters in braces
 */
async function filled(path, template) {
  const entry = template.includes('{slug}') ? await newestEntry() : undefined
  if (entry === undefined) return path
  const [plain = '', query] = path.split('?')
  const values = new Map([
    ['{slug}', entry.slug],
    ['{revisionId}', entry.currentRevisionId],
  ])
  const parts = template.split('/')
  const whole = plain.split('/').map((part, index) => values.get(parts[index] ?? '') ?? part)
  return [whole.join('/'), ...(query === undefined ? [] : [query])].join('?')
}

/** The first characters of an answer. @param {Response} answer */
async function beginningOf(answer) {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (reader !== undefined && text.length < SHOWN) {
    const { value, done } = await reader.read()
    if (done) return text
    text += value
  }
  await reader?.cancel()
  return `${text.slice(0, SHOWN)} …`
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1)
  } catch {
    return text
  }
}

/** Sends a GET without credentials to this service, and returns the answer as text. @param {string} path */
async function tried(path) {
  const address = new URL(path, location.origin)
  if (address.origin !== location.origin) return 'The address must be a path of this service.'
  try {
    const answer = await fetch(address, {
      credentials: 'omit',
      cache: 'no-store',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(PATIENCE),
    })
    const fields = FIELDS.flatMap(name => (answer.headers.has(name) ? [`${name}: ${answer.headers.get(name)}`] : []))
    return [`HTTP ${answer.status}`, ...fields, '', indented(await beginningOf(answer))].join('\n')
  } catch {
    return 'The service does not answer.'
  }
}

/** Adds a form to the example of an operation that anyone may read. @param {Element} operation */
function offer(operation) {
  const example = operation.querySelector('pre')
  const line = example?.textContent ?? ''
  const path = /^curl -sS 'https?:\/\/[^/']+(\/[^']*)'$/.exec(line)?.[1]
  if (example === null || path === undefined) return
  const template = operation.querySelector('h3 code')?.textContent ?? path
  const field = make('input', { type: 'text', id: `try-${operation.id}`, spellcheck: false, autocomplete: 'off' })
  const shown = make('pre', { tabindex: 0, 'aria-label': 'Answer', role: 'region', hidden: true })
  const state = make('span', { role: 'status' })
  const form = make(
    'form',
    { class: 'try', hidden: true },
    make('label', { for: field.id }, 'GET'),
    field,
    make('button', { type: 'submit' }, 'Send'),
    state,
  )
  const open = button('Try it', async () => {
    field.value = await filled(path, template)
    open.replaceWith(form, shown)
    form.hidden = false
    field.focus()
  })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    state.textContent = 'Sending …'
    shown.textContent = await tried(field.value)
    shown.hidden = false
    state.textContent = 'Answered.'
  })
  const copy = example.nextElementSibling
  ;(copy instanceof HTMLButtonElement ? copy : example).after(open)
}

document.querySelectorAll('section.operation').forEach(offer)
