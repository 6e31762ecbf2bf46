import { StoreFault } from '../engine/database.ts'
import type { Command } from './commands.ts'
import type { Readiness } from './operation.ts'

/** A store is not ready while its disk has less space than this, in bytes. It is ready again when the disk has twice as much. */
const SPACE_MIN = 1_048_576
/** Small writes may succeed where others have no space. A store is ready again when none has failed for this long, in milliseconds. */
const CALM_MS = 2_000
/** A store is not ready if its oldest write waits longer than this, in milliseconds. */
const WAIT_MAX = 5_000
const PROBE: Command = {
  name: 'proveWritable',
  input: null,
  environment: { at: 0, cooldown: 0, dataClass: 'INTERNAL' },
}

type StoreHealthOptions = {
  /** Runs a command on the engine. Resolves with the result when it is durable. */
  perform(command: Command): Promise<unknown>
  /** The age of the oldest waiting write, in milliseconds. */
  waited(): number
  /** The free bytes of the disk of the store; by default unknown. */
  space?(): number
  /** The interval in milliseconds at which listeners for commits are called without a write of this process; by default never. */
  pollInterval?: number
}

/** The state of a store, derived from the outcomes of its writes, and the listeners for commits and for a breakdown. */
export class StoreHealth {
  /** Whether the engine is reachable; undefined until known. */
  reachable: boolean | undefined
  readonly #options: StoreHealthOptions
  readonly #onBroken: ((fault: Error) => void)[] = []
  readonly #onCommit = new Set<() => void>()
  #poll: NodeJS.Timeout | undefined
  /** The last time at which the disk was full, by a monotonic clock; undefined while it has space. */
  #fullAt: number | undefined
  #broken: Error | undefined
  #closing = false

  constructor(options: StoreHealthOptions) {
    this.#options = options
  }

  /** Runs a command, and derives the state from its outcome. */
  async write(command: Command): Promise<unknown> {
    try {
      const result = await this.#options.perform(command)
      for (const listener of this.#onCommit) listener()
      return result
    } catch (error) {
      if (error instanceof StoreFault && error.kind === 'full') this.#fullAt = performance.now()
      if (error instanceof StoreFault && error.kind === 'broken') this.breakDown(error)
      throw error
    }
  }

  /** While the disk is full, tries a small write once there is space. Requests are refused, so nothing else detects free space. */
  async probe(): Promise<void> {
    if (this.#fullAt === undefined || this.#space() < 2 * SPACE_MIN) return
    const isWritable = await this.write(PROBE).then(
      () => true,
      () => false,
    )
    if (isWritable && performance.now() - this.#fullAt >= CALM_MS) this.#fullAt = undefined
  }

  #space(): number {
    return this.#options.space?.() ?? Number.POSITIVE_INFINITY
  }

  /** Marks the store as broken. It stores nothing after that. */
  breakDown(fault: Error): void {
    if (this.#broken !== undefined || this.#closing) return
    this.#broken = fault
    for (const listener of this.#onBroken) listener(fault)
  }

  /** Calls back once if the store breaks; immediately if it is broken. */
  onBroken(listener: (fault: Error) => void): void {
    if (this.#broken !== undefined) listener(this.#broken)
    else this.#onBroken.push(listener)
  }

  /** Calls `listener` when there may be new commits. Returns the function that removes the listener. */
  onCommit(listener: () => void): () => void {
    const { pollInterval } = this.#options
    this.#onCommit.add(listener)
    if (pollInterval !== undefined) this.#poll ??= setInterval(() => this.#notify(), pollInterval).unref()
    return () => {
      this.#onCommit.delete(listener)
      if (this.#onCommit.size > 0) return
      clearInterval(this.#poll)
      this.#poll = undefined
    }
  }

  /** Marks the store as closing. Threads and sessions that end after that are not faults. */
  close(): void {
    this.#closing = true
  }

  readiness(): Readiness {
    const status = this.#obstacle()
    return { ready: status === undefined, status: status ?? 'ok' }
  }

  #obstacle(): string | undefined {
    if (this.#broken !== undefined) return 'the store is broken'
    if (this.#closing) return 'stopping'
    if (!this.reachable) return 'waiting for the database'
    if (this.#space() < SPACE_MIN) this.#fullAt = performance.now()
    if (this.#fullAt !== undefined) return 'the disk is full'
    if (this.#options.waited() > WAIT_MAX) return 'writes are waiting'
    return undefined
  }

  #notify(): void {
    for (const listener of this.#onCommit) listener()
  }
}
