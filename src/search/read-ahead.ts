/** A row that takes longer than this comes from the disk, in milliseconds; from memory it takes a tenth. */
const FROM_DISK = 0.1

/**
 * Whoever searched reads the entries that were found one after the other, from the first on; this reads them from the last on, so that two
 * pages come from the disk at a time. It ends where the two meet, or at once where all is in memory: at the first row that does not come from the disk,
 * or cannot be read: whoever asked for it finds out why.
 */
export function readAhead(
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
