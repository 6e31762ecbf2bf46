import { setTimeout as after } from 'node:timers/promises'

/**
 * Gives what runs `look` after being woken: one at a time, at least `pause` milliseconds after the last, and again while it says
 * that there is more. `onFailure` is told the first failure of a row; the next wake tries again.
 */
export function createRounds(
  look: () => Promise<boolean>,
  pause: () => number,
  onFailure: (error: unknown) => void,
): () => void {
  let scheduled = false
  let running = false
  let woken = false
  let failed = false
  let last = 0
  const run = async (): Promise<void> => {
    scheduled = false
    running = true
    woken = false
    try {
      const more = await look()
      woken ||= more
      failed = false
    } catch (error) {
      if (!failed) onFailure(error)
      failed = true
    }
    running = false
    last = performance.now()
    if (woken) wake()
  }
  const wake = (): void => {
    woken = true
    if (running || scheduled) return
    scheduled = true
    setTimeout(run, Math.max(0, last + pause() - performance.now())).unref()
  }
  return wake
}

/**
 * Gives what runs works one after another, each followed by a rest of `share` times its length, at most `longest` milliseconds:
 * however many there are, they take no more than a part of the time.
 */
export function createLane(share: number, longest: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free: Promise<unknown> = Promise.resolve()
  return work => {
    let began = 0
    const done = free.then(() => {
      began = performance.now()
      return work()
    })
    const rest = (): Promise<void> =>
      after(Math.min(share * (performance.now() - began), longest), undefined, { ref: false })
    free = done.then(rest, rest)
    return done
  }
}
