import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readConfig } from '../config.ts'
import type { Reader } from '../database/database.ts'
import { OperatorError } from '../operator-error.ts'
import { readHead } from '../store/head.ts'
import { EXIT, type Invocation, type Sink } from './command.ts'
import { publicRecords } from './export-records.ts'
import { createProgress, type Progress } from './progress.ts'
import { openSnapshot } from './snapshot.ts'
import { makeWholeFile } from './whole-file.ts'

const PUBLIC_FILE = 0o644

/** Writes all public records as lines of JSON, as fast as they are read. */
export async function exportRecords(invocation: Invocation): Promise<number> {
  const to = invocation.flags.to ?? '-'
  const license = licenseOf(invocation)
  const { store, close } = await openSnapshot(invocation)
  const progress = createProgress(invocation.stderr)
  const written = { records: 0 }
  const source = () => Readable.from(linesOf(store, license, written, progress))
  try {
    if (to === '-') await toStandardOutput(source(), invocation.stdout)
    else await makeWholeFile(resolve(to), PUBLIC_FILE, partial => pipeline(source(), createWriteStream(partial)))
    progress.end()
    invocation.stderr.write(`Exported ${written.records} records.\n`)
    return EXIT.ok
  } finally {
    progress.end()
    await close()
  }
}

/** The licence of the content, if the environment names one. Other settings are not read. */
const licenseOf = ({ env }: Invocation): string | undefined =>
  readConfig(env.CONTENT_LICENSE === undefined ? {} : { CONTENT_LICENSE: env.CONTENT_LICENSE }).contentLicense

async function* linesOf(
  store: Reader,
  license: string | undefined,
  written: { records: number },
  progress: Progress,
): AsyncGenerator<string> {
  if (license !== undefined) yield `${JSON.stringify({ type: 'license', url: license })}\n`
  const { record } = await readHead(store)
  for await (const records of publicRecords(store, record)) {
    if (records.length > 0) yield records.map(one => `${JSON.stringify(one)}\n`).join('')
    written.records += records.length
    progress.update(() => `Exported ${written.records} records`)
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
