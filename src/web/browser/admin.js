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
/**
 * What the console shows: `view` shows the answer to `path`, or the snapshot.
 * @typedef {{ path?: string, view: (body: any) => Node[] }} Look
 */

const dialog = need(document, '[data-dialog]', HTMLDialogElement)
const place = make('div', { class: 'place' })
const state = make('span', { role: 'status' })
const UNDO = 'Undo the last action'
const undoButton = button(UNDO, () => undo(last), { disabled: true })
/** @type {Look} */
const STATUS = { path: '/admin/status', view: ({ findings }) => statusOf(findings) }
/** @type {[string, Look][]} */
const LOOKS = [
  ...VIEWS.map(one => /** @type {[string, Look]} */ ([one[0], { view: () => snapshotView(one) }])),
  ['Appeals', { path: '/api/admin/appeals?limit=50', view: ({ items }) => appealsOf(items) }],
  ['Status', STATUS],
]
const tabs = LOOKS.map(([name, at]) => ({ at, tab: button(name, () => look(at)) }))
let looking = LOOKS[0]?.[1] ?? STATUS
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
  open: (/** @type {string} */ entry) => look({ path: pathOf(entry), view: dossier => dossierView(dossier, asks) }),
  close,
  textOf,
}

/** The address of everything about an entry. @param {string} entry */
const pathOf = entry => `/api/admin/entries/${encodeURIComponent(entry)}`

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
  const answer = await call('GET', pathOf(entryId), { bearer })
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
  const at = looking
  for (const one of tabs) one.tab.setAttribute('aria-pressed', String(one.at === at))
  undoButton.disabled = last.length === 0
  undoButton.textContent = last[0] === undefined ? UNDO : `${UNDO}: ${runOf(last[0], last.length)}`
  if (snapshot === undefined) return
  if (at.path === undefined) return place.replaceChildren(...at.view(snapshot))
  const answer = await call('GET', at.path, { bearer })
  if (at !== looking || bearer === undefined) return
  place.replaceChildren(...(answer.ok ? at.view(answer.body) : refusalMessage(answer)))
}

/** A view of the snapshot, and how many rows of its list are missing. @param {typeof VIEWS[number]} view */
function snapshotView([name, list, view]) {
  if (snapshot === undefined) return []
  const cut = snapshot.truncated[list] ?? 0
  const note = make('p', { class: 'small' }, `${cut} older rows are not in this snapshot.`)
  return [make('h2', { tabindex: -1 }, name), view(snapshot, asks), ...(cut > 0 ? [note] : [])]
}

/** @param {import('../../contract/resources.ts').AppealedDecision[]} appeals */
function appealsOf(appeals) {
  const rule = 'The act that undoes its act grants an appeal; the same act again rejects it.'
  return [make('h2', { tabindex: -1 }, 'Appeals'), make('p', { class: 'small' }, rule), appealsView(appeals, asks)]
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
    look((location.hash === '#status' ? undefined : LOOKS[0]?.[1]) ?? STATUS)
  },
})
const views = make('p', { class: 'row views', role: 'group', 'aria-label': 'Views' }, ...tabs.map(({ tab }) => tab))
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
