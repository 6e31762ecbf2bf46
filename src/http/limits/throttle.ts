import { setTimeout as after } from 'node:timers/promises'

/**
 * Returns a function that schedules `look`: one run at a time, at least `pause` milliseconds after the previous one, and again while it
 * returns that there is more. `onFailure` gets the first of consecutive failures. The next call tries again.
 */
export function createThrottle(
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
 * Returns a function that runs works one after another, each followed by a pause of `share` times its duration, at most `longest`
 * milliseconds. Any number of works therefore takes a bounded share of the time.
 */
export function createPacedQueue(share: number, longest: number): <T>(work: () => Promise<T>) => Promise<T> {
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
