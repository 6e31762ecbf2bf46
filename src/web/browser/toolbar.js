import { fill } from './api.js'

/** The buttons above a field with Markdown: each marks the selected words or lines. The keys of a button work in the field. */

/** A replacement of a part of a text, and the selection after it. @typedef {{ from: number, to: number, put: string, select: [number, number] }} Edit */
/** @typedef {(text: string, from: number, to: number) => Edit} Mark */

/** Puts marks around the selection, or removes them. @param {string} mark @returns {Mark} */
const around = mark => (text, from, to) => {
  const size = mark.length
  const selected = text.slice(from, to)
  if (text.slice(from - size, from) === mark && text.slice(to, to + size) === mark)
    return { from: from - size, to: to + size, put: selected, select: [from - size, to - size] }
  return { from, to, put: mark + selected + mark, select: [from + size, to + size] }
}

/** Begins each line of the selection with a mark, or removes it if all lines have it. @param {string} mark @returns {Mark} */
const before = mark => (text, from, to) => {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const next = text.indexOf('\n', to)
  const end = next < 0 ? text.length : next
  const lines = text.slice(start, end).split('\n')
  const has = lines.every(line => line.startsWith(mark))
  const put = lines.map(line => (has ? line.slice(mark.length) : mark + line)).join('\n')
  const selected = start + put.length
  return { from: start, to: end, put, select: from === to ? [selected, selected] : [start, selected] }
}

/** Makes the selection the words of a link, or its address if it is one. @type {Mark} */
function link(text, from, to) {
  const selected = text.slice(from, to)
  if (/^https?:\/\/\S+$/.test(selected)) return { from, to, put: `[](${selected})`, select: [from + 1, from + 1] }
  const address = from + selected.length + 3
  return { from, to, put: `[${selected}](https://)`, select: [address, address + 'https://'.length] }
}

/** Puts the selection between fences that are longer than each run of backticks in it. @type {Mark} */
function block(text, from, to) {
  const selected = text.slice(from, to)
  const longest = Math.max(2, ...Array.from(selected.matchAll(/\u0060+/g), ([run]) => run.length))
  const fence = '\u0060'.repeat(longest + 1)
  const above = from === 0 || text[from - 1] === '\n' ? '' : '\n'
  const below = to === text.length || text[to] === '\n' ? '' : '\n'
  const put = `${above}${fence}\n${selected}${selected.endsWith('\n') ? '' : '\n'}${fence}${below}`
  const start = from + above.length + fence.length + 1
  return { from, to, put, select: [start, start + selected.length] }
}

/** What each button does, by the value of its `data-mark`. @type {Record<string, Mark>} */
export const MARKS = {
  bold: around('**'),
  code: around('\u0060'),
  block,
  link,
  list: before('- '),
  task: before('- [ ] '),
  heading: before('## '),
}

/** The state of a field. @typedef {{ text: string, select: [number, number] }} State */

/** Maximum number of steps that can be undone. A typed word is one step. */
const STEPS_MAX = 200

/**
 * The history of a field. A change by a script ends the history of the browser, so undo and redo use this one after the first such change.
 * @param {HTMLTextAreaElement} field
 */
function historyOf(field) {
  /** @returns {State} */
  const state = () => ({ text: field.value, select: [field.selectionStart, field.selectionEnd] })
  /** @type {State[]} */
  let past = []
  /** @type {State[]} */
  let future = []
  let now = state()
  let isTyping = false
  let isOwn = false

  const step = (/** @type {State[]} */ from, /** @type {State[]} */ to) => {
    const next = from.pop()
    if (next === undefined) return
    to.push(now)
    now = next
    fill(field, next.text)
    field.setSelectionRange(...next.select)
    isTyping = false
  }
  const undo = () => step(past, future)
  const redo = () => step(future, past)

  field.addEventListener('input', event => {
    if (field.value === now.text) return
    const letter = event instanceof InputEvent && event.inputType === 'insertText' ? (event.data ?? '') : ''
    if (!isTyping || !/\S/.test(letter)) past = [...past, now].slice(-STEPS_MAX)
    isTyping = letter !== ''
    now = state()
    future = []
  })
  field.addEventListener('beforeinput', event => {
    const act = { historyUndo: undo, historyRedo: redo }[event.inputType]
    if (!isOwn || act === undefined) return
    event.preventDefault()
    act()
  })
  return {
    /** @param {Edit} edit */
    apply({ from, to, put, select }) {
      isOwn = true
      now = state()
      isTyping = false
      field.setRangeText(put, from, to)
      field.setSelectionRange(...select)
      field.dispatchEvent(new Event('input', { bubbles: true }))
    },
    /** The step for a key with Control or Command; undefined for other keys, and while the browser has the history. @param {KeyboardEvent} event */
    stepFor: ({ key, shiftKey }) => {
      const name = key.toLowerCase()
      if (!isOwn || (name !== 'z' && name !== 'y')) return undefined
      return name === 'y' || shiftKey ? redo : undo
    },
  }
}

/** The button for a key with Control or Command. @param {HTMLButtonElement[]} buttons @param {KeyboardEvent} event */
const buttonFor = (buttons, { key, shiftKey }) =>
  buttons.find(({ dataset }) => dataset.key === `${shiftKey ? 'Shift+' : ''}${key.toUpperCase()}`)

/**
 * Starts the buttons: arrow keys move between them, and their keys work in the field. Returns what a press of a button does.
 * @param {HTMLElement} root has the buttons, each with `data-mark` and `data-key`
 * @param {HTMLTextAreaElement} field
 */
export function startToolbar(root, field) {
  const buttons = Array.from(root.querySelectorAll('button'))
  const history = historyOf(field)
  const press = (/** @type {HTMLButtonElement} */ pressed) => {
    const mark = MARKS[pressed.dataset.mark ?? '']
    field.focus()
    if (mark !== undefined) history.apply(mark(field.value, field.selectionStart, field.selectionEnd))
  }
  field.addEventListener('keydown', event => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return
    const pressed = buttonFor(buttons, event)
    const act = pressed === undefined ? history.stepFor(event) : () => press(pressed)
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  root.addEventListener('keydown', event => {
    const from = buttons.findIndex(one => one.matches(':focus'))
    const last = buttons.length - 1
    /** @type {Record<string, number>} */
    const places = {
      ArrowRight: from === last ? 0 : from + 1,
      ArrowLeft: from === 0 ? last : from - 1,
      Home: 0,
      End: last,
    }
    const next = Object.hasOwn(places, event.key) ? buttons[places[event.key] ?? 0] : undefined
    if (from < 0 || next === undefined) return
    event.preventDefault()
    for (const one of buttons) one.tabIndex = one === next ? 0 : -1
    next.focus()
  })
  return press
}
