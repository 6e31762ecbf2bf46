import { call } from './api.js'
import { button, download, make, need, show } from './dom.js'
import { fieldOf, textIn, wrongFields } from './fields.js'
import { asActor, sendBy } from './sending.js'
import { actorFromText, actorOf, fileOf, forgetActor, keepActor, keptActor, onActor, storesActors } from './site.js'
import { words } from './untrusted-text.js'

/** @typedef {import('./site.js').ActorIssued} ActorIssued */
/** @typedef {import('./site.js').KeptActor} KeptActor */

/** @param {KeptActor} actor */
const save = actor => download(`palimpsest-actor-${actor.id ?? 'token'}.json`, fileOf(actor), 'application/json')

/**
 * Starts the panel in which a person creates, loads, saves and removes the actor.
 * @param {Element | null} root
 */
export function actorPanel(root) {
  if (root === null) return
  const none = need(root, '[data-none]', HTMLElement)
  const kept = need(root, '[data-kept]', HTMLElement)
  const issued = need(root, '[data-issued]', HTMLElement)
  for (const fieldset of root.querySelectorAll('fieldset')) fieldset.disabled = false

  const render = () => {
    const actor = keptActor()
    show(none, actor === undefined)
    show(kept, actor !== undefined)
    need(kept, '[data-name]', HTMLElement).replaceChildren(words(actor?.name, 'an actor without a name'))
    need(kept, '[data-id]', HTMLElement).textContent = actor?.id ?? ''
    need(kept, '[data-page]', HTMLAnchorElement).setAttribute('href', `/actors/${actor?.id ?? ''}`)
    show(need(kept, '[data-known]', HTMLElement), actor?.id !== null)
  }

  /** @param {KeptActor} actor @param {boolean} lasting */
  const showOnce = (actor, lasting) => {
    const done = button('I have saved it', () => {
      issued.replaceChildren()
      show(issued, false)
      need(kept, '[data-save]', HTMLButtonElement).focus()
    })
    issued.replaceChildren(
      make('h3', {}, 'Your token. It is shown only once.'),
      make('p', {}, make('code', { class: 'token' }, actor.token)),
      make('p', {}, lasting ? KEPT : UNKEPT),
      make(
        'p',
        { class: 'row' },
        button('Save it as a file', () => save(actor)),
        done,
      ),
    )
    show(issued, true)
    issued.focus()
  }

  const form = need(none, 'form[data-create]', HTMLFormElement)
  sendBy(form, {
    send: () => call('POST', '/api/actors', { body: actorInput(form) }),
    done: (/** @type {ActorIssued} */ body) => {
      const actor = actorOf(body)
      const lasting = keepActor(actor)
      form.reset()
      showOnce(actor, lasting)
    },
  })
  need(kept, '[data-save]', HTMLButtonElement).addEventListener('click', () => {
    const actor = keptActor()
    if (actor !== undefined) save(actor)
  })
  confirmed(need(kept, '[data-forget]', HTMLButtonElement), () => {
    forgetActor()
    issued.replaceChildren()
    show(issued, false)
    need(none, 'input', HTMLInputElement).focus()
  })
  loadToken(need(none, 'form[data-load]', HTMLFormElement), () => {
    need(kept, '[data-save]', HTMLButtonElement).focus()
  })
  onActor(render)
  render()
}

const KEPT =
  'This browser stores it and writes with it. Save it as a file too. It cannot be recovered, and anyone who has it can write as you.'
const UNKEPT = 'This browser does not store it. Save it as a file now, otherwise it is lost with this page.'

/** @param {HTMLFormElement} form */
function actorInput(form) {
  return Object.fromEntries(
    ['actorType', 'declaredName', 'declaredModel', 'declaredProvider'].flatMap(name => {
      const text = textIn(form, name)
      return text === '' ? [] : [[name, text]]
    }),
  )
}

/**
 * Makes a button act only on its second press. When the button loses the focus, it starts again.
 * @param {HTMLButtonElement} pressed
 * @param {() => void} act
 */
function confirmed(pressed, act) {
  const name = pressed.textContent ?? ''
  const reset = () => {
    pressed.textContent = name
    delete pressed.dataset.asked
  }
  pressed.addEventListener('blur', reset)
  pressed.addEventListener('click', () => {
    if (pressed.dataset.asked === undefined) {
      pressed.dataset.asked = ''
      pressed.textContent = 'Remove it permanently? Press again'
    } else {
      reset()
      act()
    }
  })
}

/**
 * Takes a token from a file or from pasted text, and checks with the service that it is valid.
 * @param {HTMLFormElement} form
 * @param {() => void} loaded
 */
function loadToken(form, loaded) {
  const field = fieldOf(form, 'token')
  const file = need(form, 'input[type=file]', HTMLInputElement)
  /** @type {KeptActor | undefined} */
  let actor
  const { showProblem } = sendBy(form, {
    check: async () => {
      const [chosen] = Array.from(file.files ?? [])
      actor = actorFromText(field.value === '' ? ((await chosen?.slice(0, 4_096).text()) ?? '') : field.value)
      if (actor === undefined)
        showProblem('There is no token. Paste one that begins with plm_, or choose the saved file.')
      return actor !== undefined
    },
    send: () => call('GET', '/api/discovery', { token: actor?.token }),
    done: () => {
      if (actor !== undefined) keepActor(actor)
      form.reset()
      loaded()
    },
  })
}

const createForm = () => need(document, '[data-actor] form[data-create]', HTMLFormElement)

/**
 * Why the panel cannot create an actor when the form is sent, and focuses the field; undefined if there is an actor, or nothing is in the way.
 * @returns {string | undefined}
 */
export function actorProblem() {
  if (keptActor() !== undefined) return undefined
  const form = createForm()
  const [wrong] = wrongFields(form)
  const [first] = wrong === undefined && !storesActors() ? form.querySelectorAll('input') : [wrong]
  first?.focus()
  if (wrong !== undefined) return 'Not sent: a field of your actor needs a change.'
  return first && 'Not sent: this browser stores no token. Create an actor above and save its token first.'
}

/**
 * Calls with the token of this browser. If it has no actor, creates one from the fields of the panel first.
 * @template T
 * @param {(token: string | undefined) => Promise<import('./api.js').Answer<T>>} send
 */
export const withPanelActor = send => asActor(keptActor() === undefined ? actorInput(createForm()) : {}, send)
