/** @typedef {import('../../contract/resources.ts').ActorIssued} ActorIssued */
/** What this browser keeps of an actor. @typedef {{ token: string, id: string | null, name: string | null }} KeptActor */

const KEY = 'palimpsest.actor'
const TOKEN = /\bplm_[0-9A-Za-z]{33}\b/

/** For browsers that keep nothing: the actor lives as long as the page. @type {string | null} */
let unkept = null

/** @returns {string | null} */
function stored() {
  try {
    return unkept ?? localStorage.getItem(KEY)
  } catch {
    return unkept
  }
}

/**
 * The actor that this browser keeps.
 * @returns {KeptActor | undefined}
 */
export const keptActor = () => actorFromText(stored() ?? '')

/**
 * Keeps an actor in this browser, in place of the one before.
 * @param {KeptActor} actor
 * @returns {boolean} false where the browser keeps nothing and the actor is lost with the page
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
  }
}

/** Forgets the actor; whoever has no copy of the token can no longer write as it. */
export function forgetActor() {
  unkept = null
  try {
    localStorage.removeItem(KEY)
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/** @param {ActorIssued} issued @returns {KeptActor} */
export const actorOf = ({ actor, token }) => ({ token, id: actor.id, name: actor.declared.name })

/** The text of the file in which a person keeps an actor. @param {KeptActor} actor */
export const fileOf = actor =>
  `${JSON.stringify({ ...actor, service: location.origin, note: 'Whoever holds this token writes as this actor.' }, null, 2)}\n`

/**
 * Finds an actor in a text: a file made by `fileOf`, or anything that holds a token.
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

/** Calls back when another tab of this browser keeps or forgets an actor. @param {() => void} changed */
export const onActorElsewhere = changed =>
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) changed()
  })
