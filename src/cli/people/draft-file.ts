import { open } from 'node:fs/promises'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { readBounded } from '../read-bounded.ts'
import { type Draft, parseDraft } from './draft.ts'
import type { Session } from './session.ts'

/** More bytes than any body that the service accepts. */
const FILE_BYTES_MAX = 1_000_000

/** Reads the draft of a command: a file, or - for standard input. */
export const readDraft = async (session: Session, file: string): Promise<Draft> =>
  parseDraft(await readText(session, file), nameOf(file))

const nameOf = (file: string): string => (file === '-' ? 'Standard input' : file)

/** Reads a text in UTF-8 from a file, or from standard input as -. */
export async function readText({ invocation }: Session, file: string): Promise<string> {
  const name = nameOf(file)
  const bytes = file === '-' ? await bytesOf(invocation.stdin, name) : await bytesOfFile(file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new OperatorError(`${name} is not text in UTF-8.`)
  }
}

async function bytesOfFile(file: string): Promise<Buffer> {
  try {
    const handle = await open(file)
    try {
      return await bytesOf(handle.createReadStream({ autoClose: false, end: FILE_BYTES_MAX }), file)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${file} cannot be read (${systemFault(error)}); name a text file, or -.`)
  }
}

async function bytesOf(stream: NodeJS.ReadableStream, name: string): Promise<Buffer> {
  const bytes = await readBounded(stream, FILE_BYTES_MAX)
  if (bytes === undefined) throw new OperatorError(`${name} is over ${FILE_BYTES_MAX} bytes; shorten it.`)
  return bytes
}
