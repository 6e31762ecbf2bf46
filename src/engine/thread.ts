import { flushCompileCache } from 'node:module'
import { availableParallelism, setPriority } from 'node:os'
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type MessagePort, Worker } from 'node:worker_threads'
import { Problem, type ProblemCode, type ProblemDetail } from '../contract/problem.ts'
import { blockThread, StoreFault } from './database.ts'

/**
 * Counters in shared memory, for the threads of a process. Read one with `Atomics.load(counters, COMMITTED)`. Every change that a thread may
 * wait for is published, and then also counts as an event. A thread reads the number of events, checks its condition, and waits for the next
 * event, so that it misses none.
 */
export type SharedCounters = BigInt64Array<SharedArrayBuffer>

/** The positions of the newest record in the store, and in the index. */
export const COMMITTED = 0
export const INDEXED = 1
/** 1 once the follower shall end, and once the store closes, which ends all waits for the index. */
export const STOPPING = 2
export const CLOSING = 3
/** Commits that have begun and ended, and the writes in them. */
export const BEGUN = 4
export const ENDED = 5
export const WRITES = 6
/** The latest position that a search waits for. */
export const WANTED = 7
/** The number of events. Read it before the condition: an event after that ends the wait at once. */
export const EVENTS = 8
/** Requested reads, to which background threads yield. */
export const READS = 9
/**
 * The number of the index file, which is odd while the follower replaces a file that is damaged or has erased words; and one more than that
 * of the last damaged file.
 */
export const INDEX_FILE = 10
export const DAMAGED = 11
const SIZE = 12

export const createSharedCounters = (): SharedCounters =>
  new BigInt64Array(new SharedArrayBuffer(SIZE * BigInt64Array.BYTES_PER_ELEMENT))

/** Sets a counter, and wakes the threads that wait. */
export function publish(counters: SharedCounters, place: number, value: bigint): void {
  Atomics.store(counters, place, value)
  Atomics.add(counters, EVENTS, 1n)
  Atomics.notify(counters, EVENTS)
}

/** Blocks this thread until the index has reached a position, the store closes, or `patience` milliseconds have passed. */
export function blockUntilIndexed(counters: SharedCounters, position: bigint, patience: number): void {
  const deadline = performance.now() + patience
  for (;;) {
    const events = Atomics.load(counters, EVENTS)
    if (Atomics.load(counters, INDEXED) >= position || Atomics.load(counters, CLOSING) === 1n) return
    const left = deadline - performance.now()
    if (left <= 0) return
    Atomics.wait(counters, EVENTS, events, left)
  }
}

/**
 * Waits until the counter at `place` is beyond a value, the index is damaged, or the follower shall end. Resolves with false after `patience`
 * milliseconds.
 */
export async function awaitBeyond(
  counters: SharedCounters,
  place: number,
  value: bigint,
  patience = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const deadline = performance.now() + patience
  for (;;) {
    const events = Atomics.load(counters, EVENTS)
    if (Atomics.load(counters, place) > value) return true
    if (Atomics.load(counters, STOPPING) === 1n || isDamaged(counters)) return true
    const left = deadline - performance.now()
    if (left <= 0) return false
    await Atomics.waitAsync(counters, EVENTS, events, left).value
  }
}

/** The lower bits of a position, which are the record. */
const RECORD_BITS = 48n

/** The position of a record across all epochs of a store. Positions of a later epoch are larger. In an embedded store, it is the record. */
export const positionOf = ({ record, storeEpoch }: { record: number; storeEpoch: number }): bigint =>
  (BigInt(storeEpoch) << RECORD_BITS) | BigInt(record)

/** The number of records from one position to another. Across epochs, all records up to `to` count. */
const recordsBetween = (from: bigint, to: bigint): number =>
  Number(from >> RECORD_BITS === to >> RECORD_BITS ? to - from : BigInt.asUintN(Number(RECORD_BITS), to))

/** Counts since the start, and the number of records that the index has not reached. */
export const readCounts = (
  counters: SharedCounters,
): { commits: number; committedWrites: number; indexLag: number } => ({
  commits: Number(Atomics.load(counters, ENDED)),
  committedWrites: Number(Atomics.load(counters, WRITES)),
  indexLag: Math.max(0, recordsBetween(Atomics.load(counters, INDEXED), Atomics.load(counters, COMMITTED))),
})

/** Call it before an index file is deleted, and again when another one can be opened. */
export const publishIndexFile = (counters: SharedCounters): void =>
  publish(counters, INDEX_FILE, Atomics.load(counters, INDEX_FILE) + 1n)

/** Whether damage of the present index file was reported. */
export const isDamaged = (counters: SharedCounters): boolean =>
  Atomics.load(counters, DAMAGED) === Atomics.load(counters, INDEX_FILE) + 1n

/** Publishes that a search waits for a position, unless another one waits for a later one. */
export function requestIndexed(counters: SharedCounters, position: bigint): void {
  for (;;) {
    const wanted = Atomics.load(counters, WANTED)
    if (wanted >= position) return
    if (Atomics.compareExchange(counters, WANTED, wanted, position) === wanted) break
  }
  Atomics.add(counters, EVENTS, 1n)
  Atomics.notify(counters, EVENTS)
}

/** An answer or a failure, as plain data. */
export type Reply = { id: number } & (
  | { result: unknown }
  | { problem: ProblemCode; detail: ProblemDetail }
  | { fault: StoreFault['kind']; outcomeUnknown: boolean; message: string }
  | { error: string; stack: string }
)
/**
 * Why the follower cannot write the index file (undefined when it can again), the damage of the file that it replaces, or the record from
 * which it indexes and the newest record.
 */
export type IndexNotice = { held: 'full' | 'locked' | undefined } | { damage: string } | { from: number; of: number }

export function replyOfError(id: number, error: unknown): Reply {
  if (error instanceof Problem) return { id, problem: error.code, detail: error.detail }
  if (error instanceof StoreFault) {
    const { kind: fault, outcomeUnknown, cause } = error
    return { id, fault, outcomeUnknown, message: (cause as Error).message }
  }
  const { message, stack } = error as Error
  return { id, error: message, stack: stack ?? '' }
}

/** The error to throw for a reply that is not a result. */
export function errorOfReply(reply: Exclude<Reply, { result: unknown }>): Error {
  if ('problem' in reply) return new Problem(reply.problem, reply.detail)
  if ('fault' in reply) return new StoreFault(reply.fault, new Error(reply.message), reply)
  return Object.assign(new Error(reply.error), { stack: reply.stack })
}

/** Nice values of the background threads (nice(2)). With fewer cores than threads, requests go first, then commits, then the follower. */
export const NICE = { writer: 5, follower: 10 } as const

/** Sets the nice value of the calling thread. Only Linux has one for each thread. If it may not be set, it stays unchanged. */
export function setNice(niceness: number): void {
  try {
    if (process.platform === 'linux') setPriority(0, niceness)
  } catch {}
}

/** The time in milliseconds that a thread works before it checks for requested reads. */
const PIECE_MS = 0.5
/** For each requested read, the thread then rests for the maximum duration of a read, in total at most `REST_MAX_MS`; in milliseconds. */
const REST_PER_READ_MS = 0.05
const REST_MAX_MS = 3

/** The time and a rest, both in milliseconds, and the number of cores. */
export type Clock = { now(): number; rest(milliseconds: number): void; cores: number }

const CLOCK: Clock = {
  now: () => performance.now(),
  rest: blockThread,
  cores: availableParallelism(),
}

/**
 * Returns a function that a background thread calls between two pieces of its work. It blocks for as long as the reads take that were
 * requested since the last call. Threads on one core get time slices of some milliseconds regardless of priority, and a read would wait
 * for a whole slice; a rest after a short piece lets it run. Without reads it does not block. With more cores there is no such function.
 */
export function createCpuYield(
  counters: SharedCounters,
  { now, rest, cores }: Clock = CLOCK,
): (() => void) | undefined {
  if (cores > 1) return undefined
  let reads = Atomics.load(counters, READS)
  let since = now()
  return () => {
    if (now() - since < PIECE_MS) return
    const asked = Atomics.load(counters, READS)
    // Reads that are requested during the rest count for the next piece.
    if (asked !== reads) rest(Math.min(REST_MAX_MS, Number(asked - reads) * REST_PER_READ_MS))
    reads = asked
    since = now()
  }
}

/**
 * Tells the process that this thread is ready, and writes the compile cache of the thread. Node itself writes it only when the thread ends,
 * so a killed process would have none.
 */
export function reportReady(port: MessagePort | null): void {
  port?.postMessage('ready')
  flushCompileCache()
}

export type ThreadOptions = {
  pendingMax: number
  together: number
  batched: boolean
  /**
   * Size of V8's young generation in megabytes. If it is too small, objects that survive slightly longer are promoted, and stay until the
   * whole heap is collected.
   */
  youngMb: number
  onDeath: (error: Error) => void
  /** Receives the messages of the thread that are not replies. */
  onNotice?: (notice: IndexNotice) => void
}

/**
 * A request is refused at once if, at the recent rate of answers, it would wait longer than this, because its client would often have
 * disconnected. In milliseconds.
 */
const WAIT_MAX_MS = 2_000
/** This many requests may always wait, or two groups if they are more: the group that is answered now, and the next one. */
const ALWAYS = 8
const GROUPS_ALWAYS = 2
/**
 * Size in megabytes of the young generation of a thread that does one thing at a time. V8 uses a third of it for each of two
 * semi-spaces, and fills one of them.
 */
export const YOUNG_MB = 3
/** The maximum heap, far more than a thread needs. With a lower maximum V8 collects earlier. */
const OLD_GENERATION_MB = 512
/**
 * Flags of V8 for the threads. The heap limits of the command line are for the main thread; V8 would apply them to threads that are started
 * later. For young generations this small, helper threads of the garbage collector cost more processor time than they save.
 */
const THREAD_FLAGS = ['--max-semi-space-size=0', '--max-old-space-size=0', '--no-parallel-scavenge']
/** The weight of the newest answer in the moving average of the rate. */
const NEWEST = 0.2
/** Messages that follow one another within so many milliseconds have waited for this thread, and arrive together. */
const TOGETHER_MS = 1

/** The threads of this process that have not ended. */
const RUNNING = new Set<{ name: string; active(): number }>()

/**
 * Milliseconds that each thread of this process has worked since its start, not waited, by its name: `main`, or the name of its file. A
 * further thread of the same file has a number. A wait for the disk counts as work.
 */
export function activeTimes(): Map<string, number> {
  const times = new Map([['main', performance.eventLoopUtilization().active]])
  for (const { name, active } of RUNNING) {
    let free = name
    for (let n = 2; times.has(free); n++) free = `${name}-${n}`
    times.set(free, active())
  }
  return times
}

type Request = { since: number; resolve: (value: unknown) => void; reject: (error: Error) => void }

/** Starts a thread and resolves when it is ready. */
export async function startThread(file: URL, data: object, options: ThreadOptions): Promise<Thread> {
  for (const flag of THREAD_FLAGS) setFlagsFromString(flag)
  const thread = new Thread(file, data, options)
  await thread.started
  return thread
}

/**
 * A thread and the requests in progress to it, each of which resolves with its reply. Refuses a request as OVERLOADED if `pendingMax`
 * requests are in progress, or if it would wait too long. `together` is the maximum number of requests that the thread answers at once.
 * `batched` sends the requests of one turn as an array. When the thread ends, all requests in progress fail and `onDeath` is called.
 */
export class Thread {
  /** Resolves when the thread is ready; rejects if it fails before. */
  readonly started: Promise<void>
  readonly #worker: Worker
  readonly #options: ThreadOptions
  readonly #exited: Promise<void>
  readonly #requests = new Map<number, Request>()
  #nextId = 1
  /** The requests of this turn. */
  #outbox: { id: number; request: object }[] = []
  #dead: Error | undefined
  #closing = false
  #busySince = 0
  /** The latest messages that arrived together, and the time that the thread took for them in milliseconds. */
  #messages = 0
  #tookMs = 0
  /** Moving average of the time of one answer or of one group of answers, in milliseconds. */
  #turn = 0

  constructor(file: URL, data: object, options: ThreadOptions) {
    const name = basename(file.pathname)
    this.#options = options
    this.#worker = new Worker(file, {
      workerData: data,
      name,
      resourceLimits: { maxYoungGenerationSizeMb: options.youngMb, maxOldGenerationSizeMb: OLD_GENERATION_MB },
    })
    this.started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        this.#worker.on('message', this.#receive)
        resolve()
      })
      this.#worker.once('error', reject)
    })
    this.#worker.on('error', error => this.#die(error as Error))
    const running = {
      name: name.replace(/-thread\.\w+$/, ''),
      active: () => this.#worker.performance.eventLoopUtilization().active,
    }
    RUNNING.add(running)
    this.#exited = new Promise(resolve => {
      this.#worker.once('exit', code => {
        RUNNING.delete(running)
        this.#die(new Error(`The thread ${name} ended with code ${code}.`))
        resolve()
      })
    })
  }

  /** Sends a request. If requests are batched, its members are read when those of this turn of the event loop are sent. */
  readonly ask = (request: object): Promise<unknown> => {
    if (this.#dead !== undefined) return Promise.reject(this.#dead)
    if (this.full()) return Promise.reject(new Problem('OVERLOADED', { retryAfter: 1 }))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const since = performance.now()
    if (this.#requests.size === 0) this.#busySince = since
    const id = this.#nextId++
    this.#requests.set(id, { since, resolve, reject })
    if (!this.#options.batched) this.#worker.postMessage({ id, ...request })
    else {
      if (this.#outbox.length === 0) setImmediate(this.#flush)
      this.#outbox.push({ id, request })
    }
    return promise
  }

  pending(): number {
    return this.#requests.size
  }

  /** Whether a new request would be refused. */
  readonly full = (): boolean => {
    const { pendingMax, together } = this.#options
    const { size } = this.#requests
    if (size >= pendingMax) return true
    return size >= Math.max(ALWAYS, GROUPS_ALWAYS * together) && (size / together) * this.#turn > WAIT_MAX_MS
  }

  /** Milliseconds that the oldest request in progress has waited; 0 if there is none. */
  waited(): number {
    const [oldest] = this.#requests.values()
    return oldest === undefined ? 0 : performance.now() - oldest.since
  }

  async close(): Promise<void> {
    this.#closing = true
    if (this.#outbox.length > 0) this.#flush()
    if (this.#dead === undefined) this.#worker.postMessage('close')
    await this.#exited
  }

  readonly #flush = (): void => {
    const messages: object[] = []
    for (const { id, request } of this.#outbox) messages.push({ id, ...request })
    this.#outbox = []
    this.#worker.postMessage(messages)
  }

  readonly #receive = (message: Reply[] | IndexNotice): void => {
    if (!Array.isArray(message)) {
      this.#options.onNotice?.(message)
      return
    }
    const now = performance.now()
    const took = now - this.#busySince
    if (took > TOGETHER_MS && this.#messages > 0) {
      this.#turn += (this.#tookMs / this.#messages - this.#turn) * (1 - (1 - NEWEST) ** this.#messages)
      this.#messages = 0
      this.#tookMs = 0
    }
    this.#messages += 1
    this.#tookMs += took
    this.#busySince = now
    for (const reply of message) {
      const request = this.#requests.get(reply.id)
      this.#requests.delete(reply.id)
      if ('result' in reply) request?.resolve(reply.result)
      else request?.reject(errorOfReply(reply))
    }
  }

  #die(error: Error): void {
    this.#dead ??= error
    for (const { reject } of this.#requests.values()) reject(this.#dead)
    this.#requests.clear()
    if (!this.#closing) this.#options.onDeath(this.#dead)
  }
}
