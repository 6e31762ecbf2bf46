import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, createReadStream, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** The last line of a backup. SQLite ignores bytes after its last page. */
const LINE = /^\npalimpsest-backup sha256 ([0-9a-f]{64})\n$/
const lineOf = (digest: string): string => `\npalimpsest-backup sha256 ${digest}\n`
const LINE_BYTES = lineOf('0'.repeat(64)).length

/** The offset of the page size in the header of a SQLite file: two bytes; 1 means 65,536. */
const PAGE_BYTES_AT = 16
const LARGEST_PAGE = 65_536

/** `digest` is the SHA-256 of all bytes before the last line. A file of whole pages has no checksum. A file with other bytes after its pages has a wrong one. */
export type Checksum = { found: 'right'; digest: string } | { found: 'wrong' | 'none' }

/** Appends the checksum to a file and returns it. */
export async function appendChecksum(file: string): Promise<string> {
  const digest = await digestOf(file, statSync(file).size)
  appendFileSync(file, lineOf(digest))
  return digest
}

/** Compares the bytes of a file with its checksum. */
export async function readChecksum(file: string): Promise<Checksum> {
  const digest = LINE.exec(lastLineOf(file))?.[1]
  const { size } = statSync(file)
  if (digest === undefined) return { found: size === bytesOfPages(file) ? 'none' : 'wrong' }
  const computed = await digestOf(file, size - LINE_BYTES)
  return computed === digest ? { found: 'right', digest } : { found: 'wrong' }
}

/** Removes the bytes after the last page of a file. */
export const removeChecksum = (file: string): void => truncateSync(file, bytesOfPages(file))

/** The number of bytes of the whole pages of a SQLite file. */
function bytesOfPages(file: string): number {
  const { size } = statSync(file)
  const stored = readAt(file, PAGE_BYTES_AT, 2).readUInt16BE()
  return size - (size % (stored <= 1 ? LARGEST_PAGE : stored))
}

/** The SHA-256 of the first bytes of a file, as lower-case hex. */
async function digestOf(file: string, bytes: number): Promise<string> {
  const digest = createHash('sha256')
  if (bytes > 0) await pipeline(createReadStream(file, { end: bytes - 1 }), digest)
  return digest.digest('hex')
}

const lastLineOf = (file: string): string =>
  readAt(file, Math.max(0, statSync(file).size - LINE_BYTES), LINE_BYTES).toString('latin1')

/** Bytes of a file, filled with zeros after its end. */
function readAt(file: string, position: number, length: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(length)
    readSync(descriptor, bytes, 0, length, position)
    return bytes
  } finally {
    closeSync(descriptor)
  }
}
