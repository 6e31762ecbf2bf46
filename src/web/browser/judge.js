import { call, countCharacters, fieldOf, fill, sendBy, showFieldProblem, textIn } from './api.js'
import { button, make, need } from './dom.js'
import { keptActor, pageAt } from './site.js'
import { asActor, lookedUp, save, withAddresses, writeForm } from './write-form.js'

/** Records whether a revision held: on its page, and beside the text of an entry. */

const QUOTE_CHARACTERS = 500

/**
 * The request of a form that judges: a text that did not hold is contradicted, with the quote and the supporting entry if they are named;
 * any other result is a verification. `ready` finds the supporting entry, `answered` turns the refusal of the only item into a refusal.
 * @param {HTMLFormElement} form
 */
function judgementOf(form) {
  const { slug = '' } = form.dataset
  const path = `/api/entries/${encodeURIComponent(slug)}`
  const support = fieldOf(form, 'support')
  withAddresses(support)
  /** @type {string | undefined} */
  let sourceEntryId

  const request = () => {
    const result = textIn(form, 'result')
    const about = { revisionId: textIn(form, 'revisionId'), rationale: textIn(form, 'rationale') }
    if (result !== 'UNSUPPORTED') {
      return { path: `${path}/verify`, body: { ...about, result, confidence: Number(textIn(form, 'confidence')) } }
    }
    const objection = { ...about, ...(sourceEntryId === undefined ? {} : { sourceEntryId }) }
    const quote = textIn(form, 'quote').trim()
    return quote === ''
      ? { path: `${path}/contradict`, body: objection }
      : { path: '/api/evidence', body: { items: [{ entry: slug, kind: 'CONTRADICT', quote, ...objection }] } }
  }
  const ready = async () => {
    sourceEntryId = undefined
    showFieldProblem(support, '')
    if (textIn(form, 'result') !== 'UNSUPPORTED' || support.value.trim() === '') return true
    sourceEntryId = (await lookedUp(support))?.entryId
    return sourceEntryId !== undefined
  }
  return { request, ready, answered }
}

/**
 * @param {import('./api.js').Answer<{ items?: import('../../contract/resources.ts').EvidenceResult[] }>} sent
 * @returns {typeof sent}
 */
function answered(sent) {
  const error = sent.ok ? sent.body.items?.[0]?.error : undefined
  return error === undefined
    ? sent
    : { ok: false, status: sent.status, code: error.code, requestId: null, retryAfter: 0 }
}

/** The words of the entry that the reader marked last. */
let marked = ''

/** Remembers the marked words of the entry, and shows that they become the quote. */
export function mark() {
  const selection = document.getSelection()
  const words = String(selection).trim()
  const isText = selection?.anchorNode?.parentElement?.closest('.prose, .entry-head') != null
  const place = document.querySelector('[data-marked]')
  if (place === null || words === '' || !isText) return
  marked = words.slice(0, QUOTE_CHARACTERS).toWellFormed()
  place.replaceChildren('Marked: ', make('q', { class: 'clip', dir: 'auto' }, marked))
}

/** The forms that are open, or are being opened. @type {WeakMap<HTMLFormElement, Promise<boolean>>} */
const opened = new WeakMap()

/**
 * Chooses an answer. The first time, puts the form of the page that judges in place of it; if that page cannot be read, opens it.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} pressed
 */
export async function answer(form, pressed) {
  const { judge: slug = '', revision = '' } = form.dataset
  const query = new URLSearchParams({ revision, result: pressed.value, ...(marked === '' ? {} : { quote: marked }) })
  const address = `/entries/${encodeURIComponent(slug)}/verify?${query}`
  const isFirst = !opened.has(form)
  const opening = opened.get(form) ?? open(form, address)
  opened.set(form, opening)
  if (!(await opening)) return location.assign(address)
  const choice = form.querySelector(`input[name=result][value=${pressed.value}]`)
  if (choice instanceof HTMLInputElement) choice.checked = true
  const quote = fieldOf(form, 'quote')
  if (!isFirst && quote.value === '' && marked !== '') fill(quote, marked)
  for (const one of form.querySelectorAll('.answers button')) one.setAttribute('aria-pressed', String(one === pressed))
  fieldOf(form, 'rationale').focus()
}

/** @param {HTMLFormElement} form @param {string} address the page with the same form */
async function open(form, address) {
  const page = await pageAt(address)
  const fields = page?.querySelector('#writing > fieldset')
  const sheet = page?.querySelector('link[href$="/forms.css"]')
  const row = page?.querySelector('[data-send]')
  if (!(fields instanceof HTMLFieldSetElement && sheet && row)) return false
  const loaded = new Promise(resolve => {
    for (const end of ['load', 'error']) sheet.addEventListener(end, resolve)
  })
  document.head.append(sheet)
  await loaded
  fields.disabled = false
  need(fields, '#f-result', HTMLElement).hidden = true
  for (const one of form.querySelectorAll('.answers button')) one.setAttribute('type', 'button')
  for (const send of row.querySelectorAll('button')) {
    send.disabled = false
    send.removeAttribute('form')
  }
  form.noValidate = true
  form.dataset.slug = form.dataset.judge ?? ''
  form.querySelector('input[name=revision]')?.remove()
  const name = make('input', { id: 'f-name', name: 'declaredName', maxlength: 120, autocomplete: 'off', dir: 'auto' })
  const who =
    keptActor() === undefined
      ? make(
          'div',
          { class: 'field' },
          make('label', { for: 'f-name' }, 'Your name ', make('span', { class: 'optional' }, 'optional')),
          make('p', { class: 'hint' }, 'Recorded under a new actor, whose token stays in this browser.'),
          name,
        )
      : make('p', { class: 'small' }, 'It is recorded under the actor of this browser.')
  form.append(fields, who, row)
  countCharacters(form)
  start(form, name)
  return true
}

/** @param {HTMLFormElement} form @param {HTMLInputElement} name */
function start(form, name) {
  const { request, ready, answered } = judgementOf(form)
  const isNew = keptActor() === undefined
  sendBy(form, {
    check: ready,
    send: async () => {
      const { path, body } = request()
      const declared = name.value.trim()
      const actor = declared === '' ? {} : { declaredName: declared }
      return answered(await asActor(actor, token => call('POST', path, { body, token })))
    },
    done: () => {
      form.replaceChildren(...recorded(form.dataset.slug ?? '', isNew))
      form.querySelector('p')?.focus()
      refresh()
    },
  })
}

/** The places of a page that depend on the evidence. */
const JUDGED = ['.standing', '.tabs', '.life', '.why', '.state']

/** Shows the new standing, read from the page as it is now. */
async function refresh() {
  const now = await pageAt(location.pathname)
  if (now === undefined) return
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
  const saving = button('Save the token as a file', () => save(actor))
  const note = 'This browser has a token for you now. Without a copy it is lost with the data of the browser.'
  return [done, make('p', { class: 'small' }, note), make('p', { class: 'row' }, saving)]
}

const page = document.querySelector('form[data-write=judge]')
if (page instanceof HTMLFormElement) {
  const { request, ready, answered } = judgementOf(page)
  writeForm(page, {
    path: () => request().path,
    input: () => request().body,
    answered,
    ready,
    done: () => `/entries/${encodeURIComponent(page.dataset.slug ?? '')}/evidence`,
  })
}
