import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { Problem } from '../contract/problem.ts'
import { errorOfReply, type IndexNotice, type Reply } from './protocol.ts'

/** Requests to a thread that are under way; each resolves with its reply. */
export type Thread = {
  /** Sends a request together with all others of this turn of the event loop. */
  ask(message: (id: number) => unknown): Promise<unknown>
  pending(): number
  /** Whether a request that came now would be refused. */
  full(): boolean
  /** Milliseconds that the oldest request under way has been waiting; 0 when there is none. */
  waited(): number
  close(): Promise<void>
}

export type ThreadOptions = {
  pendingMax: number
  together: number
  batched: boolean
  /** Megabytes for objects that are new: where they are few, what is needed a little longer is copied more often, and then kept until the whole heap is looked through. */
  youngMb: number
  onDeath: (error: Error) => void
  onSend?: () => void
  /** Told what the thread says without being asked. */
  onNotice?: (notice: IndexNotice) => void
}

/** Whoever would wait longer than this, by how fast answers came lately, is refused at once: who waits longer has often gone. In milliseconds. */
const WAIT_MAX = 2_000
/** So few requests may always be under way: of those answered together, what is answered now and as many that wait for the next time. */
const ALWAYS = 8
const GROUPS_ALWAYS = 2
/**
 * Megabytes for new objects of a thread that does one thing at a time. V8 gives a third of that to each of two halves and fills one of them.
 */
export const YOUNG_MB = 3
/** Far more than a thread needs; the less it may take, the sooner V8 collects what it does not need any more. */
const OLD_GENERATION_MB = 512
/** What the command line says of the heap is for the thread that answers; V8 would have it hold for all that are started later, too. */
setFlagsFromString('--max-semi-space-size=0')
setFlagsFromString('--max-old-space-size=0')
/** How much the newest answers weigh in how fast they come. */
const NEWEST = 0.2

/**
 * Starts a thread and resolves when it is ready. At most `pendingMax` requests may be under way, and none that would wait for too
 * long; further ones are refused as OVERLOADED. `together` is how many the thread answers at once at most.
 * `batched` sends the requests of one turn as an array; `onSend` is told before, and may still add to them. When the thread dies, everything under way fails and `onDeath` is told.
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
