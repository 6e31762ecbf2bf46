import { join } from 'node:path'

/** What lies in a data directory. */
export const storeFile = (directory: string): string => join(directory, 'palimpsest.db')
/** Derived from the store; deleted, it is made anew at the next start. */
export const indexFile = (directory: string): string => join(directory, 'search.db')
/** The search index of a node over PostgreSQL, derived in the same way; apart from that of a store in the same directory. */
export const nodeIndexFile = (directory: string): string => join(directory, 'search-node.db')
/** Held locked by the one process that serves the directory. */
export const lockFile = (directory: string): string => join(directory, 'palimpsest.lock')

/** Made with the store and never deleted: says that there was one. */
export const markerFile = (directory: string): string => join(directory, 'palimpsest.marker')
