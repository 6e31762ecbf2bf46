import { button, make, show } from './dom.js'

/** @typedef {import('./admin-views.js').Target} Target */
/**
 * The selection of rows: the target of a row, if it has one, the function that acts on the selected targets, and the name of its button.
 * @template T
 * @typedef {{ targetOf: (row: T) => Target | undefined, act: (targets: Target[]) => void, name?: string }} Choice
 */

/** How many rows the page adds at once. */
const ROWS = 100

/** The filter of each table, by its caption. @type {Map<string, string>} */
const filters = new Map()
export const forgetFilters = () => filters.clear()

/**
 * A table that shows its first rows, and more on request. With a choice, its rows can be filtered by their words and selected; rows with
 * the same target are selected together.
 * @template T
 * @param {string} caption
 * @param {readonly string[]} columns
 * @param {readonly T[]} rows
 * @param {(row: T) => (Node | string | readonly (Node | string)[])[]} cellsOf
 * @param {Choice<T>} [choice]
 */
export function table(caption, columns, rows, cellsOf, choice) {
  if (rows.length === 0) return make('p', { class: 'none' }, `${caption}: none.`)
  /** @type {Map<string, Target>} */
  const chosen = new Map()
  const all = rows.map(row => {
    const target = choice?.targetOf(row)
    const box = target && make('input', { type: 'checkbox', value: '', 'aria-label': `Select ${target.name}` })
    if (target && box) box.addEventListener('change', () => select([target], box.checked))
    const cells = choice === undefined ? cellsOf(row) : [box ?? '', ...cellsOf(row)]
    return { row: rowOf(choice === undefined ? columns : ['Select', ...columns], cells), target, box }
  })
  let listed = all
  let shown = 0
  // On a narrow screen the cells of a row are below each other. The roles preserve the table.
  const body = make('tbody', { role: 'rowgroup' })
  const more = button('Show more', () => add())
  const add = () => {
    body.append(...listed.slice(shown, shown + ROWS).map(({ row }) => row))
    shown += ROWS
    more.hidden = shown >= listed.length
  }
  const every = make('input', { type: 'checkbox', value: '', 'data-every': true })
  const everyName = make('span', {})
  const state = make('span', { role: 'status' })
  const act = button(choice?.name ?? 'Moderate the selected …', () => choice?.act([...chosen.values()]), {
    'data-act-selected': true,
  })
  const render = () => {
    const targets = new Set(listed.flatMap(({ target }) => (target === undefined ? [] : [target.id])))
    for (const { box, target } of all) if (box && target) box.checked = chosen.has(target.id)
    every.checked = targets.size > 0 && [...targets].every(id => chosen.has(id))
    everyName.textContent = `Select all ${targets.size}`
    state.textContent = `${chosen.size} selected`
    act.disabled = chosen.size === 0
  }
  const select = (/** @type {Target[]} */ targets, /** @type {boolean} */ on) => {
    for (const target of targets) {
      if (on) chosen.set(target.id, target)
      else chosen.delete(target.id)
    }
    render()
  }
  const filter = (/** @type {string} */ text) => {
    filters.set(caption, text)
    const wanted = text.trim().toLowerCase()
    listed = all.filter(({ row }) => (row.textContent ?? '').toLowerCase().includes(wanted))
    // What is not listed is not acted on.
    const kept = new Set(listed.map(({ target }) => target?.id))
    for (const id of chosen.keys()) if (!kept.has(id)) chosen.delete(id)
    shown = 0
    body.replaceChildren()
    add()
    render()
  }
  every.addEventListener('change', () =>
    select(
      listed.flatMap(({ target }) => target ?? []),
      every.checked,
    ),
  )
  const words = make('input', { type: 'search', value: filters.get(caption) ?? '', autocomplete: 'off' })
  words.addEventListener('input', () => filter(words.value))
  const tools = make(
    'div',
    { class: 'row tools', role: 'group', 'aria-label': `Select from ${caption}` },
    make('label', {}, 'Filter ', words),
    make('label', { class: 'choice' }, every, everyName),
    act,
    state,
  )
  show(tools, choice !== undefined)
  filter(choice === undefined ? '' : words.value)
  const names = (choice === undefined ? columns : ['Select', ...columns]).map(name =>
    make('th', { scope: 'col', role: 'columnheader' }, name),
  )
  const head = make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...names))
  const grid = make('table', { role: 'table' }, make('caption', {}, caption), head, body)
  const region = make('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: 0 }, grid)
  return make('div', {}, ...(choice === undefined ? [] : [tools]), region, more)
}

/** @param {readonly string[]} columns @param {(Node | string | readonly (Node | string)[])[]} cells */
const rowOf = (columns, cells) =>
  make(
    'tr',
    { role: 'row' },
    ...cells.map((cell, column) =>
      make(
        'td',
        { role: 'cell', 'data-column': columns[column] ?? '' },
        make('div', {}, ...(Array.isArray(cell) ? cell : [cell])),
      ),
    ),
  )

/** The sentence about the keys of `tableKeys`. */
export const KEYS =
  'Keys in a table: j and k move, x selects, a selects all, m moderates the selected, / filters, Enter returns to the rows, u goes to the undo of the last action.'

/**
 * Adds the keys of a table. They act only while the focus is in `place` and not in a field for text.
 * @param {HTMLElement} place
 * @param {() => void} toUndo focuses the button that undoes, whose name is the question
 */
export function tableKeys(place, toUndo) {
  place.addEventListener('keydown', event => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const typing = target instanceof HTMLInputElement && target.type !== 'checkbox'
    const boxes = Array.from(place.querySelectorAll('tbody input'))
    const at = boxes.findIndex(box => box.closest('tr')?.contains(document.activeElement))
    const press = (/** @type {string} */ selector) => {
      const found = place.querySelector(selector)
      if (found instanceof HTMLElement) found.click()
    }
    const focus = (/** @type {Element | null | undefined} */ element) => {
      if (element instanceof HTMLElement) element.focus()
    }
    // Browsers clear a search field on Escape. Without its filter, "a" would select every row.
    if (typing && key !== 'Enter' && key !== 'Escape') return
    if (typing) focus(boxes[0] ?? place.querySelector('[data-every]'))
    else if (key === 'j') focus(boxes[Math.min(at + 1, boxes.length - 1)])
    else if (key === 'k') focus(boxes[Math.max(at - 1, 0)])
    else if (key === 'x' && boxes[at] instanceof HTMLElement) boxes[at].click()
    else if (key === 'a') press('[data-every]')
    else if (key === 'm') press('[data-act-selected]')
    else if (key === '/') focus(place.querySelector('input[type=search]'))
    else if (key === 'u') toUndo()
    else return
    event.preventDefault()
  })
}
