import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, isClientError } from '../../client/index.ts'

/** The pause before a stream that was refused is requested again, in milliseconds. */
const REFUSED_PAUSE = 30_000

export type Wake = {
  /** Resolves at the first change since the last call, or after `patience` milliseconds. Rejects when the signal aborts. */
  next(patience: number): Promise<void>
}

/**
 * Listens to the stream of changes of a server until the signal. The events only wake the caller, so that nothing of them is stored. Without
 * a stream, as at a server that has none or refuses one more, each wait lasts its whole time.
 */
export function wakeOnChanges(url: string, signal: AbortSignal): Wake {
  let changed = new AbortController()
  /** An error of this program, which `next` throws. */
  let fault: unknown
  const listen = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for await (const _change of createClient({ baseUrl: url }).watchChanges({}, { signal })) changed.abort()
      } catch (error) {
        if (signal.aborted) return
        if (!isClientError(error)) throw error
        await sleep(REFUSED_PAUSE, undefined, { signal }).catch(() => {})
      }
    }
  }
  listen().catch(error => {
    fault = error
    changed.abort()
  })
  return {
    async next(patience) {
      const either = AbortSignal.any([signal, changed.signal])
      await sleep(patience, undefined, { signal: either }).catch(() => {})
      signal.throwIfAborted()
      if (fault !== undefined) throw fault
      if (changed.signal.aborted) changed = new AbortController()
    },
  }
}
