import { statSync } from 'node:fs'
import { join } from 'node:path'

/** What lies in a data directory. */
export const storeFile = (directory: string): string => join(directory, 'palimpsest.db')
/** Derived from the store; deleted, it is made anew at the next start. */
export const indexFile = (directory: string): string => join(directory, 'search.db')
/** Held locked by the one process that serves the directory. */
export const lockFile = (directory: string): string => join(directory, 'palimpsest.lock')

/** Made with the store and never deleted: says that there was one. */
export const markerFile = (directory: string): string => join(directory, 'palimpsest.marker')

/** Bytes of a database file and its log on disk. */
export const bytesOf = (file: string): number =>
  ['', '-wal'].reduce((sum, part) => sum + (statSync(`${file}${part}`, { throwIfNoEntry: false })?.size ?? 0), 0)
