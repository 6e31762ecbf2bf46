/**
 * The clock of a client: `now` in milliseconds since 1970, and a `sleep` in milliseconds that rejects with the signal's reason if it aborts.
 */
export type Clock = {
  now(): number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The clock of the machine. */
export const MACHINE_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, milliseconds)
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    }),
}
