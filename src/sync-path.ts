import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Has what was written to a file, or the names in a directory, survive a power cut. Throws as the file system does. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
