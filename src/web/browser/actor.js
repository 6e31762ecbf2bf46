/** @typedef {import('../../contract/resources.ts').ActorIssued} ActorIssued */
/** The stored data of an actor. @typedef {{ token: string, id: string | null, name: string | null }} KeptActor */

const KEY = 'palimpsest.actor'
const TOKEN = /\bplm_[0-9A-Za-z]{33}\b/

/** For browsers without storage: the actor lasts as long as the page. @type {string | null} */
let unkept = null

/** Called when this page stores or removes an actor. @type {Set<() => void>} */
const listeners = new Set()
const notify = () => {
  for (const changed of listeners) changed()
}

/** @returns {string | null} */
function stored() {
  try {
    return unkept ?? localStorage.getItem(KEY)
  } catch {
    return unkept
  }
}

/**
 * The actor that this browser stores.
 * @returns {KeptActor | undefined}
 */
export const keptActor = () => actorFromText(stored() ?? '')

/**
 * Stores an actor in this browser and replaces the previous one.
 * @param {KeptActor} actor
 * @returns {boolean} false if the browser has no storage, so that the actor is lost with the page
 */
export function keepActor(actor) {
  const text = JSON.stringify(actor)
  try {
    localStorage.setItem(KEY, text)
    unkept = null
    return true
  } catch {
    unkept = text
    return false
  } finally {
    notify()
  }
}

/** Whether this browser stores an actor for longer than this page. */
export function storesActors() {
  try {
    localStorage.setItem(`${KEY}.trial`, '')
    localStorage.removeItem(`${KEY}.trial`)
    return true
  } catch {
    return false
  }
}

/** Removes the actor. Without a copy of the token no one can write as it. */
export function forgetActor() {
  unkept = null
  try {
    localStorage.removeItem(KEY)
  } catch {
    // A browser without storage has nothing to remove.
  }
  notify()
}

/** @param {ActorIssued} issued @returns {KeptActor} */
export const actorOf = ({ actor, token }) => ({ token, id: actor.id, name: actor.declared.name })

/** The text of the file that saves an actor. @param {KeptActor} actor */
export const fileOf = actor =>
  `${JSON.stringify({ ...actor, service: location.origin, note: 'Anyone who has this token can write as this actor.' }, null, 2)}\n`

/**
 * Finds an actor in a text: a file made by `fileOf`, or any text that contains a token.
 * @param {string} text
 * @returns {KeptActor | undefined}
 */
export function actorFromText(text) {
  const token = TOKEN.exec(text)?.[0]
  if (token === undefined) return undefined
  try {
    const { id, name } = JSON.parse(text)
    return { token, id: typeof id === 'string' ? id : null, name: typeof name === 'string' ? name : null }
  } catch {
    return { token, id: null, name: null }
  }
}

/** Calls back when another tab of this browser stores or removes an actor. @param {() => void} changed */
export const onActorElsewhere = changed =>
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) changed()
  })

/** Calls back when this page or another tab of this browser stores or removes an actor. @param {() => void} changed */
export function onActor(changed) {
  listeners.add(changed)
  onActorElsewhere(changed)
}
