import { StoreFault, waitUnlessAborted } from '../../engine/database.ts'
import { connectPostgres, type PostgresConnection, type Query, type Result } from '../../engine/postgres.ts'

const BEAT_INTERVAL_MS = 250
/** Milliseconds without a beat after which the server counts as late, and as silent. */
const LATE_AFTER_MS = 1_500
const SILENT_AFTER_MS = 2_500
/** Time without a beat is counted in steps of this many milliseconds. A step that a busy event loop delays counts once. */
const STEP_MS = 100
const BEAT: Query = { text: 'SELECT 1', values: [] }

type HeartbeatOptions = {
  /** The statement that asks for a beat. */
  beat?: Query
  /** Called with the answer to each beat, and the milliseconds that it took. */
  onBeat?(result: Result, milliseconds: number): void
  /** Called each time the server becomes late. */
  onLate?(fault: StoreFault): void
}

/** The fault of every request to a server that is silent. */
export const silence = (): StoreFault => new StoreFault('unavailable', new Error('the server does not answer'))

/**
 * Detects whether the server at a URL answers, over a separate session. A connection whose peer has vanished fails only after many seconds.
 * The heartbeat ends the requests that wait for it.
 */
export class Heartbeat {
  readonly #url: string
  readonly #options: HeartbeatOptions
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #running: Promise<void>
  #connection: PostgresConnection | undefined
  /** Milliseconds since the last beat during which this process was running. */
  #waited = 0

  /** Begins at once. */
  constructor(url: string, options: HeartbeatOptions = {}) {
    this.#url = url
    this.#options = options
    this.#timer = setInterval(() => this.#step(), STEP_MS).unref()
    this.#running = this.#run()
  }

  /** True when the last beat is more than 1.5 s ago. */
  late(): boolean {
    return this.#waited >= LATE_AFTER_MS
  }

  /** True when the last beat is more than 2.5 s ago: nothing is sent, and statements under way are abandoned. */
  silent(): boolean {
    return this.#waited >= SILENT_AFTER_MS
  }

  /** Calls `listener` each time the server becomes silent. Returns the function that removes the listener. */
  onSilent(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Runs `work`. Rejects with StoreFault('unavailable') when the server is silent, or becomes so before the work has ended. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.silent()) throw silence()
    const lost = Promise.withResolvers<never>()
    const end = this.onSilent(() => lost.reject(silence()))
    try {
      return await Promise.race([work(), lost.promise])
    } finally {
      end()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#timer)
    this.#connection?.drop()
    await this.#running
  }

  #step(): void {
    this.#waited += STEP_MS
    if (this.#waited === LATE_AFTER_MS) this.#options.onLate?.(silence())
    if (this.#waited !== SILENT_AFTER_MS) return
    this.#connection?.drop()
    for (const listener of this.#listeners) listener()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#beat().catch(() => {
        this.#connection?.drop()
        this.#connection = undefined
      })
      await waitUnlessAborted(BEAT_INTERVAL_MS, signal)
    }
  }

  async #beat(): Promise<void> {
    const limits = { statementTimeout: SILENT_AFTER_MS, idleTimeout: SILENT_AFTER_MS, connectTimeout: SILENT_AFTER_MS }
    this.#connection ??= await connectPostgres({ url: this.#url, name: 'heartbeat', ...limits })
    this.#closing.signal.throwIfAborted()
    const began = performance.now()
    const [result] = await this.#connection.send([this.#options.beat ?? BEAT])
    this.#waited = 0
    this.#options.onBeat?.(result as Result, performance.now() - began)
  }
}
