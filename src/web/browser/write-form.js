import { actorPanel, actorProblem, withPanelActor } from './actor-panel.js'
import { call } from './api.js'
import { need } from './dom.js'
import { keepDraft } from './drafts.js'
import { countCharacters } from './fields.js'
import { bytesOver, sendBy } from './sending.js'

/**
 * The options of a form that writes: `path` and `input` make the call, `ready` completes the lists and returns whether they are valid,
 * `answered` may turn an answer into a refusal, `done` follows a success.
 * @template T
 * @typedef {{
 *   path: () => string,
 *   input: () => unknown,
 *   ready?: () => boolean | Promise<boolean>,
 *   done: (body: T) => string,
 *   answered?: (answer: import('./api.js').Answer<T>) => import('./api.js').Answer<T>,
 *   refused?: (answer: import('./api.js').Refused) => boolean,
 *   lists?: Record<string, import('./drafts.js').Kept>,
 * }} Writing
 */

/** The form of the page that writes. */
export const theForm = () => need(document, 'form[data-write]', HTMLFormElement)

/**
 * Starts a form that writes: counters, draft, actor, sending. After a success it opens the address that `done` returns.
 * @template T
 * @param {HTMLFormElement} form
 * @param {Writing<T>} writing
 */
export function writeForm(
  form,
  { path, input, ready = () => true, answered = one => one, done, refused = () => false, lists = {} },
) {
  actorPanel(document.querySelector('[data-actor]'))
  const place = need(document, '[data-send]', HTMLElement)
  need(form, 'fieldset', HTMLFieldSetElement).disabled = false
  need(place, 'button', HTMLButtonElement).disabled = false
  const draft = keepDraft(form, need(document, '[data-draft]', HTMLElement), lists)
  countCharacters(form)
  const { showProblem } = sendBy(
    form,
    {
      check: async () => {
        if (!(await ready())) return false
        const over = bytesOver(input())
        if (over > 0)
          showProblem(`All fields together are ${over} bytes too large for one request; shorten the content.`)
        if (over > 0) return false
        const problem = actorProblem()
        if (problem !== undefined) need(place, '[data-state]', HTMLElement).textContent = problem
        return problem === undefined
      },
      send: async () => answered(await withPanelActor(token => call('POST', path(), { body: input(), token }))),
      done: (/** @type {T} */ body) => {
        draft.forget()
        location.assign(done(body))
      },
      refused,
    },
    place,
  )
  return { restored: draft.restored, showProblem }
}
