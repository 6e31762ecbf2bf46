import { countdown, make, need, show } from './dom.js'

/** What pages send and what is answered: the fields of a form, calls of the API, and refusals in words. */

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

const NUMBERS = new Intl.NumberFormat('en')

/** The number of Unicode code points of a text. The limits of the service count code points. @param {string} text */
export const lengthOf = text => Array.from(text).length

/** All fields of a form with a text or a choice. @param {ParentNode} form @returns {Field[]} */
export const fieldsOf = form =>
  Array.from(form.querySelectorAll('input[name], textarea[name], select[name]')).filter(
    /** @returns {field is Field} */ field =>
      field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement,
  )

/** The field of a form by its name. @param {HTMLFormElement} form @param {string} name @returns {Field} */
export function fieldOf(form, name) {
  const found = fieldsOf(form).find(field => field.name === name)
  if (found === undefined) throw new Error(`The form has no field ${name}.`)
  return found
}

/** The present text or chosen value of a form, by name. @param {HTMLFormElement} form @param {string} name */
export const textIn = (form, name) => String(new FormData(form).get(name) ?? '')

/** The text as a field shows it: without characters that this kind of field does not allow. @param {Field} field @param {string} text */
export function shownAs(field, text) {
  const copy = field.cloneNode(false)
  if (!(copy instanceof HTMLInputElement || copy instanceof HTMLTextAreaElement)) return text
  copy.value = text
  return copy.value
}

/** Sets the text of a field as if a person had typed it. @param {Field} field @param {string} text */
export function fill(field, text) {
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Shows at every field with a limit how many characters are used. @param {HTMLFormElement} form */
export function countCharacters(form) {
  const count = (/** @type {Field} */ field) => {
    const shown = document.getElementById(`${field.id}-count`)
    const most = Number(field.dataset.max)
    if (shown === null || !most) return
    const used = lengthOf(field.value)
    shown.textContent = `${NUMBERS.format(used)} of ${NUMBERS.format(most)}`
    shown.classList.toggle('exceeded', used > most)
  }
  const countAll = () => fieldsOf(form).forEach(count)
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) count(target)
  })
  form.addEventListener('reset', () => queueMicrotask(countAll))
  countAll()
}

/**
 * Shows the problem of a field; the empty text means no problem.
 * @param {Element} field
 * @param {string} problem
 */
export function showFieldProblem(field, problem) {
  const note = document.getElementById(`${field.id}-problem`)
  if (note !== null) {
    note.textContent = problem
    show(note, problem !== '')
  }
  if (problem === '') field.removeAttribute('aria-invalid')
  else field.setAttribute('aria-invalid', 'true')
}

/**
 * Shows the problems of all fields and choices.
 * @param {HTMLFormElement} form
 * @returns {HTMLElement[]} the elements with a problem, in the order of the form
 */
export function wrongFields(form) {
  const choices = Array.from(form.querySelectorAll('fieldset[data-label]')).filter(one => one instanceof HTMLElement)
  const wrong = [...fieldsOf(form), ...choices].filter(field => {
    if (field.id === '' || ('disabled' in field && field.disabled)) return false
    const problem =
      field instanceof HTMLFieldSetElement ? problemOfChoice(field) : problemOf(/** @type {Field} */ (field))
    showFieldProblem(field, problem)
    return problem !== ''
  })
  return wrong
    .map(field => (field instanceof HTMLFieldSetElement ? (field.querySelector('input') ?? field) : field))
    .sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
}

/** A choice that is not shown needs no answer. @param {HTMLFieldSetElement} choice */
const problemOfChoice = choice =>
  choice.checkVisibility() && choice.querySelector(':checked') === null
    ? `Choose an answer: ${choice.dataset.label}`
    : ''

/** @param {Field} field */
function problemOf(field) {
  const name = field.dataset.label ?? field.name
  const over = lengthOf(field.value) - Number(field.dataset.max ?? Number.POSITIVE_INFINITY)
  if (field.required && field.value === '') return `${name} is missing.`
  if (over > 0) return `${name} is ${NUMBERS.format(over)} ${over === 1 ? 'character' : 'characters'} too long.`
  if (field.value.includes('\u0000') || !field.value.isWellFormed())
    return `${name} contains a character that cannot be stored; remove it.`
  return ''
}

/** The code for a missing answer. The contract has no problem code for it. */
export const NO_ANSWER = 'NO_ANSWER'

/** The refusal without an answer. @type {Refused} */
export const UNANSWERED = { ok: false, status: 0, code: NO_ANSWER, requestId: null, retryAfter: 0 }

/** The timeout of a request, in milliseconds. */
const PATIENCE = 20_000

/**
 * @template T
 * @typedef {{ ok: true, status: number, body: T }} Done
 */
/** @typedef {{ ok: false, status: number, code: string, requestId: string | null, retryAfter: number }} Refused */
/**
 * @template T
 * @typedef {Done<T> | Refused} Answer
 */

const KEY_WORDS = 4
/** The last write without a final answer. A retry of the same request has the same key, so that it takes effect once. */
let unanswered = { written: '', key: '' }

/** @param {string} written method, path and body of a write, as one text */
function keyOf(written) {
  if (unanswered.written !== written) {
    unanswered = { written, key: crypto.getRandomValues(new Uint32Array(KEY_WORDS)).join('-').padStart(16, '0') }
  }
  return unanswered.key
}

/** @param {number} status of a final answer: after it, the same request is a new write */
const settle = status => {
  if (status < 500 && status !== 409) unanswered = { written: '', key: '' }
}

/**
 * Calls the public API of this host and returns its answer. A refusal is an answer too; the function does not throw.
 * Credentials are sent only in header fields.
 * @template T
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {{ body?: unknown, token?: string | undefined, bearer?: string | undefined, signal?: AbortSignal }} options
 * @returns {Promise<Answer<T>>}
 */
export async function call(method, path, { body, token, bearer, signal } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (token !== undefined) headers['x-actor-token'] = token
  const json = body === undefined ? undefined : JSON.stringify(body)
  if (method === 'POST') headers['idempotency-key'] = keyOf(`${path} ${token ?? ''} ${json}`)
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`
  try {
    const response = await fetch(path, {
      method,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(signal === undefined ? [] : [signal])]),
      ...(json === undefined ? {} : { body: json }),
    })
    const answered = await response.json()
    if (method === 'POST') settle(response.status)
    if (response.ok) {
      return { ok: true, status: response.status, body: answered }
    }
    return {
      ok: false,
      status: response.status,
      code: String(answered?.error?.code ?? 'UNEXPECTED_FAULT'),
      requestId: answered?.error?.requestId ?? null,
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
    }
  } catch {
    return UNANSWERED
  }
}

/** @typedef {import('../../contract/resources.ts').Entry} Entry */
/** @typedef {import('../../contract/resources.ts').Revision} Revision */

/**
 * @param {string} address id or slug
 * @returns {Promise<Answer<Entry>>}
 */
export const readEntry = address => call('GET', `/api/entries/${encodeURIComponent(address)}`)

/**
 * @param {string} address id or slug of the entry
 * @param {string} revisionId
 * @returns {Promise<Answer<Revision>>}
 */
export const readRevision = (address, revisionId) =>
  call('GET', `/api/entries/${encodeURIComponent(address)}/revisions/${encodeURIComponent(revisionId)}`)

const UNSURE = 'It may or may not have been stored. Send it again without changes; it is stored only once.'

/**
 * The messages for people, by problem code, each with its remedy.
 * @type {Record<string, string>}
 */
export const MESSAGES = {
  MALFORMED_REQUEST: 'The browser sent an invalid request. Reload the page and try again.',
  INVALID_PATH: 'The address is wrong. Go back to the entry and start there.',
  INVALID_QUERY: 'The address is malformed. Go back and start again.',
  UNKNOWN_PARAMETER: 'The address has an unknown parameter. Go back and start again.',
  MISSING_PARAMETER: 'The address lacks a parameter. Go back and start again.',
  REPEATED_PARAMETER: 'The address has a parameter twice. Go back and start again.',
  INVALID_EVENT_ID: 'The position in the stream is invalid. Reload the page.',
  INVALID_MIN_SEQUENCE: 'The named sequence is invalid. Reload the page.',
  INVALID_IDEMPOTENCY_KEY: 'The browser sent an invalid key. Reload the page and try again.',
  MALFORMED_JSON: 'The text could not be sent. Remove unusual characters and try again.',
  INVALID_BODY: 'The browser sent no fields. Reload the page and try again.',
  UNKNOWN_MEMBER: 'The browser sent an unknown field. Reload the page and try again.',
  MISSING_MEMBER: 'A required field is empty. Check the fields above.',
  INVALID_TAGS: 'Tags may have letters, digits, spaces and hyphens: at most 8 tags of 1 to 40 characters.',
  INVALID_TEXT:
    'A text contains a character that cannot be stored (a NUL character or half of a surrogate pair). Remove it.',
  ACTOR_TOKEN_REQUIRED: 'Writing needs an actor. Create one above, or load your token.',
  ACTOR_TOKEN_INVALID:
    'This browser has a token that this service does not know. Remove it above, then create an actor or load the right token.',
  ADMIN_TOKEN_REQUIRED: 'Type the admin token.',
  ADMIN_TOKEN_INVALID: 'This is not the admin token. The server prints the path of its file at start.',
  ACTOR_BLOCKED: 'This actor may read but not write. Ask the operator.',
  HOST_NOT_ALLOWED: 'The service does not answer at this address. Ask the operator.',
  ORIGIN_NOT_ALLOWED: 'The operator does not allow pages at this address. Open the service at its own address.',
  ORIGIN_BLOCKED: 'Your network may read but not write. Ask the operator.',
  ENTRY_LOCKED: 'The entry is locked. It can be read and cited only.',
  READ_ONLY_MIRROR: 'This is a read-only copy. Moderate at the original server.',
  WRITE_AT_ORIGINAL: 'This is a read-only copy. Use the original server.',
  ROUTE_NOT_FOUND: 'The address does not exist.',
  ACTOR_NOT_FOUND: 'The actor does not exist.',
  ENTRY_NOT_FOUND: 'The entry does not exist. Check its address, or search for it.',
  ENTRY_NOT_YET_CREATED: 'The entry was created later. Choose a later sequence.',
  SEQUENCE_NOT_REACHED: 'The service has not reached this sequence yet. Choose an earlier one.',
  REVISION_NOT_FOUND: 'The entry has no such revision. Open its history and choose one.',
  NOT_IN_LOG: 'The public log does not have this record yet.',
  TARGET_NOT_FOUND: 'The entry, piece of evidence, actor or origin no longer exists.',
  REPORT_NOT_FOUND: 'No report has this id, or not this secret.',
  DECISION_NOT_FOUND: 'No act on you or your texts has this id.',
  APPEAL_NOT_FOUND: 'No open appeal of an act on this target has this id.',
  NOT_APPEALABLE: 'This act takes no further appeal.',
  STALE_REVISION: 'Another revision was committed while you were writing.',
  REQUEST_IN_PROGRESS: 'Your previous request is still in progress.',
  ENTRY_WITHDRAWN: 'Moderation has withdrawn the entry. Your text is still on this page: copy it if you need it.',
  ERASED: 'The operator has erased this text. Nothing can be added to it.',
  BODY_TOO_LARGE: 'All fields together are larger than 32 KiB. Shorten the content.',
  UNSUPPORTED_MEDIA_TYPE: 'The browser sent an unsupported format. Reload the page and try again.',
  SOURCE_NOT_FOUND: 'One of the sources is no longer public. Remove it and try again.',
  QUOTE_NOT_FOUND: 'The revision does not contain the quote. Copy a sentence of it.',
  HANDLE_REFUSED: 'The handle is no longer valid. Read the entry again.',
  SECRET_IN_TEXT: 'A text contains an actor token or a private key, and would publish it. Remove it.',
  IDEMPOTENCY_KEY_REUSED: 'The browser used a key twice. Send it again.',
  SELF_RELATION: 'An entry cannot be related to itself. Choose another one.',
  ACTION_NOT_APPLICABLE:
    'This action does not apply to this target. An origin can be quarantined or blocked, not hidden.',
  ALREADY_REPORTED: 'This target already has enough open reports. The operator will review them.',
  RATE_LIMITED: 'You sent too many requests within one minute.',
  COOLDOWN: 'You sent a write of this kind too soon after the previous one.',
  TOO_MANY_STREAMS: 'Too many live views are open from your network. Close one and reload the page.',
  NOT_READY: 'The service is starting or stopping.',
  OVERLOADED: 'The service is overloaded.',
  STORE_UNAVAILABLE: 'The service cannot store anything now.',
  OUTCOME_UNKNOWN: UNSURE,
  UNEXPECTED_FAULT: 'The service has a fault. Report the request id to the operator.',
  NO_ANSWER: `There was no answer. ${UNSURE}`,
}

/**
 * The message for a code. Codes of members name the field; unknown codes are shown.
 * @param {string} code
 */
export function messageOf(code) {
  const [, field] = /^INVALID_([A-Z_]+)$/.exec(code) ?? []
  const known = MESSAGES[code]
  if (known !== undefined) return known
  return field === undefined
    ? `The service refused this with the code ${code}.`
    : `The field “${field.toLowerCase().replaceAll('_', ' ')}” is invalid. Check it above.`
}

/**
 * The steps of sending a form: `check` shows further problems and focuses them (true: no problem), `refused` handles a specific refusal
 * (true: handled).
 * @template T
 * @typedef {{
 *   check?: () => boolean | Promise<boolean>,
 *   send: () => Promise<Answer<T>>,
 *   done: (body: T) => void,
 *   refused?: (answer: Refused) => boolean,
 * }} Steps
 */

/** The maximum size of a request, in bytes. */
const BODY_BYTES = 32_768

/**
 * Sends a form by a call of the API, one at a time. A refusal is shown in words, with a countdown if there is a wait.
 * Returns a function that shows a message in the place for problems. `place` has the button, the state and the problem.
 * @template T
 * @param {HTMLFormElement} form
 * @param {Steps<T>} steps
 * @param {ParentNode} place
 */
export function sendBy(form, { check = () => true, send, done, refused = () => false }, place = form) {
  const state = need(place, '[data-state]', HTMLElement)
  const problem = need(place, '[data-problem]', HTMLElement)
  const submit = need(place, '[type=submit]', HTMLButtonElement)
  let held = false
  const hold = (/** @type {boolean} */ on) => {
    held = on
    submit.setAttribute('aria-disabled', String(on))
  }
  const showProblem = (/** @type {(Node | string)[]} */ ...words) => {
    problem.replaceChildren(...words)
    problem.hidden = words.length === 0
    if (words.length > 0) problem.focus()
  }

  const refuse = (/** @type {Refused} */ answer) => {
    state.textContent = ''
    showProblem(...refusalMessage(answer))
    const left = problem.querySelector('[data-left]')
    if (left === null) return hold(false)
    countdown(left, answer.retryAfter, () => {
      hold(false)
      problem.replaceChildren(make('p', {}, 'The wait is over.'))
      state.textContent = 'You can send it now.'
    })
  }

  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (held) return
    showProblem()
    state.textContent = ''
    const [wrong] = wrongFields(form)
    if (wrong !== undefined) {
      state.textContent = 'Not sent: a field needs a change.'
      wrong.focus()
      return
    }
    hold(true)
    if (!(await check())) return hold(false)
    state.textContent = 'Sending …'
    const answer = await send()
    if (!answer.ok) {
      if (!refused(answer)) return refuse(answer)
      state.textContent = ''
      return hold(false)
    }
    state.textContent = 'Stored.'
    hold(false)
    done(answer.body)
  })
  return { showProblem }
}

/**
 * The message of a refusal: the sentence, the wait and the code.
 * @param {Refused} answer
 * @returns {Node[]}
 */
export function refusalMessage({ code, requestId, retryAfter }) {
  const sentence = make('p', { class: 'sentence' }, messageOf(code))
  const wait = make('p', {}, 'You can send again in ', make('strong', { 'data-left': true }, String(retryAfter)), ' s.')
  const link = make('a', { href: `/docs/errors/${encodeURIComponent(code)}` }, make('code', {}, code))
  const named = make('p', { class: 'small' }, 'Code ', link, requestId === null ? '' : ` · request ${requestId}`)
  return [sentence, ...(retryAfter > 0 ? [wait] : []), ...(code === NO_ANSWER ? [] : [named])]
}

/**
 * By how many bytes a body exceeds the maximum of one request; 0 if it fits.
 * @param {unknown} body
 */
export const bytesOver = body => Math.max(0, new TextEncoder().encode(JSON.stringify(body)).length - BODY_BYTES)
