/**
 * The clock of a client. `now` returns milliseconds since 1970. `sleep` waits for milliseconds, and rejects with the reason of the signal
 * if the signal aborts.
 */
export type Clock = {
  now(): number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

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
