import { call, NO_ANSWER } from './api.js'
import { countdown } from './countdown.js'
import { make, need } from './dom.js'
import { wrongFields } from './fields.js'
import { messageOf } from './messages.js'
import { actorOf, keepActor, keptActor } from './site.js'

/**
 * @template T
 * @typedef {import('./api.js').Answer<T>} Answer
 */
/** @typedef {import('./api.js').Refused} Refused */
/**
 * The steps of sending a form: `check` shows further problems and focuses them (true: no problem), `refused` handles a specific refusal
 * (true: handled).
 * @template T
 * @typedef {{
 *   check?: () => boolean | Promise<boolean>,
 *   send: () => Promise<Answer<T>>,
 *   done: (body: T) => void,
 *   refused?: (answer: Refused) => boolean,
 * }} Steps
 */

/** The maximum size of a request, in bytes. */
const BODY_BYTES = 32_768

/**
 * Sends a form by a call of the API, one at a time. A refusal is shown in words, with a countdown if there is a wait.
 * Returns a function that shows a message in the place for problems. `place` has the button, the state and the problem.
 * @template T
 * @param {HTMLFormElement} form
 * @param {Steps<T>} steps
 * @param {ParentNode} place
 */
export function sendBy(form, { check = () => true, send, done, refused = () => false }, place = form) {
  const state = need(place, '[data-state]', HTMLElement)
  const problem = need(place, '[data-problem]', HTMLElement)
  const submit = need(place, '[type=submit]', HTMLButtonElement)
  let held = false
  const hold = (/** @type {boolean} */ on) => {
    held = on
    submit.setAttribute('aria-disabled', String(on))
  }
  const showProblem = (/** @type {(Node | string)[]} */ ...words) => {
    problem.replaceChildren(...words)
    problem.hidden = words.length === 0
    if (words.length > 0) problem.focus()
  }

  const refuse = (/** @type {Refused} */ answer) => {
    state.textContent = ''
    showProblem(...refusalMessage(answer))
    const left = problem.querySelector('[data-left]')
    if (left === null) return hold(false)
    countdown(left, answer.retryAfter, () => {
      hold(false)
      problem.replaceChildren(make('p', {}, 'The wait is over.'))
      state.textContent = 'You can send it now.'
    })
  }

  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (held) return
    showProblem()
    state.textContent = ''
    const [wrong] = wrongFields(form)
    if (wrong !== undefined) {
      state.textContent = 'Not sent: a field needs a change.'
      wrong.focus()
      return
    }
    hold(true)
    if (!(await check())) return hold(false)
    state.textContent = 'Sending …'
    const answer = await send()
    if (!answer.ok) {
      if (!refused(answer)) return refuse(answer)
      state.textContent = ''
      return hold(false)
    }
    state.textContent = 'Stored.'
    hold(false)
    done(answer.body)
  })
  return { showProblem }
}

/**
 * Calls with the token of this browser. If it has no actor, creates one first. Returns the refusal of either.
 * @template T
 * @param {Record<string, string>} input the declaration of a new actor
 * @param {(token: string | undefined) => Promise<Answer<T>>} send
 * @returns {Promise<Answer<T>>}
 */
export async function asActor(input, send) {
  if (keptActor() === undefined) {
    /** @type {Answer<import('./site.js').ActorIssued>} */
    const issued = await call('POST', '/api/actors', { body: input })
    if (!issued.ok) return issued
    keepActor(actorOf(issued.body))
  }
  return send(keptActor()?.token)
}

/**
 * The message of a refusal: the sentence, the wait and the code.
 * @param {Refused} answer
 * @returns {Node[]}
 */
export function refusalMessage({ code, requestId, retryAfter }) {
  const sentence = make('p', { class: 'sentence' }, messageOf(code))
  const wait = make('p', {}, 'You can send again in ', make('strong', { 'data-left': true }, String(retryAfter)), ' s.')
  const link = make('a', { href: `/docs/errors/${encodeURIComponent(code)}` }, make('code', {}, code))
  const named = make('p', { class: 'small' }, 'Code ', link, requestId === null ? '' : ` · request ${requestId}`)
  return [sentence, ...(retryAfter > 0 ? [wait] : []), ...(code === NO_ANSWER ? [] : [named])]
}

/**
 * By how many bytes a body exceeds the maximum of one request; 0 if it fits.
 * @param {unknown} body
 */
export const bytesOver = body => Math.max(0, new TextEncoder().encode(JSON.stringify(body)).length - BODY_BYTES)
