import { setTimeout } from 'node:timers/promises'

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** Blocks this thread for some milliseconds. */
export function blockThread(milliseconds: number): void {
  Atomics.wait(never, 0, 0, milliseconds)
}

/** Resolves after some milliseconds, or at once when `signal` is aborted. Does not keep the process alive. */
export const waitUnlessAborted = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {})
