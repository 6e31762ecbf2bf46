/** A row that takes longer than this is read from the disk, in milliseconds. A row in memory takes a tenth of it. */
const FROM_DISK = 0.1

/**
 * Prefetches found entries from the last to the first. The main thread reads them from the first to the last, so that two pages are read
 * from the disk at a time. Ends at the first row that is already in memory, which is also where both threads meet. Ends at a row that
 * cannot be read, because the main thread reports the error.
 */
export function prefetch(
  entries: readonly number[],
  read: (entry: number) => void,
  now: () => number = () => performance.now(),
): void {
  for (const entry of entries.toReversed()) {
    const began = now()
    try {
      read(entry)
    } catch {
      return
    }
    if (now() - began < FROM_DISK) return
  }
}
