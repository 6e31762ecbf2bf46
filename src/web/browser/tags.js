import { button, make, need } from './dom.js'
import { lengthOf, showFieldProblem } from './fields.js'
import { words } from './untrusted-text.js'

const PATTERN = /^[\p{L}\p{M}\p{N} -]+$/u
const MOST = 8
const LONGEST = 40

/** Equal for tags that the service treats as the same. @param {string} tag */
const formOf = tag => tag.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ')

/**
 * Edits a list of tags: Enter, a comma or the button adds the typed tag; every tag has a button that removes it.
 * @param {HTMLElement} root contains the field, the button and the list
 */
export function tagsEditor(root) {
  const field = need(root, 'input', HTMLInputElement)
  const list = need(root, '[data-list]', HTMLElement)
  /** @type {string[]} */
  let tags = []

  const render = () =>
    list.replaceChildren(
      ...tags.map(tag => {
        const remove = button('Remove', () => change(tags.filter(other => other !== tag)), {
          'aria-label': `Remove the tag ${tag}`,
        })
        return make('li', {}, words(tag), remove)
      }),
    )
  const change = (/** @type {string[]} */ next) => {
    tags = next
    render()
    field.focus()
    root.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Adds the typed tag. Returns false if that fails; the field shows the problem. */
  const add = () => {
    const typed = field.value.split(/[,\n]/).map(tag => tag.trim())
    const fresh = typed.filter(tag => tag !== '' && !tags.some(other => formOf(other) === formOf(tag)))
    const problem = problemOf(fresh, tags.length)
    showFieldProblem(field, problem)
    if (problem !== '') return false
    if (field.value !== '') {
      field.value = ''
      change([...tags, ...fresh])
    }
    return true
  }
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' && event.key !== ',') return
    if (event.key === 'Enter' && field.value === '') return
    event.preventDefault()
    add()
  })
  need(root, '[data-add]', HTMLButtonElement).addEventListener('click', add)

  return {
    add,
    value: () => tags,
    /** @param {unknown} next */
    set(next) {
      tags = Array.isArray(next) ? next.filter(tag => typeof tag === 'string').slice(0, MOST) : []
      render()
    },
  }
}

/**
 * @param {string[]} fresh
 * @param {number} already
 */
function problemOf(fresh, already) {
  const odd = fresh.find(tag => !PATTERN.test(tag))
  if (odd !== undefined) return `“${odd}” is not a valid tag: use letters, digits, spaces and hyphens only.`
  const long = fresh.find(tag => lengthOf(tag) > LONGEST)
  if (long !== undefined) return `“${long}” is too long: ${LONGEST} characters at most.`
  return already + fresh.length > MOST ? `There would be more than ${MOST} tags; remove one first.` : ''
}
