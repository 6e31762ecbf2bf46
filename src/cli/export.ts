import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readConfig } from '../config.ts'
import type { ExportLine } from '../contract/resources.ts'
import { EXPORT_FORMAT } from '../contract/vocabulary.ts'
import type { Reader, Transaction } from '../engine/database.ts'
import { type SqliteConnection, transact } from '../engine/sqlite.ts'
import { createContexts } from '../memory/commands.ts'
import { readHead } from '../memory/head-rows.ts'
import { checkLines } from '../mirror/check.ts'
import { answersOf, DumpLog, incomplete } from '../mirror/dump.ts'
import { exportStore } from '../mirror/export.ts'
import { type Input, openLines } from '../mirror/input-lines.ts'
import { keepMirrored, type Mirrored } from '../mirror/keep.ts'
import { findMirror, insertMirror, saveOriginalStore } from '../mirror/rows.ts'
import { baseOf } from '../mirror/source.ts'
import { OperatorError } from '../operator-error.ts'
import { createProgress, type Progress, percent, type Sink } from '../progress.ts'
import { openStoreForWriting } from '../stores/embedded/create.ts'
import { lockDataDirectory, prepareDataDirectory } from '../stores/embedded/directory.ts'
import { readLog } from '../tlog/rows.ts'
import { countLines, countStore } from './check/check.ts'
import { EXIT, type Invocation, required } from './command.ts'
import { parseTrustedKey } from './mirror.ts'
import { assertEmbedded, dataDirOf, openSnapshot } from './stores/snapshot.ts'
import { makeWholeFile } from './stores/whole-file.ts'

const PUBLIC_FILE = 0o644

/** Writes the answers of the export one after another, as fast as they are read. */
export async function exportRecords(invocation: Invocation): Promise<number> {
  const to = invocation.flags.to ?? '-'
  await using snapshot = await openSnapshot(invocation)
  using progress = createProgress(invocation.stderr)
  const written = { lines: 0 }
  const source = () =>
    Readable.from(fileOf(counted(exportStore(snapshot.store, licenseOf(invocation)), written, progress)))
  if (to === '-') await toStandardOutput(source(), invocation.stdout)
  else await makeWholeFile(resolve(to), PUBLIC_FILE, partial => pipeline(source(), createWriteStream(partial)))
  progress.end()
  invocation.stderr.write(`Exported ${written.lines} lines.\n`)
  return EXIT.ok
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

/** Makes a read-only copy of a store from its export, with the same ids, times, numbers and hashes. The same command continues a stopped one. */
export async function importExport(invocation: Invocation): Promise<number> {
  assertEmbedded(invocation, 'import', 'an import is a directory; run it without')
  const from = required(invocation, 'from', 'the file that "palimpsest export" wrote, or - for standard input')
  const original = baseOf(required(invocation, 'original', 'the address of the service that was exported'))
  const key = await keyOf(invocation, original)
  const input = openLines(from, invocation.stdin, 'import')
  const directory = prepareDataDirectory(dataDirOf(invocation))
  using _lock = lockDataDirectory(directory)
  using progress = createProgress(invocation.stderr)
  const began = performance.now()
  process.on('SIGINT', input.stop).on('SIGTERM', input.stop)
  try {
    using connection = await openStoreForWriting(directory)
    await claimDirectory(directory, connection, original)
    const lines = await copyAnswers({ connection, input, log: new DumpLog(connection, key), progress })
    progress.end()
    const seconds = (performance.now() - began) / 1_000
    invocation.stdout.write(
      `Imported ${lines} lines in ${seconds.toFixed(1)} s, all hashes are correct; the copy now contains\n${countLines(await countStore(connection))}${await logLine(connection)}\n`,
    )
    return EXIT.ok
  } finally {
    process.removeListener('SIGINT', input.stop).removeListener('SIGTERM', input.stop)
  }
}

async function keyOf({ flags: { key } }: Invocation, original: string) {
  return key === undefined ? undefined : { name: (await parseTrustedKey(key, original)).name, text: key }
}

/** Throws OperatorError unless the directory is empty, or has an unfinished import of that service. */
async function claimDirectory(directory: string, connection: SqliteConnection, original: string): Promise<void> {
  const known = await findMirror(connection)
  if (known?.url === original && known.store_id === '') return
  if (known !== undefined) {
    throw new OperatorError(`${directory} is a copy of ${known.url}; import into an empty directory.`)
  }
  if ((await readHead(connection)).record > 0) {
    throw new OperatorError(`${directory} has its own store; import into an empty directory.`)
  }
  // The last line of the file names the store.
  const writing = connection as unknown as Pick<Transaction, 'run'>
  await insertMirror(writing, { url: original, store_id: '', next: 1, change: 0 })
}

type Copying = { connection: SqliteConnection; input: Input; log: DumpLog; progress: Progress }

/**
 * Checks and stores each answer in one transaction. Compares the answers of an earlier run, and does not store them again. Returns the
 * number of lines.
 */
async function copyAnswers({ connection, input, log, progress }: Copying): Promise<number> {
  const { next: stored } = (await findMirror(connection)) ?? { next: 1 }
  let [from, lines] = [1, 0]
  let head: ExportLine['head'] | null = null
  try {
    for await (const { texts, read } of answersOf(input.lines)) {
      if (head !== null) throw new OperatorError('The file continues after the newest row; export the store again.')
      const checked = await checkLines(connection, texts, from)
      const grown = await log.grow(checked.lines)
      head = checked.head
      const change = Number(head?.change ?? 0)
      const settled = head === null ? {} : { settled: Number(head.sequence) }
      if (checked.next > stored || head !== null) {
        await keep(connection, { ...checked, actors: [], change, log: grown, ...settled })
      }
      lines += texts.length
      from = checked.next
      const of = input.size === undefined ? '' : `, ${percent(read, input.size)}`
      progress.update(() => `${lines} lines${of}`)
      // Signals are handled between answers. A stop makes the input throw.
      await new Promise(setImmediate)
    }
    if (head === null) throw incomplete()
    return lines
  } catch (error) {
    if (!(error instanceof OperatorError) || from === 1) throw error
    throw new OperatorError(`${error.message} Rows before sequence ${from} are stored; the same command continues.`)
  }
}

const contextOf = createContexts()

const keep = (connection: SqliteConnection, mirrored: Mirrored): Promise<void> =>
  transact(connection, async tx => {
    await keepMirrored(tx, contextOf({ at: Date.now(), cooldown: 0, dataClass: 'INTERNAL' }), mirrored)
    if (mirrored.head) await saveOriginalStore(tx, mirrored.head.storeId)
  })

/** One line for people about the public log of the copy. */
async function logLine(reader: Reader): Promise<string> {
  const { size, root } = await readLog(reader)
  return size === 0
    ? 'The file has no public log.'
    : `The first ${size} records result in the root ${root} of the public log.`
}
