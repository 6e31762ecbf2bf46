import { call } from './api.js'
import { CONSEQUENCES } from './consequences.js'
import { make, need } from './dom.js'
import { countCharacters, fieldOf, tellField, textIn } from './fields.js'
import { sendBy } from './sending.js'
import { words } from './visible.js'

/** @typedef {import('./admin-views.js').Target} Target */
/** @typedef {import('../../contract/resources.ts').ModerationResult} ModerationResult */

/**
 * The dialog of a moderation action on a target, with a reason. It shows the consequence before the action.
 * @param {HTMLDialogElement} dialog
 * @param {() => string | undefined} bearer
 * @param {() => void} changed is called after every action
 * @returns {(target: Target) => void} opens it
 */
export function actDialog(dialog, bearer, changed) {
  const form = need(dialog, 'form', HTMLFormElement)
  const actions = need(form, '[data-actions]', HTMLFieldSetElement)
  const consequence = need(form, '[data-consequence]', HTMLElement)
  const submit = need(form, '[type=submit]', HTMLButtonElement)
  /** @type {Target} */
  let target = { type: 'ENTRY', id: '', name: '' }

  const told = () => {
    const action = textIn(form, 'action')
    consequence.textContent =
      Object.entries(CONSEQUENCES[target.type]).find(([name]) => name === action)?.[1] ??
      'The consequence of the action is shown here.'
    submit.textContent =
      action === ''
        ? 'Apply'
        : `${wordOf(action)} ${target.type === 'ACTOR' ? 'this actor' : `this ${target.type.toLowerCase()}`}`
  }
  actions.addEventListener('change', told)
  countCharacters(form)
  const { tell } = sendBy(form, {
    send: () =>
      call('POST', '/api/admin/moderate', {
        body: {
          targetType: target.type,
          targetId: target.id,
          action: textIn(form, 'action'),
          reason: textIn(form, 'reason'),
        },
        bearer: bearer(),
      }),
    done: (/** @type {ModerationResult} */ result) => {
      need(form, '[data-state]', HTMLElement).textContent = ''
      tell(...resultOf(result))
      changed()
    },
  })
  need(dialog, '[data-close]', HTMLButtonElement).addEventListener('click', () => dialog.close())

  return chosen => {
    target = chosen
    form.reset()
    tell()
    tellField(fieldOf(form, 'reason'), '')
    need(form, '[data-target]', HTMLElement).replaceChildren(`${target.type.toLowerCase()} `, words(target.name))
    actions.replaceChildren(
      need(actions, 'legend', HTMLLegendElement),
      ...Object.keys(CONSEQUENCES[target.type]).map(action =>
        make(
          'label',
          { class: 'choice' },
          make('input', { type: 'radio', name: 'action', value: action }),
          wordOf(action),
        ),
      ),
      need(actions, '.field-problem', HTMLElement),
    )
    tellField(actions, '')
    told()
    dialog.showModal()
  }
}

/** @param {string} action */
const wordOf = action => action.charAt(0) + action.slice(1).toLowerCase()

/** @param {ModerationResult} result */
function resultOf({ changed, state, affected }) {
  const set = Object.entries(state).flatMap(([name, on]) => (on ? [name] : []))
  return [
    make(
      'p',
      {},
      make('strong', {}, changed ? 'Done.' : 'It was already in this state.'),
      ` It is now ${set.length === 0 ? 'not moderated' : set.join(' and ')}.`,
    ),
    make('p', {}, `Also changed: ${affected.entries} entries, ${affected.actors} actors. The audit records it.`),
  ]
}
