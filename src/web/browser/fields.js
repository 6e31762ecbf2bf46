import { show } from './dom.js'

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
