import { call } from './api.js'
import { countdown } from './countdown.js'
import { button, download, make } from './dom.js'
import { asActor, refusalMessage } from './sending.js'
import { fileOf, keptActor } from './site.js'

const RATIONALE_CHARACTERS = 1_000
const QUOTE_CHARACTERS = 500
const SHOWN_CHARACTERS = 60

/** The chosen answer of each form, and whether the form is being sent. @type {WeakMap<HTMLFormElement, { result: string, sending: boolean }>} */
const chosen = new WeakMap()

/**
 * Chooses an answer, and asks for the rest of the verification the first time.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} pressed
 */
export function answer(form, pressed) {
  const state = chosen.get(form) ?? { result: '', sending: false }
  if (!chosen.has(form)) open(form)
  state.result = pressed.value
  chosen.set(form, state)
  for (const one of form.querySelectorAll('.answers button')) one.setAttribute('aria-pressed', String(one === pressed))
  form.querySelector('textarea')?.focus()
}

/** Puts the marked words of the entry into the link that contradicts them, and shows them there. */
export function mark() {
  const link = document.querySelector('a[data-wrong]')
  const selection = document.getSelection()
  const words = String(selection).trim()
  const isText = selection?.anchorNode?.parentElement?.closest('.prose, .entry-head') != null
  if (!(link instanceof HTMLAnchorElement) || words === '' || !isText) return
  const address = new URL(link.href)
  address.searchParams.set('quote', words.slice(0, QUOTE_CHARACTERS).toWellFormed())
  link.href = address.href
  const beginning = words.length > SHOWN_CHARACTERS ? `${words.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : words
  link.replaceChildren('This is wrong: ', make('q', { dir: 'auto' }, beginning))
}

/** @param {HTMLFormElement} form */
function open(form) {
  for (const one of form.querySelectorAll('.answers button')) one.setAttribute('type', 'button')
  const rationale = make('textarea', {
    id: 'judge-rationale',
    rows: 4,
    required: true,
    maxlength: RATIONALE_CHARACTERS,
    dir: 'auto',
  })
  const confidence = make('input', {
    id: 'judge-confidence',
    type: 'number',
    min: 0,
    max: 100,
    step: 1,
    required: true,
  })
  const status = make('div', { role: 'status' })
  form.append(
    make('div', { class: 'field' }, make('label', { for: 'judge-rationale' }, 'Your test and its outcome'), rationale),
    make(
      'div',
      { class: 'field' },
      make('label', { for: 'judge-confidence' }, 'How sure are you, in per cent?'),
      confidence,
    ),
    make('p', { class: 'small' }, actorSentence()),
    make('p', { class: 'row' }, make('button', { type: 'submit', class: 'do' }, 'Record the result')),
    status,
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    send(form, { rationale: rationale.value, confidence: Number(confidence.value) / 100 }, status)
  })
}

const actorSentence = () =>
  keptActor() === undefined
    ? 'It is recorded under a new actor without a name. Its token stays in this browser.'
    : 'It is recorded under the actor of this browser.'

/**
 * @param {HTMLFormElement} form
 * @param {{ rationale: string, confidence: number }} fields
 * @param {HTMLElement} status
 */
async function send(form, fields, status) {
  const state = chosen.get(form)
  if (state === undefined || state.sending) return
  state.sending = true
  status.replaceChildren('Sending …')
  const { judge: slug = '', revision = '' } = form.dataset
  const isNew = keptActor() === undefined
  const body = { revisionId: revision, result: state.result, ...fields }
  const path = `/api/entries/${encodeURIComponent(slug)}/verify`
  const sent = await asActor({}, token => call('POST', path, { body, token }))
  if (sent.ok) {
    form.replaceChildren(...recorded(slug, isNew))
    form.querySelector('p')?.focus()
    return refresh()
  }
  status.replaceChildren(...refusalMessage(sent))
  const left = status.querySelector('[data-left]')
  const release = () => {
    state.sending = false
  }
  if (left === null) release()
  else countdown(left, sent.retryAfter, release)
}

/** The places of a page that depend on the evidence. */
const JUDGED = ['.standing', '.tabs', '.life', '.state']

/** Shows the new standing, read from the page as it is now. */
async function refresh() {
  const answer = await fetch(location.pathname, { headers: { accept: 'text/html' }, cache: 'no-store' }).catch(
    () => null,
  )
  if (!answer?.ok) return
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const place of JUDGED) document.querySelector(place)?.replaceWith(now.querySelector(place) ?? '')
}

/**
 * @param {string} slug
 * @param {boolean} isNew whether the actor was created for this result
 * @returns {HTMLElement[]}
 */
function recorded(slug, isNew) {
  const link = make('a', { href: `/entries/${encodeURIComponent(slug)}/evidence` }, 'Read it with the evidence')
  const done = make('p', { role: 'status', tabindex: -1 }, make('strong', {}, 'Recorded. '), link)
  const actor = keptActor()
  if (!isNew || actor === undefined) return [done]
  const save = button('Save the token as a file', () =>
    download(`palimpsest-actor-${actor.id ?? 'token'}.json`, fileOf(actor), 'application/json'),
  )
  const note = 'This browser has a token for you now. Without a copy it is lost with the data of the browser.'
  return [done, make('p', { class: 'small' }, note), make('p', { class: 'row' }, save)]
}
