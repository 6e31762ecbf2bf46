import { actorPanel, tokenOrAsk } from './actor-panel.js'
import { call } from './api.js'
import { need } from './dom.js'
import { keepDraft } from './drafts.js'
import { countCharacters } from './fields.js'
import { bytesOver, sendBy } from './sending.js'

/**
 * What a form that writes takes: `path` and `input` make the call, `ready` gets lists ready and tells whether they are, `done` follows.
 * @template T
 * @typedef {{
 *   path: () => string,
 *   input: () => unknown,
 *   ready?: () => boolean | Promise<boolean>,
 *   done: (body: T) => string,
 *   refused?: (answer: import('./api.js').Refused) => boolean,
 *   lists?: Record<string, import('./drafts.js').Kept>,
 * }} Writing
 */

/** The form of the page that writes. */
export const theForm = () => need(document, 'form[data-write]', HTMLFormElement)

/**
 * Brings the writing form to life: counters, draft, actor, sending. After a success it goes to the address that `done` gives.
 * @template T
 * @param {HTMLFormElement} form
 * @param {Writing<T>} writing
 */
export function writeForm(form, { path, input, ready = () => true, done, refused = () => false, lists = {} }) {
  actorPanel(document.querySelector('[data-actor]'))
  need(form, 'fieldset', HTMLFieldSetElement).disabled = false
  const draft = keepDraft(form, need(document, '[data-draft]', HTMLElement), lists)
  countCharacters(form)
  /** @type {string | undefined} */
  let token
  const { tell } = sendBy(form, {
    check: async () => {
      token = tokenOrAsk()
      if (token === undefined) {
        need(form, '[data-state]', HTMLElement).textContent = 'Not sent: create an actor first, above.'
        return false
      }
      if (!(await ready())) return false
      const over = bytesOver(input())
      if (over > 0) tell(`All fields together are ${over} bytes too large for one request; shorten the content.`)
      return over === 0
    },
    send: () => call('POST', path(), { body: input(), token }),
    done: (/** @type {T} */ body) => {
      draft.forget()
      location.assign(done(body))
    },
    refused,
  })
  return { restored: draft.restored, tell }
}
