import { statSync } from 'node:fs'

/** Bytes of a database file and its log on disk. */
export const bytesOf = (file: string): number =>
  ['', '-wal'].reduce((sum, part) => sum + (statSync(`${file}${part}`, { throwIfNoEntry: false })?.size ?? 0), 0)
