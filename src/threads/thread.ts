import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { Problem } from '../contract/problem.ts'
import { errorOfReply, type IndexNotice, type Reply } from './protocol.ts'

/** Requests in progress to a thread. Each resolves with its reply. */
export type Thread = {
  /** Sends a request together with all others of this turn of the event loop. */
  ask(message: (id: number) => unknown): Promise<unknown>
  pending(): number
  /** Whether a new request would be refused. */
  full(): boolean
  /** Milliseconds that the oldest request in progress has waited; 0 if there is none. */
  waited(): number
  close(): Promise<void>
}

export type ThreadOptions = {
  pendingMax: number
  together: number
  batched: boolean
  /**
   * Size of V8's young generation in megabytes. If it is too small, objects with a slightly longer life are promoted, and stay until the
   * whole heap is collected.
   */
  youngMb: number
  onDeath: (error: Error) => void
  onSend?: () => void
  /** Receives messages of the thread that are no replies. */
  onNotice?: (notice: IndexNotice) => void
}

/**
 * A request is refused at once if it would wait longer than this at the recent rate of answers, because its client would often have
 * disconnected. In milliseconds.
 */
const WAIT_MAX = 2_000
/** A minimum of requests is always accepted: those that are answered now, and as many for the next group. */
const ALWAYS = 8
const GROUPS_ALWAYS = 2
/**
 * Size in megabytes of the young generation of a thread that does one thing at a time. V8 uses a third of it for each of two halves, and
 * fills one of them.
 */
export const YOUNG_MB = 3
/** The maximum heap, far more than a thread needs. With a lower maximum V8 collects earlier. */
const OLD_GENERATION_MB = 512
/** The heap limits of the command line are for the main thread. V8 would apply them to threads that are started later. */
setFlagsFromString('--max-semi-space-size=0')
setFlagsFromString('--max-old-space-size=0')
/** The weight of the newest answers in the rate of answers. */
const NEWEST = 0.2

/**
 * Starts a thread and resolves when it is ready. Refuses a request as OVERLOADED if `pendingMax` requests are in progress, or if it would
 * wait too long. `together` is the maximum number of requests that the thread answers at once. `batched` sends the requests of one turn as an
 * array. `onSend` is called before that, and may add requests. When the thread ends, all requests in progress fail and `onDeath` is called.
 */
export async function startThread(
  file: URL,
  data: object,
  { pendingMax, together, batched, youngMb, onDeath, onSend = () => {}, onNotice = () => {} }: ThreadOptions,
): Promise<Thread> {
  const name = basename(file.pathname)
  const worker = new Worker(file, {
    workerData: data,
    name,
    resourceLimits: { maxYoungGenerationSizeMb: youngMb, maxOldGenerationSizeMb: OLD_GENERATION_MB },
  })
  const waiting = new Map<
    number,
    { since: number; resolve: (value: unknown) => void; reject: (error: Error) => void }
  >()
  let nextId = 1
  let outbox: unknown[] = []
  let dead: Error | undefined
  let closing = false

  const die = (error: Error): void => {
    dead ??= error
    for (const { reject } of waiting.values()) reject(dead)
    waiting.clear()
    if (!closing) onDeath(dead)
  }
  const started = new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
  })
  worker.on('error', die)
  const exited = new Promise<void>(resolve => {
    worker.once('exit', code => {
      die(new Error(`The thread ${name} ended with code ${code}.`))
      resolve()
    })
  })
  await started

  let busySince = 0
  let turn = 0
  worker.on('message', (message: Reply[] | IndexNotice) => {
    if (!Array.isArray(message)) return onNotice(message)
    const now = performance.now()
    turn += (now - busySince - turn) * NEWEST
    busySince = now
    for (const reply of message) {
      const asked = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('result' in reply) asked?.resolve(reply.result)
      else asked?.reject(errorOfReply(reply))
    }
  })
  const flush = (): void => {
    onSend()
    worker.postMessage(outbox)
    outbox = []
  }
  const waited = (): number => {
    const [oldest] = waiting.values()
    return oldest === undefined ? 0 : performance.now() - oldest.since
  }
  const always = Math.max(ALWAYS, GROUPS_ALWAYS * together)
  const isTooLong = (): boolean => waiting.size >= always && (waiting.size / together) * turn > WAIT_MAX
  const full = (): boolean => waiting.size >= pendingMax || isTooLong()
  return {
    ask: message =>
      new Promise((resolve, reject) => {
        if (dead !== undefined) return reject(dead)
        if (full()) return reject(new Problem('OVERLOADED', { retryAfter: 1 }))
        if (waiting.size === 0) busySince = performance.now()
        const id = nextId++
        waiting.set(id, { since: performance.now(), resolve, reject })
        if (!batched) return worker.postMessage(message(id))
        if (outbox.length === 0) setImmediate(flush)
        outbox.push(message(id))
      }),
    pending: () => waiting.size,
    full,
    waited,
    async close() {
      closing = true
      if (outbox.length > 0) flush()
      if (dead === undefined) worker.postMessage('close')
      await exited
    },
  }
}
