import { button, exactOf, show } from './dom.js'
import { fieldsOf } from './fields.js'

/** A list (tags, sources) that a draft stores besides the fields. @typedef {{ value(): unknown, set(value: unknown): void }} Kept */

/** The delay between the last change and storing the draft, in milliseconds. */
const PAUSE = 250
const FORBIDDEN = new Set(['password', 'file'])

/**
 * Stores the input of a form in this browser until it is sent, and restores it when the page is opened again.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} notice the place that announces a restored draft
 * @param {Record<string, Kept>} lists
 * @returns {{ restored: boolean, forget(): void }}
 */
export function keepDraft(form, notice, lists = {}) {
  const key = `palimpsest.draft:${location.pathname}${location.search}`
  const fields = fieldsOf(form).filter(field => !FORBIDDEN.has(field.type))
  const began = JSON.stringify(read())
  let timer = 0

  function read() {
    const values = fields.map(field => [
      field.type === 'radio' ? `${field.name}=${field.value}` : field.name,
      field instanceof HTMLInputElement && field.type === 'radio' ? field.checked : field.value,
    ])
    return {
      fields: Object.fromEntries(values),
      lists: Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.value()])),
    }
  }
  const write = (/** @type {ReturnType<typeof read>} */ draft) => {
    for (const field of fields) {
      if (field instanceof HTMLInputElement && field.type === 'radio') {
        field.checked = draft.fields?.[`${field.name}=${field.value}`] === true
      } else if (typeof draft.fields?.[field.name] === 'string') field.value = draft.fields[field.name]
    }
    for (const [name, list] of Object.entries(lists)) list.set(draft.lists?.[name])
    form.dispatchEvent(new Event('draft'))
  }
  const save = () => {
    clearTimeout(timer)
    const now = JSON.stringify(read())
    keep(key, now === began ? null : JSON.stringify({ at: Date.now(), ...read() }))
  }
  const forget = () => {
    clearTimeout(timer)
    form.removeEventListener('input', later)
    window.removeEventListener('pagehide', save)
    keep(key, null)
  }
  const later = () => {
    clearTimeout(timer)
    timer = window.setTimeout(save, PAUSE)
  }

  const kept = found(key)
  if (kept !== undefined) {
    write(kept)
    const discard = button('Discard it', () => {
      write(JSON.parse(began))
      keep(key, null)
      show(notice, false)
      fields.find(field => field.type !== 'hidden')?.focus()
    })
    notice.replaceChildren(`Your draft of ${exactOf(kept.at)} was restored. `, discard)
    show(notice, true)
  }
  form.addEventListener('input', later)
  window.addEventListener('pagehide', save)
  return { restored: kept !== undefined, forget }
}

/** @param {string} key @param {string | null} text */
function keep(key, text) {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // A browser without storage stores no drafts.
  }
}

/** @param {string} key */
function found(key) {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? 'null')
    return draft !== null && typeof draft.at === 'number' ? draft : undefined
  } catch {
    return undefined
  }
}
