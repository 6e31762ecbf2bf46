import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, isClientError } from '../../client/index.ts'
import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import { type Following, look } from './catch-up.ts'
import { NoAnswer, type Source } from './source.ts'

/** The pause before a stream that was refused is requested again, in milliseconds. */
const REFUSED_PAUSE = 30_000

type Wake = {
  /** Resolves at the first change since the last call, or after `patience` milliseconds. Rejects when the signal aborts. */
  next(patience: number): Promise<void>
}

/**
 * Listens to the stream of changes of a server until the signal. The events only wake the caller; none of their data is stored. Without a
 * stream, each wait lasts its full time: a server may have none, or refuse another one.
 */
function wakeOnChanges(url: string, signal: AbortSignal): Wake {
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

/** The interval of requests for new rows without a change in the stream, in milliseconds. */
const POLL_INTERVAL = 2_000
/** The minimum pause between two looks, in milliseconds: changes of one moment are copied together. */
const LOOK_PAUSE = 10
/** Requests of one look that finds new records: lines, checkpoint, leaves, and rows that moderation changed. */
const LOOK_REQUESTS = 4
/** The pause after a missing answer, in milliseconds. */
const ABSENCE = 30_000

/** Follows a server until the signal: looks when its stream has a change, and each interval. Continues after missing answers. */
export async function follow(following: Following): Promise<void> {
  const { source, signal, progress } = following
  const wake = wakeOnChanges(source.url, signal)
  let waitsSince: number | undefined
  while (!signal.aborted) {
    try {
      const { lines, waits } = await look(following)
      if (lines > 0) progress.update(() => `${lines} new rows`)
      waitsSince = waits && lines === 0 ? (waitsSince ?? performance.now()) : undefined
      await sleep(pauseOf(source), undefined, { signal })
      if (waits) await sleep(checkpointPause(waitsSince), undefined, { signal })
      else await wake.next(following.pollInterval ?? POLL_INTERVAL)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof NoAnswer)) throw error
      progress.phase(error.message)
      await sleep(ABSENCE, undefined, { signal }).catch(() => {})
    }
  }
}

/** The pause after a look. Half of the limit of the server may be used at once; the other half is spread evenly. */
function pauseOf({ limit }: Source): number {
  const { remaining, quota } = limit()
  if (remaining > quota / 2) return LOOK_PAUSE
  return Math.min(POLL_INTERVAL, (LOOK_REQUESTS * RATE_WINDOW_SECONDS * 1_000) / quota)
}

/** The pause before a checkpoint is requested again: a third of the time that its records have waited. */
const checkpointPause = (since = performance.now()): number =>
  Math.min(POLL_INTERVAL, LOOK_PAUSE + (performance.now() - since) / 3)
