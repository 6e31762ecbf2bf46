import { perform } from './admin-many.js'
import { countCharacters, fieldOf, sendBy, showFieldProblem, textIn } from './api.js'
import { CONSEQUENCES, GROUND_NAMES } from './consequences.js'
import { make, need, words } from './dom.js'

/** @typedef {import('./admin-views.js').Target} Target */
/** @typedef {import('../../contract/resources.ts').ModerationResult} ModerationResult */
/** @typedef {import('../../contract/vocabulary.ts').ModerationAction} ModerationAction */

/**
 * The dialog of a moderation action on one or several targets of a type, with a reason. It shows the consequence before the action. Closing
 * it ends a run.
 * @param {HTMLDialogElement} dialog
 * @param {() => string | undefined} bearer
 * @param {(results: ModerationResult[]) => void} changed is called after every run
 * @returns {(targets: Target[]) => void} opens it
 */
export function actDialog(dialog, bearer, changed) {
  const form = need(dialog, 'form', HTMLFormElement)
  const grounds = need(form, '[data-grounds]', HTMLFieldSetElement)
  const actions = need(form, '[data-actions]', HTMLFieldSetElement)
  const consequence = need(form, '[data-consequence]', HTMLElement)
  const submit = need(form, '[type=submit]', HTMLButtonElement)
  const state = need(form, '[data-state]', HTMLElement)
  /** The targets, all of one type. @type {Target[]} */
  let targets = [{ type: 'ENTRY', id: '', name: '' }]

  const typeOf = () => targets[0]?.type ?? 'ENTRY'
  const showConsequence = () => {
    const action = textIn(form, 'action')
    submit.hidden = false
    consequence.textContent =
      Object.entries(CONSEQUENCES[typeOf()]).find(([name]) => name === action)?.[1] ??
      'The consequence of the action is shown here.'
    submit.textContent =
      action === ''
        ? 'Apply'
        : `${wordOf(action)} ${targets.length === 1 ? `this ${typeOf().toLowerCase()}` : countOf(typeOf(), targets.length)}`
  }
  actions.addEventListener('change', showConsequence)
  countCharacters(form)
  const { showProblem } = sendBy(form, {
    send: async () => {
      const action = /** @type {ModerationAction} */ (textIn(form, 'action'))
      const reason = textIn(form, 'reason')
      const ground = /** @type {import('../../contract/vocabulary.ts').Ground} */ (textIn(form, 'ground') || 'OTHER')
      const actions = targets.map(({ type, id, appeal }) => ({
        ...{ targetType: type, targetId: id, action, ground, reason },
        ...(appeal === undefined ? {} : { appeal }),
      }))
      const { results, refused } = await perform(
        actions,
        () => (dialog.open ? bearer() : undefined),
        (done, wait) => {
          if (targets.length > 1) state.textContent = progressOf(done, targets.length, wait)
        },
      )
      if (results.length > 0) changed(results)
      return refused ?? { ok: true, status: 200, body: results }
    },
    done: (/** @type {ModerationResult[]} */ results) => {
      state.textContent = ''
      submit.hidden = true
      const [only] = results
      consequence.replaceChildren(
        ...(targets.length === 1 && only !== undefined ? resultOf(only) : resultsOf(results, targets.length)),
      )
      consequence.focus()
    },
  })
  need(dialog, '[data-close]', HTMLButtonElement).addEventListener('click', () => dialog.close())

  return chosen => {
    targets = chosen
    form.reset()
    showProblem()
    showFieldProblem(fieldOf(form, 'reason'), '')
    const [only] = targets
    need(form, '[data-target]', HTMLElement).replaceChildren(
      ...(targets.length === 1
        ? [`${typeOf().toLowerCase()} `, words(only?.name)]
        : [countOf(typeOf(), targets.length)]),
    )
    grounds.replaceChildren(
      need(grounds, 'legend', HTMLLegendElement),
      ...Object.entries(GROUND_NAMES).map(([ground, name]) => choice('ground', ground, name)),
    )
    actions.replaceChildren(
      need(actions, 'legend', HTMLLegendElement),
      ...Object.keys(CONSEQUENCES[typeOf()]).map(action => choice('action', action, wordOf(action))),
      need(actions, '.field-problem', HTMLElement),
    )
    showFieldProblem(actions, '')
    showConsequence()
    dialog.showModal()
  }
}

/** @param {string} name @param {string} value @param {string} words */
const choice = (name, value, words) =>
  make('label', { class: 'choice' }, make('input', { type: 'radio', name, value }), words)

/** @param {string} action */
const wordOf = action => action.charAt(0) + action.slice(1).toLowerCase()

/** @param {string} type @param {number} count */
export const countOf = (type, count) =>
  count === 1 ? `1 ${type.toLowerCase()}` : `${count} ${type === 'ENTRY' ? 'entries' : `${type.toLowerCase()}s`}`

/** @param {number} done @param {number} all @param {number} wait */
export const progressOf = (done, all, wait) =>
  `${done} of ${all} done${wait > 0 ? `; the limit allows the next one in ${wait} s` : ''} …`

/** @param {ModerationResult[]} results @param {number} all */
function resultsOf(results, all) {
  const moved = results.filter(({ changed }) => changed).length
  const rest = all - results.length
  return [
    make('p', {}, make('strong', {}, rest > 0 ? 'Ended before the end.' : 'Done.'), ` ${moved} of ${all} changed.`),
    make(
      'p',
      {},
      `${results.length - moved} were already in this state; ${rest} were not tried. The audit records each.`,
    ),
  ]
}

/** @param {ModerationResult} result */
function resultOf({ action, changed, state, affected }) {
  const set = Object.entries(state).flatMap(([name, on]) => (on ? [name] : []))
  return [
    make(
      'p',
      {},
      make('strong', {}, changed ? 'Done.' : 'It was already in this state.'),
      ` It is now ${action === 'ERASE' ? 'erased' : set.length === 0 ? 'not moderated' : set.join(' and ')}.`,
    ),
    make(
      'p',
      {},
      `Also changed: ${countOf('ENTRY', affected.entries)}, ${countOf('ACTOR', affected.actors)}. The audit records it.`,
    ),
  ]
}
