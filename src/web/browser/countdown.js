/**
 * Shows the remaining whole seconds in an element until they are over.
 * @param {Element} element
 * @param {number} seconds
 * @param {() => void} over
 */
export function countdown(element, seconds, over) {
  const end = performance.now() + seconds * 1_000
  const tick = () => {
    const left = Math.ceil((end - performance.now()) / 1_000)
    element.textContent = String(Math.max(0, left))
    if (left > 0) setTimeout(tick, 200)
    else over()
  }
  tick()
}
