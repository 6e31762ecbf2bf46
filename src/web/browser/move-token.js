import { encode } from 'uqr'
import { call, refusalMessage } from './api.js'
import { button, make, makeSvg, show } from './dom.js'
import { actorFromText, keepActor, keptActor } from './site.js'

/** Moves an actor to another browser: shows its token as a QR code, and takes it from the address that the code has. */

/** @typedef {import('./site.js').KeptActor} KeptActor */

/** The margin that a reader of codes needs, in modules. */
const MARGIN = 4

/**
 * A text as the picture of a QR code.
 * @param {string} text
 * @param {string} name the text for readers without the picture
 */
function qrCode(text, name) {
  const { data, size } = encode(text, { border: MARGIN })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  const attributes = { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': name }
  return makeSvg('svg', attributes, makeSvg('path', { d: dark.join('') }))
}

/** The token of an actor, a button that copies it and one that shows its QR code. @param {KeptActor} actor */
export function shown(actor) {
  const copy = button('Copy the token', async () => {
    copy.textContent = await navigator.clipboard.writeText(actor.token).then(
      () => 'Copied',
      () => 'Not copied: select it',
    )
  })
  copy.setAttribute('aria-live', 'polite')
  const hint = 'Scan this code with the other device. Anyone who sees it can write with your token.'
  const move = button('Show it as a QR code', () => {
    if (move.nextSibling !== null) return
    move.after(qrCode(addressOf(actor), 'QR code of the token'), make('p', { class: 'hint' }, hint))
  })
  // A focusable element can be selected without taking the focus away.
  return [make('code', { class: 'token', tabindex: 0, 'aria-label': 'The token' }, actor.token), copy, move]
}

/** The address that moves an actor to another browser. No browser sends its fragment to the service. @param {KeptActor} actor */
const addressOf = ({ token, id }) => `${location.origin}/actor#${new URLSearchParams({ token, id: id ?? '' })}`

/**
 * Takes an actor from an address that `addressOf` made, removes it from the address, and asks before it is stored: anyone can make such an
 * address, with an actor of their own.
 * @param {HTMLElement} place
 * @param {() => void} loaded
 */
export function receive(place, loaded) {
  const given = new URLSearchParams(location.hash.slice(1))
  const actor = actorFromText(given.get('token') ?? '')
  if (actor === undefined) return
  history.replaceState(history.state, '', location.pathname + location.search)
  const close = () => {
    place.replaceChildren()
    show(place, false)
  }
  const problem = make('div', { role: 'alert' })
  const use = async () => {
    /** @type {[import('./api.js').Answer<unknown>, import('./api.js').Answer<import('../../contract/resources.ts').ActorProfile>]} */
    const [known, profile] = await Promise.all([
      call('GET', '/api/discovery', { token: actor.token }),
      call('GET', `/api/actors/${encodeURIComponent(given.get('id') ?? '')}`),
    ])
    if (!known.ok) return problem.replaceChildren(...refusalMessage(known))
    keepActor(profile.ok ? { ...actor, id: profile.body.id, name: profile.body.declared.name } : actor)
    close()
    loaded()
  }
  const kept = keptActor()
  const isOther = kept !== undefined && kept.token !== actor.token
  const replaced = 'It replaces the actor of this browser. Save the token of that actor first.'
  place.replaceChildren(
    make('h3', {}, 'A token from another device'),
    make('p', {}, 'Use it only if you scanned your own code: this browser then writes as that actor.'),
    ...(isOther ? [make('p', {}, replaced)] : []),
    problem,
    make('p', { class: 'row' }, button('Use this token', use), button('Discard it', close)),
  )
  show(place, true)
  place.focus()
}
