/** The maximum number of works in one turn of the event loop. */
const WORKS_PER_TURN = 8

/**
 * Spreads works over turns of the event loop. Returns undefined if a work may continue at once, otherwise a promise of a later turn.
 * Writes arrive and are answered in groups. If a group were handled in one turn, reads would wait for all of it.
 */
export function createEventLoopYield(most = WORKS_PER_TURN): () => Promise<void> | undefined {
  const waiting: (() => void)[] = []
  let begun = 0
  let due = false
  const arrange = (): void => {
    if (due) return
    due = true
    setImmediate(next)
  }
  const next = (): void => {
    due = false
    const going = waiting.splice(0, most)
    begun = going.length
    if (begun > 0) arrange()
    for (const go of going) go()
  }
  return () => {
    arrange()
    if (begun === most || waiting.length > 0) return new Promise(resolve => waiting.push(resolve))
    begun += 1
    return undefined
  }
}
