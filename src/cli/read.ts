import { readFileSync } from 'node:fs'
import { errorCode, OperatorError, systemFault } from '../operator-error.ts'

/** All bytes of a stream; undefined if they are more than `maxBytes`, past which the stream is not read. */
export async function readBounded(
  stream: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of stream) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    length += bytes.length
    if (length > maxBytes) return undefined
    pieces.push(bytes)
  }
  return Buffer.concat(pieces)
}

/** The text of a file; undefined if it does not exist. Throws OperatorError with the remedy if it cannot be read. */
export function readIfExists(file: string, remedy: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new OperatorError(`${file} cannot be read (${systemFault(error)}); ${remedy}.`)
  }
}

/** Decodes UTF-8; undefined if the bytes are invalid. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Parses JSON; undefined if the text is invalid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
