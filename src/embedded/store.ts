import { Problem } from '../contract/problem.ts'
import { GROUP_MAX } from '../database/group-commit.ts'
import { openSqlite } from '../database/sqlite.ts'
import { createLogThread } from '../log/compute.ts'
import type { WriteAnswer } from '../operations/operation.ts'
import type { Newest, Store } from '../operations/store.ts'
import { StoreHealth } from '../operations/store-health.ts'
import { bytesOf } from '../search/bytes-of.ts'
import { openSearches, type Searches } from '../search/searches.ts'
import { NEWEST_RECORD } from '../store/head.ts'
import { findMirror } from '../store/mirror.ts'
import type { IndexNotice } from '../threads/protocol.ts'
import { commitsOf, countedSignals, countRead, createSignals, tellClosing, tellStop } from '../threads/signals.ts'
import { startThread, type Thread, YOUNG_MB } from '../threads/thread.ts'
import { assertStoreNotLost, lockDataDirectory } from './data-directory.ts'
import { indexFile, storeFile } from './files.ts'
import type { Asked, ThreadData } from './protocol.ts'

/** Writes under way before further ones are refused as OVERLOADED. */
const WRITES_MAX = 2_000
/** How often a full disk is tried again, in milliseconds. */
const PROBE_INTERVAL = 1_000
/** Megabytes for new objects of the writer, which has many writes under way at once. */
const WRITER_YOUNG_MB = 12

export type EmbeddedStore = Store & {
  /** Sets who is told before the writes of a turn are sent, and may still send something with them. */
  beforeSend(listener: () => void): void
}

/**
 * Opens the embedded store in a directory that is ready for use: one writer thread, one that follows with the search index,
 * one that searches and another one when that is busy; point reads run in this thread. `onIndex` is told when the index cannot be written, and when it can again.
 */
export async function openEmbeddedStore(
  directory: string,
  onIndex: (notice: IndexNotice) => void = () => {},
): Promise<EmbeddedStore> {
  const unlock = lockDataDirectory(directory)
  const signals = createSignals()
  const data: ThreadData = { directory, signals }
  const health = new StoreHealth({
    perform: command => writer.ask(id => ({ id, ...command }) satisfies Asked),
    waited: () => writer.waited(),
  })
  const breakDown = (fault: Error): void => health.breakDown(fault)
  const threads: Thread[] = []
  let onSend = (): void => {}
  const start = async (file: string, pendingMax: number, batched: boolean): Promise<Thread> => {
    const thread = await startThread(new URL(file, import.meta.url), data, {
      pendingMax,
      batched,
      youngMb: batched ? WRITER_YOUNG_MB : YOUNG_MB,
      together: batched ? GROUP_MAX : 1,
      onDeath: breakDown,
      onSend: () => onSend(),
      onNotice: onIndex,
    })
    threads.push(thread)
    return thread
  }

  let writer: Thread
  let searches: Searches
  let read: Awaited<ReturnType<typeof openReader>>
  try {
    assertStoreNotLost(directory)
    writer = await start('./writer-thread.ts', WRITES_MAX, true)
    await start('./index-thread.ts', 0, false)
    searches = await openSearches(signals, { index: indexFile(directory), store: storeFile(directory) }, breakDown)
    read = await openReader(directory)
  } catch (error) {
    health.close()
    tellClosing(signals)
    tellStop(signals)
    for (const thread of threads) await thread.close()
    unlock()
    throw error
  }
  const { reader, original } = read
  const log = createLogThread(new URL('./log-thread.ts', import.meta.url), data)

  health.reachable = true
  const probe = setInterval(() => health.probe(), PROBE_INTERVAL).unref()

  // What the store held after so many commits need not be asked for again until there was another one.
  let known: Newest & { commits: bigint | undefined } = { commits: undefined, record: 0, history: 0 }
  const latestRecord = (): Newest => {
    const commits = commitsOf(signals)
    if (commits !== undefined && commits === known.commits) return known
    const record = reader.one<{ record: number }>(NEWEST_RECORD)?.record ?? 0
    known = { commits, record, history: 0 }
    return known
  }
  const recordHere = (): number | undefined => {
    try {
      return latestRecord().record
    } catch {
      // Whoever asks the store then is told what is wrong with it.
      return undefined
    }
  }

  return {
    reader,
    beforeSend(listener) {
      onSend = listener
    },
    latestRecord,
    recordHere,
    noteRead: () => countRead(signals),
    ...(original === undefined ? {} : { original }),
    async write(name, input, environment) {
      if (original !== undefined) throw new Problem('READ_ONLY_MIRROR', { original })
      return (await health.write({ name, input, environment })) as WriteAnswer
    },
    async keep(name, input, environment) {
      // Sequence numbers of a copy are those of the original: what is read here is not counted.
      if (original !== undefined && (name === 'recordObservations' || name === 'recordAsked')) return undefined as never
      return (await health.write({ name, input, environment })) as never
    },
    async search(request) {
      // What reads may show already, which is more than was told to be committed while a commit still moves its log into the file.
      return searches.search(request, latestRecord().record)
    },
    near: (pairs, limit) => searches.near(pairs, limit),
    askLog: log.ask,
    // This process keeps what it signs in its file before it publishes that.
    rememberCheckpoint: async () => {},
    readiness: () => health.readiness(),
    full: writer.full,
    onCommit: listener => health.onCommit(listener),
    figures: async () => ({
      ...countedSignals(signals),
      writesWaiting: writer.pending(),
      oldestWrite: writer.waited(),
      searchesWaiting: searches.pending(),
      bytes: { store: bytesOf(storeFile(directory)), index: bytesOf(indexFile(directory)) },
    }),
    onBroken: listener => health.onBroken(listener),
    async close() {
      health.close()
      clearInterval(probe)
      tellClosing(signals)
      // Of each file the one that writes closes last: it moves the log into the file.
      await searches.close()
      await log.close()
      tellStop(signals)
      for (const thread of threads) if (thread !== writer) await thread.close()
      reader.close()
      await writer.close()
      unlock()
    },
  }
}

/** Opens what this thread reads from, and says of which server it is a copy, if it is one. */
async function openReader(directory: string) {
  const reader = openSqlite(storeFile(directory), 'read')
  try {
    return { reader, original: (await findMirror(reader))?.url }
  } catch (error) {
    reader.close()
    throw error
  }
}
