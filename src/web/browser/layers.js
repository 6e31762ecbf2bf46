/** The layers of an entry at the revision that its slider selects. */
import { partOf } from './site.js'

/** The time in milliseconds for which the slider must rest. */
const REST = 150
/** Counts the moves, so that only the newest one is shown. */
let moves = 0

/** Shows the layers of the selected revision in place, and makes the address name it. */
export async function show() {
  const [slider, output] = [document.querySelector('#at'), document.querySelector('output')]
  if (!(slider instanceof HTMLInputElement) || output === null) return
  const { value, max } = slider
  moves += 1
  const move = moves
  output.textContent = `${value} of ${max}`
  await new Promise(rested => setTimeout(rested, REST))
  if (move !== moves) return
  const address = `${location.pathname}?at=${value}`
  const part = await partOf(address, '.columns')
  if (move !== moves) return
  if (part === null) output.textContent = `Revision ${value} could not be read. Move the slider again.`
  else {
    document.querySelector('.columns')?.replaceWith(part)
    history.replaceState(null, '', address)
  }
}
