/** Works of one turn of the event loop at most. */
const WORKS_PER_TURN = 8

/**
 * Spreads works over turns of the event loop: gives undefined where a work may go on at once, else a promise of a later turn.
 * Writes come and are answered in groups; done in one turn, whoever came to read meanwhile would wait for all of them.
 */
export function createTurns(most = WORKS_PER_TURN): () => Promise<void> | undefined {
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
