import type { ExportLine } from '../../contract/resources.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { transact } from '../../database/sqlite-session.ts'
import { openStoreForWriting } from '../../embedded/create.ts'
import { lockDataDirectory, prepareDataDirectory } from '../../embedded/data-directory.ts'
import { createContexts } from '../../operations/context.ts'
import { keepMirrored, type Mirrored } from '../../operations/export/store-mirrored.ts'
import { OperatorError } from '../../operator-error.ts'
import { readHead } from '../../store/head.ts'
import { readLog } from '../../store/log.ts'
import { findMirror, insertMirror, saveOriginalStore } from '../../store/mirror.ts'
import { countLines, countStore } from '../check/store.ts'
import { EXIT, type Invocation, required } from '../command.ts'
import { checkLines } from '../mirror/check.ts'
import { answersOf, DumpLog, incomplete } from '../mirror/dump.ts'
import { parseTrustedKey } from '../mirror/mirror.ts'
import { baseOf } from '../mirror/source.ts'
import { createProgress, type Progress, percent } from '../progress.ts'
import { assertEmbedded, dataDirOf } from '../stores/data-dir.ts'
import { type Input, openLines } from './input-lines.ts'

/** Makes a read-only copy of a store from its export, with the same ids, times, numbers and hashes. The same command continues a stopped one. */
export async function importExport(invocation: Invocation): Promise<number> {
  assertEmbedded(invocation, 'import', 'an import is a directory; run it without')
  const from = required(invocation, 'from', 'the file that "palimpsest export" wrote, or - for standard input')
  const original = baseOf(required(invocation, 'original', 'the address of the service that was exported'))
  const key = await keyOf(invocation, original)
  const input = openLines(from, invocation.stdin, 'import')
  const directory = prepareDataDirectory(dataDirOf(invocation))
  const unlock = lockDataDirectory(directory)
  const progress = createProgress(invocation.stderr)
  const began = performance.now()
  process.on('SIGINT', input.stop).on('SIGTERM', input.stop)
  try {
    const connection = await openStoreForWriting(directory)
    try {
      await claimDirectory(directory, connection, original)
      const lines = await copyAnswers({ connection, input, log: new DumpLog(connection, key), progress })
      progress.end()
      const seconds = (performance.now() - began) / 1_000
      invocation.stdout.write(
        `Imported ${lines} lines in ${seconds.toFixed(1)} s, all hashes are correct; the copy now contains\n${countLines(await countStore(connection))}${await logLine(connection)}\n`,
      )
    } finally {
      connection.close()
    }
    return EXIT.ok
  } finally {
    process.removeListener('SIGINT', input.stop).removeListener('SIGTERM', input.stop)
    progress.end()
    unlock()
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
