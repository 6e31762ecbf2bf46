import { Problem } from '../contract/problem.ts'
import { GROUP_MAX } from '../database/group-commit.ts'
import { openSqlite } from '../database/sqlite.ts'
import { createLogThread } from '../log/compute.ts'
import type { WriteAnswer } from '../operations/operation.ts'
import type { Store } from '../operations/store.ts'
import { StoreHealth } from '../operations/store-health.ts'
import { bytesOf } from '../search/bytes-of.ts'
import { openSearches, type Searches } from '../search/searches.ts'
import type { Newest } from '../store/head.ts'
import { NEWEST_RECORD } from '../store/head.ts'
import { findMirror } from '../store/mirror.ts'
import type { IndexNotice } from '../threads/protocol.ts'
import {
  commitsOf,
  countRead,
  createSharedCounters,
  publishClosing,
  publishStop,
  readCounts,
} from '../threads/shared-counters.ts'
import { startThread, type Thread, YOUNG_MB } from '../threads/thread.ts'
import { assertStoreNotLost, lockDataDirectory } from './data-directory.ts'
import { indexFile, storeFile } from './files.ts'
import type { Asked, ThreadData } from './protocol.ts'

/** Maximum number of writes in progress. Further ones are refused as OVERLOADED. */
const WRITES_MAX = 2_000
/** Interval in milliseconds at which a full disk is tried again. */
const PROBE_INTERVAL = 1_000
/** Megabytes of V8's young generation of the writer thread, which has many writes in progress. */
const WRITER_YOUNG_MB = 12

export type EmbeddedStore = Store & {
  /** Sets the listener that is called before the writes of a turn are sent. It may still send something with them. */
  beforeSend(listener: () => void): void
}

/**
 * Opens the embedded store in a directory that is ready for use: one writer thread, one that follows with the search index,
 * one that searches and another one when that is busy; point reads run in this thread. `onIndex` is called
 * when the index cannot be written, and when it can again.
 */
export async function openEmbeddedStore(
  directory: string,
  onIndex: (notice: IndexNotice) => void = () => {},
): Promise<EmbeddedStore> {
  const unlock = lockDataDirectory(directory)
  const counters = createSharedCounters()
  const data: ThreadData = { directory, counters }
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
    searches = await openSearches(counters, { index: indexFile(directory), store: storeFile(directory) }, breakDown)
    read = await openReader(directory)
  } catch (error) {
    health.close()
    publishClosing(counters)
    publishStop(counters)
    for (const thread of threads) await thread.close()
    unlock()
    throw error
  }
  const { reader, original } = read
  const log = createLogThread(new URL('./log-thread.ts', import.meta.url), data)

  health.reachable = true
  const probe = setInterval(() => health.probe(), PROBE_INTERVAL).unref()

  // The newest record is cached until the next commit.
  let known: Newest & { commits: bigint | undefined } = { commits: undefined, record: 0, epoch: 0 }
  const latestRecord = (): Newest => {
    const commits = commitsOf(counters)
    if (commits !== undefined && commits === known.commits) return known
    const record = reader.one<{ record: number }>(NEWEST_RECORD)?.record ?? 0
    known = { commits, record, epoch: 0 }
    return known
  }
  const recordHere = (): number | undefined => {
    try {
      return latestRecord().record
    } catch {
      // The store reports its fault to the reads that follow.
      return undefined
    }
  }

  return {
    reader,
    beforeSend(listener) {
      onSend = listener
    },
    latestRecord,
    knownRecord: recordHere,
    noteRead: () => countRead(counters),
    ...(original === undefined ? {} : { original }),
    async write(name, input, environment) {
      if (original !== undefined) throw new Problem('READ_ONLY_MIRROR', { original })
      return (await health.write({ name, input, environment })) as WriteAnswer
    },
    async maintain(name, input, environment) {
      // A mirror has the sequence numbers of its original, so it records no reads of its own.
      if (original !== undefined && (name === 'recordObservations' || name === 'recordAsked')) return undefined as never
      return (await health.write({ name, input, environment })) as never
    },
    async search(request) {
      // The newest record that reads show: during a checkpoint of the WAL that is more than the writer has reported as committed.
      return searches.search(request, latestRecord().record)
    },
    near: (pairs, limit) => searches.near(pairs, limit),
    askLog: log.ask,
    // `log-head` is written before a checkpoint is published, so nothing else is needed here.
    persistCheckpoint: async () => {},
    readiness: () => health.readiness(),
    full: writer.full,
    onCommit: listener => health.onCommit(listener),
    metrics: async () => ({
      ...readCounts(counters),
      writesWaiting: writer.pending(),
      oldestWrite: writer.waited(),
      searchesWaiting: searches.pending(),
      bytes: { store: bytesOf(storeFile(directory)), index: bytesOf(indexFile(directory)) },
    }),
    onBroken: listener => health.onBroken(listener),
    async close() {
      health.close()
      clearInterval(probe)
      publishClosing(counters)
      // The writing connection of each file closes last, because it runs the final checkpoint of the write-ahead log.
      await searches.close()
      await log.close()
      publishStop(counters)
      for (const thread of threads) if (thread !== writer) await thread.close()
      reader.close()
      await writer.close()
      unlock()
    },
  }
}

/** Opens the connection for reads in this thread. If the store is a mirror, also returns the address of its original. */
async function openReader(directory: string) {
  const reader = openSqlite(storeFile(directory), 'read')
  try {
    return { reader, original: (await findMirror(reader))?.url }
  } catch (error) {
    reader.close()
    throw error
  }
}
