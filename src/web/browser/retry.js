import { countdown } from './dom.js'

const left = document.querySelector('[data-retry-after]')
const again = document.querySelector('[data-retry]')
if (left !== null) {
  countdown(left, Number(left.getAttribute('data-retry-after')), () => again?.setAttribute('class', 'do'))
}
