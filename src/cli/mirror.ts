import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, isClientError } from '../client/index.ts'
import { readConfig } from '../config.ts'
import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import type { Reader, Transaction } from '../engine/database.ts'
import type { SqliteConnection } from '../engine/sqlite.ts'
import { assertStartable } from '../listen.ts'
import { readHead } from '../memory/head-rows.ts'
import { catchUp, type Following, look } from '../mirror/catch-up.ts'
import { MirrorLag } from '../mirror/lag.ts'
import { findMirror, findMirrorLog, insertMirror, restartMirror, saveMirrorKey } from '../mirror/rows.ts'
import { Forked } from '../mirror/signed-log.ts'
import { NoAnswer, openSource, type Source } from '../mirror/source.ts'
import { OperatorError } from '../operator-error.ts'
import { createProgress, type Progress } from '../progress.ts'
import { openStoreForWriting } from '../stores/embedded/create.ts'
import { lockDataDirectory, prepareDataDirectory } from '../stores/embedded/directory.ts'
import { openEmbeddedStore } from '../stores/embedded/store.ts'
import { applyLedgers, ERASED_BYTES_LEFT } from '../stores/erasure-ledger.ts'
import { findCheckpoint, forgetLog } from '../tlog/rows.ts'
import { fromUtf8, MalformedError } from '../tlog/verify/bytes.js'
import { parseVerifierKey } from '../tlog/verify/signature.js'
import { countLines, countStore } from './check/check.ts'
import { argument, EXIT, type Invocation, UsageError } from './command.ts'
import { type BackgroundTask, serve } from './serve.ts'
import { assertEmbedded, dataDirOf } from './stores/snapshot.ts'

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
  const run: BackgroundTask['run'] = (store, signal) =>
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
  using _lock = lockDataDirectory(directory)
  using connection = await openStoreForWriting(directory)
  await claimDirectory(directory, connection, source)
  await trustLog(connection, source, trust)
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
    await applyLedgers([directory], store, Date.now(), () => progress.phase(ERASED_BYTES_LEFT))
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

/** The pause before a stream that was refused is requested again, in milliseconds. */
const REFUSED_PAUSE = 30_000

type Wake = {
  /** Resolves at the first change since the last call, or after `patience` milliseconds. Rejects when the signal aborts. */
  next(patience: number): Promise<void>
}

/**
 * Listens to the stream of changes of a server until the signal. The events only wake the caller; none of their data is stored. Without a
 * stream, each wait lasts its full time: a server may have none, or refuse another one.
 */
function wakeOnChanges(url: string, signal: AbortSignal): Wake {
  let changed = new AbortController()
  /** An error of this program, which `next` throws. */
  let fault: unknown
  const listen = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for await (const _change of createClient({ baseUrl: url }).watchChanges({}, { signal })) changed.abort()
      } catch (error) {
        if (signal.aborted) return
        if (!isClientError(error)) throw error
        await sleep(REFUSED_PAUSE, undefined, { signal }).catch(() => {})
      }
    }
  }
  listen().catch(error => {
    fault = error
    changed.abort()
  })
  return {
    async next(patience) {
      const either = AbortSignal.any([signal, changed.signal])
      await sleep(patience, undefined, { signal: either }).catch(() => {})
      signal.throwIfAborted()
      if (fault !== undefined) throw fault
      if (changed.signal.aborted) changed = new AbortController()
    },
  }
}

/** The interval of requests for new rows without a change in the stream, in milliseconds. */
const POLL_INTERVAL = 2_000
/** The minimum pause between two looks, in milliseconds: changes of one moment are copied together. */
const LOOK_PAUSE = 10
/** Requests of one look that finds new records: lines, checkpoint, leaves, and rows that moderation changed. */
const LOOK_REQUESTS = 4
/** The pause after a missing answer, in milliseconds. */
const ABSENCE = 30_000

/** Follows a server until the signal: looks when its stream has a change, and each interval. Continues after missing answers. */
export async function follow(following: Following): Promise<void> {
  const { source, signal, progress } = following
  const wake = wakeOnChanges(source.url, signal)
  let waitsSince: number | undefined
  while (!signal.aborted) {
    try {
      const { lines, waits } = await look(following)
      if (lines > 0) progress.update(() => `${lines} new rows`)
      waitsSince = waits && lines === 0 ? (waitsSince ?? performance.now()) : undefined
      await sleep(pauseOf(source), undefined, { signal })
      if (waits) await sleep(checkpointPause(waitsSince), undefined, { signal })
      else await wake.next(following.pollInterval ?? POLL_INTERVAL)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof NoAnswer)) throw error
      progress.phase(error.message)
      await sleep(ABSENCE, undefined, { signal }).catch(() => {})
    }
  }
}

/** The pause after a look. Half of the limit of the server may be used at once; the other half is spread evenly. */
function pauseOf({ limit }: Source): number {
  const { remaining, quota } = limit()
  if (remaining > quota / 2) return LOOK_PAUSE
  return Math.min(POLL_INTERVAL, (LOOK_REQUESTS * RATE_WINDOW_SECONDS * 1_000) / quota)
}

/** The pause before a checkpoint is requested again: a third of the time that its records have waited. */
const checkpointPause = (since = performance.now()): number =>
  Math.min(POLL_INTERVAL, LOOK_PAUSE + (performance.now() - since) / 3)
