import { actDialog, countOf, progressOf } from './admin-act.js'
import { dossierView, reportedOf } from './admin-dossier.js'
import { lastRun, perform, undoing } from './admin-many.js'
import { forgetFilters, KEYS, table, tableKeys } from './admin-table.js'
import { appealsView, VIEWS } from './admin-views.js'
import { call, fieldOf, refusalMessage, sendBy, textIn } from './api.js'
import { button, exactOf, make, need, show } from './dom.js'

/** @typedef {import('./admin-views.js').Snapshot} Snapshot */
/** @typedef {import('./admin-dossier.js').Dossier} Dossier */
/** @typedef {{ mark: 'FAIL' | 'warn' | 'ok', what: string, finding: string, remedy?: string }} Finding */

const form = need(document, 'form[data-enter]', HTMLFormElement)
const board = need(document, '[data-console]', HTMLElement)
const lines = need(document, '[data-curl]', HTMLElement)
/** The admin token. It is stored only in this variable. @type {string | undefined} */
let bearer
/** The results of the last run that changed something, newest first. @type {import('../../contract/resources.ts').ModerationResult[]} */
let last = []
/** @type {Snapshot | undefined} */
let snapshot
/** The shown view by its index, the shown entry by its id, the appeals or the status. @type {{ view: number } | { entry: string } | { appeals: true } | { status: true }} */
let looking = { view: 0 }

const dialog = need(document, '[data-dialog]', HTMLDialogElement)
const place = make('div', { class: 'place' })
const state = make('span', { role: 'status' })
const UNDO = 'Undo the last action'
const undoButton = button(UNDO, () => undo(last), { disabled: true })
const tabs = VIEWS.map(([name], view) => button(name, () => look({ view })))
const appealsTab = button('Appeals', () => look({ appeals: true }))
const statusTab = button('Status', () => look({ status: true }))
const act = actDialog(
  dialog,
  () => bearer,
  results => {
    last = results.filter(({ changed }) => changed).toReversed()
    refresh()
  },
)
// The element that opened the dialog has been replaced.
dialog.addEventListener('close', focusHeading)
const asks = {
  act: (/** @type {import('./admin-views.js').Target} */ target) => act([target]),
  actAll: act,
  undo,
  open: (/** @type {string} */ entry) => look({ entry }),
  close,
  textOf,
}

/** Closes a report with its outcome. @param {string} id @param {import('../../contract/vocabulary.ts').Resolution} resolution */
async function close(id, resolution) {
  const path = `/api/admin/reports/${encodeURIComponent(id)}`
  const answer = await call('POST', path, { body: { resolution }, bearer })
  if (bearer === undefined) return
  if (!answer.ok) return place.replaceChildren(...refusalMessage(answer))
  await refresh()
  focusHeading()
}

/** The text of a record, or the refusal. @param {import('./admin-views.js').RecordName} record */
async function textOf({ targetType, targetId, entryId }) {
  /** @type {import('./api.js').Answer<Dossier>} */
  const answer = await call('GET', `/api/admin/entries/${encodeURIComponent(entryId)}`, { bearer })
  if (bearer === undefined) return []
  return answer.ok ? reportedOf(answer.body, targetType, targetId) : refusalMessage(answer)
}

/** Gives the targets of earlier results their previous states. @param {typeof last} undone newest first */
async function undo(undone) {
  if (undone.length === 0) return
  const actions = undoing(undone)
  last = []
  undoButton.disabled = true
  const { results, refused } = await perform(
    actions,
    () => bearer,
    (done, wait) => {
      state.textContent = `Undoing: ${progressOf(done, actions.length, wait)}`
    },
  )
  if (bearer === undefined) return
  // A refused run can be tried again: an action that is repeated changes nothing.
  if (refused !== undefined) last = undone
  await refresh()
  state.textContent = `Undone: ${results.length} of ${actions.length} actions.`
  if (refused !== undefined) place.prepend(...refusalMessage(refused))
  focusHeading()
}

/** @param {typeof looking} at */
async function look(at) {
  looking = at
  await render()
  focusHeading()
}

function focusHeading() {
  place.querySelector('h2')?.focus()
}

async function refresh() {
  /** @type {import('./api.js').Answer<Snapshot>} */
  const answer = await call('GET', '/api/admin/snapshot', { bearer })
  if (bearer === undefined) return
  if (!answer.ok) return place.replaceChildren(...refusalMessage(answer))
  snapshot = answer.body
  state.textContent = `As of ${exactOf(Date.now())}.`
  await render()
}

/** A run in words. @param {typeof last[number]} result @param {number} count */
const runOf = ({ action, targetType }, count) => `${action.toLowerCase()} of ${countOf(targetType, count)}`

async function render() {
  tabs.forEach((tab, view) => {
    tab.setAttribute('aria-pressed', String('view' in looking && looking.view === view))
  })
  appealsTab.setAttribute('aria-pressed', String('appeals' in looking))
  statusTab.setAttribute('aria-pressed', String('status' in looking))
  undoButton.disabled = last.length === 0
  undoButton.textContent = last[0] === undefined ? UNDO : `${UNDO}: ${runOf(last[0], last.length)}`
  if (snapshot === undefined) return
  const at = looking
  if ('entry' in looking) {
    /** @type {import('./api.js').Answer<Dossier>} */
    const answer = await call('GET', `/api/admin/entries/${encodeURIComponent(looking.entry)}`, { bearer })
    if (at !== looking || bearer === undefined) return
    return place.replaceChildren(...(answer.ok ? dossierView(answer.body, asks) : refusalMessage(answer)))
  }
  if ('appeals' in looking) {
    /** @type {import('./api.js').Answer<import('../../contract/resources.ts').AppealList>} */
    const answer = await call('GET', '/api/admin/appeals?limit=50', { bearer })
    if (at !== looking || bearer === undefined) return
    if (!answer.ok) return place.replaceChildren(...refusalMessage(answer))
    const rule = make(
      'p',
      { class: 'small' },
      'The act that undoes its act grants an appeal; the same act again rejects it.',
    )
    return place.replaceChildren(make('h2', { tabindex: -1 }, 'Appeals'), rule, appealsView(answer.body.items, asks))
  }
  if ('status' in looking) {
    /** @type {import('./api.js').Answer<{ findings: Finding[] }>} */
    const answer = await call('GET', '/admin/status', { bearer })
    if (at !== looking || bearer === undefined) return
    return place.replaceChildren(...(answer.ok ? statusOf(answer.body.findings) : refusalMessage(answer)))
  }
  const chosen = VIEWS[looking.view]
  if (chosen === undefined) return
  const [name, list, view] = chosen
  const cut = snapshot.truncated[list] ?? 0
  const heading = make('h2', { tabindex: -1 }, name)
  const note = make('p', { class: 'small' }, `${cut} older rows are not in this snapshot.`)
  place.replaceChildren(heading, view(snapshot, asks), ...(cut > 0 ? [note] : []))
}

/** What the service reports of itself, the faults first. @param {Finding[]} findings */
function statusOf(findings) {
  const marks = ['FAIL', 'warn', 'ok']
  const sorted = findings.toSorted((one, other) => marks.indexOf(one.mark) - marks.indexOf(other.mark))
  return [
    make('h2', { tabindex: -1 }, 'Status'),
    table('The state of the service', ['Result', 'Part', 'Finding', 'What to do'], sorted, row => [
      make('span', { class: 'badge' }, row.mark),
      row.what,
      row.finding,
      row.remedy ?? '',
    ]),
  ]
}

/** Removes the token and all data that was shown with it. */
function lock() {
  bearer = undefined
  snapshot = undefined
  last = []
  forgetFilters()
  place.replaceChildren()
  show(board, false)
  show(lines, true)
  show(form, true)
  fieldOf(form, 'token').focus()
}

/** @type {string} */
let typed = ''
sendBy(form, {
  check: () => {
    typed = textIn(form, 'token').trim()
    return true
  },
  send: () => call('GET', '/api/admin/snapshot', { bearer: typed }),
  done: (/** @type {Snapshot} */ body) => {
    bearer = typed
    typed = ''
    snapshot = body
    last = lastRun(body.audit)
    form.reset()
    show(form, false)
    show(board, true)
    show(lines, false)
    need(form, '[data-state]', HTMLElement).textContent = ''
    look(location.hash === '#status' ? { status: true } : { view: 0 })
  },
})
const views = make('p', { class: 'row views', role: 'group', 'aria-label': 'Views' }, ...tabs, appealsTab, statusTab)
const keys = make(
  'p',
  { class: 'row' },
  undoButton,
  button('Refresh', refresh),
  button('Lock the console', lock),
  state,
)
board.append(make('div', { class: 'bar' }, views, keys), make('p', { class: 'small' }, KEYS), place)
tableKeys(place, () => undoButton.focus())
need(form, 'fieldset', HTMLFieldSetElement).disabled = false
