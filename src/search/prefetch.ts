/** A row that takes longer than this comes from the disk, in milliseconds; from memory it takes a tenth. */
const FROM_DISK = 0.1

/**
 * Prefetches found entries. The main thread reads them from the first on, this from the last on: two pages come from the disk at a time.
 * Ends at the first row that is in memory already, which is also where the two meet, and at a row that cannot be read, whose error the main
 * thread reports.
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
