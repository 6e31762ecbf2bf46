import { EVERY_HIDDEN, HIDDEN, namesOf } from '../../memory/invisible-characters.js'

/** @typedef {Node | string} Child */

/**
 * Creates an element. A string becomes text, never markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean>} attributes `true` sets an empty attribute, `false` none
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (value !== false) element.setAttribute(name, String(value))
  }
  element.append(...children)
  return element
}

/**
 * Creates an element of a picture.
 * @param {'svg' | 'path'} tag
 * @param {Record<string, string>} attributes
 * @param {...Child} children
 */
export function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/**
 * Creates a button that calls a function and sends no form.
 * @param {string} name
 * @param {() => void} act
 * @param {Record<string, string | number | boolean>} attributes
 */
export function button(name, act, attributes = {}) {
  const element = make('button', { type: 'button', ...attributes }, name)
  element.addEventListener('click', act)
  return element
}

/** A time in UTC, as the server writes it. @param {string | number} time */
export const exactOf = time =>
  `${new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).replace('Sept', 'Sep')} UTC`

/**
 * The element that a page must have. Throws if it is missing, which is a fault of the page.
 * @template {Element} E
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => E} type
 * @returns {E}
 */
export function need(root, selector, type) {
  const found = root.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`The page has no ${selector}.`)
  return found
}

/**
 * Shows an element, or hides it from view and from the order of focus.
 * @param {Element} element
 * @param {boolean} shown
 */
export const show = (element, shown) => element.toggleAttribute('hidden', !shown)

/**
 * Offers JSON as a download. It is in no address and in no element.
 * @param {string} name
 * @param {string} text
 */
export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = make('a', { href: address, download: name, hidden: true })
  document.body.append(link)
  link.click()
  link.remove()
  URL.revokeObjectURL(address)
}

/**
 * Shows the remaining whole seconds in an element until they are over.
 * @param {Element} element
 * @param {number} seconds
 * @param {() => void} over
 */
export function countdown(element, seconds, over) {
  const end = performance.now() + seconds * 1_000
  const tick = () => {
    const left = Math.ceil((end - performance.now()) / 1_000)
    element.textContent = String(Math.max(0, left))
    if (left > 0) setTimeout(tick, 200)
    else over()
  }
  tick()
}

let isPressing = false
const press = (/** @type {Event} */ { type }) => {
  isPressing = type === 'pointerdown'
}

/** Watches presses for `afterPress`. More calls change nothing. */
export function watchPresses() {
  for (const name of ['pointerdown', 'pointerup', 'pointercancel']) document.addEventListener(name, press, true)
}

/**
 * Runs a change of the layout, after the press that goes on, if there is one: a button that moves while it is pressed gets no click. Needs
 * `watchPresses`.
 * @param {() => void} change
 */
export function afterPress(change) {
  if (!isPressing) return change()
  const waiting = new AbortController()
  const end = () => {
    waiting.abort()
    setTimeout(change)
  }
  for (const name of ['pointerup', 'pointercancel']) document.addEventListener(name, end, { signal: waiting.signal })
}

/**
 * @param {string} text
 * @param {RegExp} hidden
 * @returns {(Node | string)[]}
 */
function withNames(text, hidden) {
  const plain = text.replaceAll('\r\n', '\n')
  /** @type {(Node | string)[]} */
  const parts = []
  let from = 0
  for (const { 0: run, index } of plain.matchAll(hidden)) {
    parts.push(plain.slice(from, index), make('b', { class: 'invisible' }, namesOf(run)))
    from = index + run.length
  }
  return [...parts, plain.slice(from)]
}

/**
 * Untrusted text for comparisons: every invisible character is named at its place, joiners and variation selectors too.
 * @param {string} text
 */
export const everyCharacter = text => withNames(text, EVERY_HIDDEN)

/**
 * Untrusted text inside a line: it cannot change the direction of the text around it.
 * @param {string | null | undefined} text
 * @param {string} otherwise the text for an empty value
 * @returns {HTMLElement}
 */
export const words = (text, otherwise = 'nothing') =>
  text ? make('bdi', {}, ...withNames(text, HIDDEN)) : make('span', { class: 'none' }, otherwise)
