import { join } from 'node:path'

/** What lies in a data directory. */
export const storeFile = (directory: string): string => join(directory, 'palimpsest.db')
/** Derived from the store; deleted, it is made anew at the next start. */
export const indexFile = (directory: string): string => join(directory, 'search.db')
/** Held locked by the one process that serves the directory. */
export const lockFile = (directory: string): string => join(directory, 'palimpsest.lock')
