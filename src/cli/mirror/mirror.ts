import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { openStoreForWriting } from '../../embedded/create.ts'
import { lockDataDirectory, prepareDataDirectory } from '../../embedded/data-directory.ts'
import { openEmbeddedStore } from '../../embedded/store.ts'
import { assertStartable } from '../../listen.ts'
import { MirrorLag } from '../../operations/mirror-lag.ts'
import { OperatorError } from '../../operator-error.ts'
import { readHead } from '../../store/head.ts'
import { findCheckpoint, forgetLog } from '../../store/log.ts'
import { findMirror, insertMirror, restartMirror } from '../../store/mirror.ts'
import { findMirrorLog, saveMirrorKey } from '../../store/mirror-log.ts'
import { fromUtf8, MalformedError } from '../../tlog/bytes.js'
import { parseVerifierKey } from '../../tlog/signature.js'
import { countLines, countStore } from '../check/store.ts'
import { argument, EXIT, type Invocation, UsageError } from '../command.ts'
import { createProgress, type Progress } from '../progress.ts'
import { type Beside, serve } from '../serve.ts'
import { assertEmbedded, dataDirOf } from '../stores/data-dir.ts'
import { catchUp } from './catch-up.ts'
import { follow } from './follow.ts'
import { Forked } from './signed-log.ts'
import { openSource, type Source } from './source.ts'

/** Creates or continues a read-only copy of a server, and follows the server until SIGTERM or SIGINT. */
export async function mirrorServer(invocation: Invocation): Promise<number> {
  assertEmbedded(invocation, 'mirror', 'a mirror is a directory; run it without')
  const stop = new AbortController()
  const source = openSource(argument(invocation, 0), stop.signal)
  const config = invocation.switches.has('serve') ? readConfig(invocation.env, invocation.flags) : undefined
  if (config !== undefined) await assertStartable(config)
  const directory = prepareDataDirectory(dataDirOf(invocation))
  const progress = createProgress(invocation.stderr)
  const { key } = invocation.flags
  await beginMirror(directory, source, { key, withoutLog: invocation.switches.has('without-log') })
  if (config === undefined) {
    return storingFork(directory, copy(directory, source, progress, stop, invocation))
  }
  const lag = new MirrorLag(config.mirrorLagSeconds)
  const run: Beside['run'] = (store, signal) =>
    storingFork(directory, follow({ store, source: openSource(source.url, signal), progress, signal, lag }))
  await serve({ ...config, dataDir: directory }, invocation.env, { lag, run })
  return EXIT.ok
}

/** Stores, in the directory of the store, the checkpoint that proves a fork. */
async function storingFork<T>(directory: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Forked) writeFileSync(join(directory, 'log-fork'), error.note)
    throw error
  }
}

/** How a mirror trusts the public log of its original: `key` is a verifier key, in place of the first one that the original lists. */
export type Trust = { key?: string | undefined; withoutLog?: boolean }

/** Makes the directory a mirror of the server. Throws if it has another store. */
export async function beginMirror(directory: string, source: Source, trust: Trust = {}): Promise<void> {
  if (trust.key !== undefined && trust.withoutLog) throw new UsageError('--key and --without-log exclude each other.')
  const unlock = lockDataDirectory(directory)
  try {
    const connection = await openStoreForWriting(directory)
    try {
      await claimDirectory(directory, connection, source)
      await trustLog(connection, source, trust)
    } finally {
      connection.close()
    }
  } finally {
    unlock()
  }
}

async function claimDirectory(directory: string, connection: SqliteConnection, source: Source): Promise<void> {
  const known = await findMirror(connection)
  if (known?.url === source.url && known.store_id !== '') return
  if (known?.store_id === '') {
    throw new OperatorError(`The import into ${directory} is not finished; run it again, or name an empty directory.`)
  }
  if (known !== undefined) {
    throw new OperatorError(`${directory} is a mirror of ${known.url}; name that server, or another directory.`)
  }
  if ((await readHead(connection)).record > 0) {
    throw new OperatorError(`${directory} has its own store; name an empty directory with --data-dir.`)
  }
  const { storeId, change } = await source.manifest()
  // Later moderation is followed. Earlier moderation is in the segments.
  await insertMirror(writing(connection), { url: source.url, store_id: storeId, next: 1, change: Number(change) })
}

/** Settles which key verifies the log of the original. A mirror that was copied without the log reads everything again. */
async function trustLog(connection: SqliteConnection, source: Source, { key, withoutLog }: Trust): Promise<void> {
  const known = await findMirrorLog(connection)
  if (withoutLog) {
    if (known === undefined) return
    throw new OperatorError(
      'This mirror verifies the public log of its original; leave --without-log out, or make another mirror in an empty directory.',
    )
  }
  if (known !== undefined && (key === undefined || key === known.key)) return
  const trusted = key ?? (await firstKeyOf(source))
  await parseTrustedKey(trusted, source.url)
  await saveMirrorKey(writing(connection), trusted)
  if (known !== undefined) return
  await restartMirror(writing(connection))
  // An import has the leaves that its lines result in; no checkpoint was compared with them.
  await forgetLog(writing(connection))
}

/** Parses the verifier key that the operator named. Throws OperatorError if it is not one. */
export async function parseTrustedKey(text: string, url: string) {
  try {
    return await parseVerifierKey(text)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new OperatorError(`--key is a verifier key, such as the first line of ${url}/log/keys: ${error.message}`)
  }
}

/** The first key that the original lists. The first copy trusts it, and later ones use the same key. */
async function firstKeyOf(source: Source): Promise<string> {
  const keys = await source.file('keys')
  const [key = ''] = fromUtf8(keys ?? new Uint8Array()).split('\n')
  if (key !== '') return key
  throw new OperatorError(
    `${source.url} has no public log: it began a moment ago, or its log is off. Try again, or copy it unverified with --without-log.`,
  )
}

/** A connection without other users writes without a transaction. */
const writing = (connection: SqliteConnection) => connection as unknown as Pick<Transaction, 'run'>

async function copy(
  directory: string,
  source: Source,
  progress: Progress,
  stop: AbortController,
  { stdout, switches }: Invocation,
): Promise<number> {
  const began = performance.now()
  const end = (signal: NodeJS.Signals): void => {
    progress.phase(`${signal}: the mirror stops`)
    stop.abort()
  }
  const ignore = (): void => {}
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', ignore)
  const store = await openEmbeddedStore(directory)
  try {
    const following = { store, source, progress, signal: stop.signal }
    const lines = await catchUp(following)
    const seconds = (performance.now() - began) / 1_000
    progress.end()
    stdout.write(
      `Copied ${lines} rows in ${seconds.toFixed(1)} s, all hashes are correct; the mirror now contains\n${countLines(await countStore(store.reader))}${await logLine(store.reader)}\n`,
    )
    if (!switches.has('once')) await follow(following)
    return EXIT.ok
  } catch (error) {
    if (stop.signal.aborted) return EXIT.ok
    throw error
  } finally {
    progress.end()
    process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', ignore)
    await store.close()
  }
}

/** One line for people about the verified state of the original's public log. */
async function logLine(reader: Reader): Promise<string> {
  const [known, checkpoint] = [await findMirrorLog(reader), await findCheckpoint(reader)]
  if (known === undefined) return 'Its public log was not copied (--without-log).'
  const verified = checkpoint === undefined ? 0 : checkpoint.size
  return `The first ${verified} records are those of its public log, by the key ${known.key}.`
}
