import { join } from 'node:path'

/** The files of a data directory. */
export const storeFile = (directory: string): string => join(directory, 'palimpsest.db')
/** Derived from the store. If it is deleted, the next start rebuilds it. */
export const indexFile = (directory: string): string => join(directory, 'search.db')
/** The search index of a node over PostgreSQL, separate from that of a store in the same directory. */
export const nodeIndexFile = (directory: string): string => join(directory, 'search-node.db')
/** Locked by the process that serves the directory. */
export const lockFile = (directory: string): string => join(directory, 'palimpsest.lock')

/** Created with the store and never deleted. It proves that the directory had a store. */
export const markerFile = (directory: string): string => join(directory, 'palimpsest.marker')
