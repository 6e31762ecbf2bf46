import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readConfig } from '../../config.ts'
import { EXPORT_FORMAT } from '../../contract/vocabulary.ts'
import { exportStore } from '../../operations/export/read-export.ts'
import { OperatorError } from '../../operator-error.ts'
import { EXIT, type Invocation, type Sink } from '../command.ts'
import { createProgress, type Progress } from '../progress.ts'
import { openSnapshot } from '../stores/snapshot.ts'
import { makeWholeFile } from '../stores/whole-file.ts'

const PUBLIC_FILE = 0o644

/** Writes the answers of the export one after another, as fast as they are read. */
export async function exportRecords(invocation: Invocation): Promise<number> {
  const to = invocation.flags.to ?? '-'
  const { store, close } = await openSnapshot(invocation)
  const progress = createProgress(invocation.stderr)
  const written = { lines: 0 }
  const source = () => Readable.from(fileOf(counted(exportStore(store, licenseOf(invocation)), written, progress)))
  try {
    if (to === '-') await toStandardOutput(source(), invocation.stdout)
    else await makeWholeFile(resolve(to), PUBLIC_FILE, partial => pipeline(source(), createWriteStream(partial)))
    progress.end()
    invocation.stderr.write(`Exported ${written.lines} lines.\n`)
    return EXIT.ok
  } finally {
    progress.end()
    await close()
  }
}

/** The licence of the content, if the environment names one. Other settings are not read. */
const licenseOf = ({ env }: Invocation): string | undefined =>
  readConfig(env.CONTENT_LICENSE === undefined ? {} : { CONTENT_LICENSE: env.CONTENT_LICENSE }).contentLicense

/** The first line of a file names the format of the others. */
async function* fileOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${JSON.stringify({ type: 'export', format: EXPORT_FORMAT })}\n`
  yield* pieces
}

async function* counted(
  pieces: AsyncIterable<string>,
  written: { lines: number },
  progress: Progress,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) written.lines++
    progress.update(() => `Exported ${written.lines} lines`)
    yield piece
  }
}

async function toStandardOutput(source: Readable, stdout: Sink): Promise<void> {
  try {
    await pipeline(source, stdout, { end: false })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EPIPE') throw error
    throw new OperatorError('The reader of standard output ended before the export was complete.')
  }
}
