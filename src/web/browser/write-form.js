import {
  bytesOver,
  call,
  countCharacters,
  fieldOf,
  fieldsOf,
  sendBy,
  showFieldProblem,
  textIn,
  wrongFields,
} from './api.js'
import { afterPress, button, download, exactOf, make, need, show, watchPresses, words } from './dom.js'
import {
  actorFromText,
  actorOf,
  fileOf,
  forgetActor,
  jsonOf,
  keepActor,
  keptActor,
  onActor,
  storeItem,
  storesActors,
} from './site.js'

/** A form that writes: the actor, the draft, the sources of a text, and sending. */

/**
 * Calls with the token of this browser. If it has no actor, creates one first. Returns the refusal of either.
 * @template T
 * @param {Record<string, string>} input the declaration of a new actor
 * @param {(token: string | undefined) => Promise<import('./api.js').Answer<T>>} send
 * @returns {Promise<import('./api.js').Answer<T>>}
 */
export async function asActor(input, send) {
  if (keptActor() === undefined) {
    /** @type {import('./api.js').Answer<import('./site.js').ActorIssued>} */
    const issued = await call('POST', '/api/actors', { body: input })
    if (!issued.ok) return issued
    keepActor(actorOf(issued.body))
  }
  return send(keptActor()?.token)
}

/** @typedef {import('./site.js').ActorIssued} ActorIssued */
/** @typedef {import('./site.js').KeptActor} KeptActor */

/** Saves the token of an actor as a file. @param {KeptActor} actor */
export const save = actor => download(`palimpsest-actor-${actor.id ?? 'token'}.json`, fileOf(actor))

/**
 * Starts the panel in which a person creates, loads, saves and removes the actor.
 * @param {Element | null} root
 */
function actorPanel(root) {
  if (root === null) return
  const none = need(root, '[data-none]', HTMLElement)
  const kept = need(root, '[data-kept]', HTMLElement)
  const issued = need(root, '[data-issued]', HTMLElement)
  for (const fieldset of root.querySelectorAll('fieldset')) fieldset.disabled = false

  const render = () => {
    const actor = keptActor()
    show(none, actor === undefined)
    show(kept, actor !== undefined)
    need(kept, '[data-name]', HTMLElement).replaceChildren(words(actor?.name, 'an unnamed actor'))
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
      make('h3', {}, lasting ? 'Your token' : 'Your token. It is shown only once.'),
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
  revealToken(need(kept, '[data-reveal]', HTMLElement))
  confirmed(need(kept, '[data-forget]', HTMLButtonElement), () => {
    forgetActor()
    issued.replaceChildren()
    show(issued, false)
    need(none, 'input', HTMLInputElement).focus()
  })
  const loaded = () => need(kept, '[data-save]', HTMLButtonElement).focus()
  loadToken(need(none, 'form[data-load]', HTMLFormElement), loaded)
  if (location.hash.startsWith('#token=')) import('./move-token.js').then(({ receive }) => receive(issued, loaded))
  onActor(render)
  render()
}

/**
 * Shows the token, and buttons that copy and move it, until the focus leaves them. The hidden token is in no element.
 * @param {HTMLElement} root contains the button
 */
function revealToken(root) {
  const reveal = need(root, 'button', HTMLButtonElement)
  watchPresses()
  const set = (/** @type {Node[]} */ shown) => {
    root.replaceChildren(reveal, ...shown)
    reveal.setAttribute('aria-expanded', String(shown.length > 0))
    reveal.textContent = shown.length > 0 ? 'Hide the token' : 'Show the token'
  }
  reveal.addEventListener('click', async () => {
    const actor = keptActor()
    if (actor === undefined || root.children.length > 1) return set([])
    const { shown } = await import('./move-token.js')
    set(shown(actor))
  })
  root.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && root.contains(relatedTarget))) afterPress(() => set([]))
  })
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
function actorProblem() {
  if (keptActor() !== undefined) return undefined
  const form = createForm()
  const [wrong] = wrongFields(form)
  const [first] = wrong === undefined && !storesActors() ? form.querySelectorAll('input') : [wrong]
  if (first !== undefined) need(form, 'details', HTMLDetailsElement).open = true
  first?.focus()
  if (wrong !== undefined) return 'Not sent: a field of your actor needs a change.'
  return first && 'Not sent: this browser stores no token. Create an actor above and save its token first.'
}

/**
 * Calls with the token of this browser. If it has no actor, creates one from the fields of the panel first.
 * @template T
 * @param {(token: string | undefined) => Promise<import('./api.js').Answer<T>>} send
 */
const withPanelActor = send => asActor(keptActor() === undefined ? actorInput(createForm()) : {}, send)

/** A list (tags, sources) that a draft stores besides the fields. @typedef {{ value(): unknown, set(value: unknown): void }} Kept */

/** The delay between the last change and storing the draft, in milliseconds. */
const PAUSE = 250
const FORBIDDEN = new Set(['password', 'file'])

/**
 * Stores the input of a form in this browser until it is sent, and restores it when the page is opened again.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} notice the place that announces a restored draft
 * @param {Record<string, Kept>} lists
 * @returns {{ restored: boolean, forget(): void }}
 */
function keepDraft(form, notice, lists = {}) {
  const key = `palimpsest.draft:${location.pathname}${location.search}`
  const fields = fieldsOf(form).filter(field => !FORBIDDEN.has(field.type))
  const began = JSON.stringify(read())
  let timer = 0

  function read() {
    const values = fields.map(field => [
      field.type === 'radio' ? `${field.name}=${field.value}` : field.name,
      field instanceof HTMLInputElement && field.type === 'radio' ? field.checked : field.value,
    ])
    return {
      fields: Object.fromEntries(values),
      lists: Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.value()])),
    }
  }
  const write = (/** @type {ReturnType<typeof read>} */ draft) => {
    for (const field of fields) {
      if (field instanceof HTMLInputElement && field.type === 'radio') {
        field.checked = draft.fields?.[`${field.name}=${field.value}`] === true
      } else if (typeof draft.fields?.[field.name] === 'string') field.value = draft.fields[field.name]
    }
    for (const [name, list] of Object.entries(lists)) list.set(draft.lists?.[name])
    form.dispatchEvent(new Event('draft'))
  }
  const save = () => {
    clearTimeout(timer)
    const now = JSON.stringify(read())
    storeItem(key, now === began ? null : JSON.stringify({ at: Date.now(), ...read() }))
  }
  const forget = () => {
    clearTimeout(timer)
    form.removeEventListener('input', later)
    window.removeEventListener('pagehide', save)
    storeItem(key, null)
  }
  const later = () => {
    clearTimeout(timer)
    timer = window.setTimeout(save, PAUSE)
  }

  const kept = jsonOf(key)
  const restored = typeof kept?.at === 'number'
  if (restored) {
    write(kept)
    const discard = button('Discard it', () => {
      write(JSON.parse(began))
      storeItem(key, null)
      show(notice, false)
      fields.find(field => field.type !== 'hidden')?.focus()
    })
    notice.replaceChildren(`Your draft of ${exactOf(kept.at)} was restored. `, discard)
    show(notice, true)
  }
  form.addEventListener('input', later)
  window.addEventListener('pagehide', save)
  return { restored, forget }
}

const picker = () => import('./entry-picker.js')

/** @typedef {import('./entry-picker.js').Addressed} Addressed */

/**
 * The entry or revision of the address in a field; undefined if there is none: the field then shows the problem, and gets the focus.
 * @param {import('./api.js').Field} field
 * @param {(found: Addressed) => string} problemOf the problem of what was found; empty for none
 * @returns {Promise<Addressed | undefined>}
 */
export async function lookedUp(field, problemOf = () => '') {
  const { findByAddress } = await picker()
  const looked = await findByAddress(field.value)
  const problem = 'found' in looked ? problemOf(looked.found) : looked.problem
  showFieldProblem(field, problem)
  if (problem === '' && 'found' in looked) return looked.found
  field.focus()
}

/**
 * Loads what finds entries with the first focus of a field.
 * @param {HTMLInputElement} field
 * @param {(picker: typeof import('./entry-picker.js')) => void} start
 */
function withPicker(field, start) {
  const load = async () => {
    start(await picker())
    // Words that were typed before are searched for.
    field.dispatchEvent(new Event('input'))
  }
  field.addEventListener('focus', load, { once: true })
}

/** Offers entries for a field whose value is an address. @param {import('./api.js').Field} field */
export function withAddresses(field) {
  if (field instanceof HTMLInputElement) withPicker(field, ({ offerAddresses }) => offerAddresses(field))
}

/**
 * Edits a list: every item has a button that removes it. `noun` is what an item is, and `nameOf` its name.
 * @template T
 * @param {HTMLElement} root contains the field, the button that adds and the list
 * @param {{ items: T[], noun: string, nameOf: (item: T) => string, view: (item: T) => Node, isItem: (value: unknown) => value is T }} options
 */
export function listEditor(root, { items, noun, nameOf, view, isItem }) {
  const field = need(root, 'input', HTMLInputElement)
  const list = need(root, '[data-list]', HTMLElement)
  const render = () =>
    list.replaceChildren(
      ...items.map(item => {
        const label = { 'aria-label': `Remove the ${noun} ${nameOf(item)}` }
        const others = () => items.filter(other => other !== item)
        return make(
          'li',
          {},
          view(item),
          button('Remove', () => change(others()), label),
        )
      }),
    )
  const change = (/** @type {T[]} */ next) => {
    items = next
    render()
    field.focus()
    root.dispatchEvent(new Event('input', { bubbles: true }))
  }
  render()
  return {
    field,
    change,
    value: () => items,
    /** @param {unknown} next */
    set(next) {
      items = Array.isArray(next) ? next.filter(isItem) : []
      render()
    },
    /** Adds what is typed with the button and with keys; Enter in an empty field sends the form. @param {() => unknown} add @param {string[]} keys */
    addBy(add, ...keys) {
      field.addEventListener('keydown', event => {
        if (!keys.includes(event.key) || (event.key === 'Enter' && field.value === '')) return
        event.preventDefault()
        add()
      })
      need(root, '[data-add]', HTMLButtonElement).addEventListener('click', add)
    },
  }
}

/** @typedef {{ entryId: string, revisionId: string, title: string }} Source */

const MOST = 20

/**
 * Edits the list of exact revisions that a text uses: entries are offered while one types, and an address is looked up and added.
 * @param {HTMLElement} root contains the field, the button and the list, whose items have the data of their sources
 */
export function sourcesEditor(root) {
  const nameOf = (/** @type {Source} */ { title, entryId }) => (title === '' ? entryId : title)
  const editor = listEditor(root, {
    items: Array.from(root.querySelectorAll('[data-list] li'), item => {
      const { entry = '', revision = '', title = '' } = item instanceof HTMLElement ? item.dataset : {}
      return { entryId: entry, revisionId: revision, title }
    }),
    noun: 'source',
    nameOf,
    view: source => {
      const href = `/entries/${source.entryId}/revisions/${source.revisionId}`
      return make('a', { href }, words(nameOf(source)))
    },
    isItem: isSource,
  })
  const { field, value } = editor

  /** Looks up the typed address and adds it. Returns false if that fails; the field shows the problem. */
  const add = async () => {
    const { length } = value()
    const over = length > MOST ? `There are ${length} sources, and ${MOST} at most: remove some.` : ''
    showFieldProblem(field, over)
    if (over !== '') field.focus()
    if (over !== '' || field.value.trim() === '') return over === ''
    const found = await lookedUp(field)
    return found !== undefined && append(found)
  }
  const append = (/** @type {Source} */ { entryId, revisionId, title }) => {
    const full = value().length >= MOST ? `There are ${MOST} sources already; remove one first.` : ''
    showFieldProblem(field, full)
    if (full !== '') return false
    field.value = ''
    const known = value().some(other => other.revisionId === revisionId)
    editor.change(known ? value() : [...value(), { entryId, revisionId, title }])
    return true
  }
  withPicker(field, ({ offerEntries }) =>
    offerEntries(field, ({ id, currentRevisionId, title }) =>
      append({ entryId: id, revisionId: currentRevisionId, title }),
    ),
  )
  editor.addBy(add, 'Enter')
  return {
    ...editor,
    add,
    /** The sources for the request. */
    pairs: () => value().map(({ entryId, revisionId }) => ({ entryId, revisionId })),
  }
}

/** @param {unknown} value @returns {value is Source} */
const isSource = value =>
  typeof value === 'object' &&
  value !== null &&
  ['entryId', 'revisionId', 'title'].every(name => typeof Reflect.get(value, name) === 'string')

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
 *   lists?: Record<string, Kept>,
 * }} Writing
 */

/**
 * Loads what formats and previews a content with the first press or focus.
 * @param {HTMLFormElement} form
 */
function withContent(form) {
  const root = form.querySelector('.with-preview')
  if (!(root instanceof HTMLElement)) return
  const load = async () => (await import('./preview.js')).contentOf(root)
  root.addEventListener('focusin', load, { once: true })
  root.addEventListener('click', async ({ target }) => {
    if (target instanceof HTMLButtonElement) (await load())(target)
  })
}

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
  const place = need(document, '[data-send]', HTMLElement)
  need(form, 'fieldset', HTMLFieldSetElement).disabled = false
  need(place, 'button', HTMLButtonElement).disabled = false
  const draft = keepDraft(form, need(document, '[data-draft]', HTMLElement), lists)
  countCharacters(form)
  withContent(form)
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

actorPanel(document.querySelector('[data-actor]'))
