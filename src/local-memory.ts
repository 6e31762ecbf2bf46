import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { connectLocally, LocalTransport, listenLocally, socketPath } from './local-socket.ts'
import type { OperatorError } from './operator-error.ts'

/** The longest time in milliseconds in which one of several processes must have opened the directory. */
const PATIENCE_MS = 30_000
/** The shortest pause before another attempt, in milliseconds. A random time of the same length is added. */
const PAUSE_MS = 20

/** The memory in a data directory, which all processes of a user that name the directory share. */
export type LocalMemory = {
  /** Sends a request to the process that has opened the directory. A request that got no answer is repeated. */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** Whether this process has opened the store. */
  isOwner(): boolean
  [Symbol.asyncDispose](): Promise<void>
}

type LocalMemoryOptions = {
  /** The log, which is loaded when it is first needed. */
  log(): Promise<Logger>
  env: NodeJS.ProcessEnv
  /** Called if this process has opened the directory and its store breaks. */
  onBroken(fault: Error): void
}

type Owned = { close(): Promise<void> }

/** Settings of a service that have no meaning here. The admin token is that of the directory, which every member can read. */
const UNUSED = {
  DATABASE_URL: undefined,
  DATABASE_READ_URL: undefined,
  ADMIN_TOKEN: undefined,
  ADMIN_TOKEN_FILE: undefined,
  // Agents set these for themselves.
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_HEADERS: undefined,
  OTEL_EXPORTER_OTLP_HEADERS_FILE: undefined,
}

/**
 * Joins the memory of a directory. The first process opens the store and listens on a local socket; later ones send their requests there.
 * When the first process ends, in any way, one of the others opens the store. Throws OperatorError for mistakes of the operator.
 */
export async function joinLocalMemory(directory: string, options: LocalMemoryOptions): Promise<LocalMemory> {
  const member = new Member(directory, options)
  await member.join()
  return member
}

/** A member loads the service so many milliseconds after it has joined, so that it can open the store at once when the owner ends. */
const STAND_BY_MS = 1_000

/** Loads the modules that a process needs to open the store. */
const loadService = () =>
  Promise.all([
    import('./app.ts'),
    import('./config.ts'),
    import('./mcp/endpoint.ts'),
    import('./engine-embedded.ts'),
    import('@modelcontextprotocol/server'),
    import('./mcp/server.ts'),
  ])

/** This process as one of those that share a directory: it owns the store, or watches the process that does. */
class Member implements LocalMemory {
  readonly #directory: string
  readonly #options: LocalMemoryOptions
  #transport: LocalTransport | undefined
  #owned: Owned | undefined
  /** The absolute path of the directory, once it was prepared. */
  #prepared: string | undefined
  #joining: Promise<void> | undefined
  #endWatch = (): void => {}
  #standBy: Promise<void> | undefined
  #isClosed = false

  constructor(directory: string, options: LocalMemoryOptions) {
    this.#directory = directory
    this.#options = options
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    for (const until = performance.now() + PATIENCE_MS; ; ) {
      try {
        if (this.#transport === undefined) throw new Error('The memory is closed.')
        return await this.#transport.fetch(url, init)
      } catch (error) {
        // Each write has an Idempotency-Key, so a write that was stored is not stored again.
        if (this.#isClosed || init.signal?.aborted || performance.now() > until) throw error
        await this.join()
      }
    }
  }

  /** Resolves when a process serves the directory: another one, or this one. */
  join(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined
    })
    return this.#joining
  }

  async #join(): Promise<void> {
    for (const until = performance.now() + PATIENCE_MS; !this.#isClosed; ) {
      if (await this.#watch()) return
      const fault = await this.#own()
      if (fault === undefined) continue
      if (performance.now() > until) throw fault
      await setTimeout(PAUSE_MS * (1 + Math.random()))
    }
  }

  /** Watches the process that serves the directory. Returns false if there is none. */
  async #watch(): Promise<boolean> {
    const path = socketPath(this.#directory)
    const socket = await connectLocally(path)
    if (socket === undefined) return false
    this.#transport ??= new LocalTransport(path)
    this.#endWatch()
    const rejoin = (): void => {
      // A request that needs the memory reports the fault.
      if (this.#isClosed) return
      this.join().catch(async error => (await this.#options.log()).error({ err: error }, 'the memory is lost'))
    }
    this.#endWatch = () => socket.off('close', rejoin).destroy()
    // The owner needs no watch.
    if (this.#owned === undefined) {
      socket.once('close', rejoin).resume().unref()
      this.#standBy ??= this.#loadAhead()
    } else socket.destroy()
    return true
  }

  async #loadAhead(): Promise<void> {
    await setTimeout(STAND_BY_MS, undefined, { ref: false })
    if (this.#isClosed) return
    // A module that cannot be loaded is reported when the store is opened.
    await loadService().catch(() => {})
  }

  /** Opens the store and listens on the socket. Returns the fault if another process has opened it. Loads the service only with the lock. */
  async #own(): Promise<OperatorError | undefined> {
    const { DirectoryInUse, lockDataDirectory, prepareDataDirectory } = await import('./stores/embedded/directory.ts')
    this.#prepared ??= prepareDataDirectory(this.#directory)
    let lock: Disposable | undefined
    try {
      lock = lockDataDirectory(this.#prepared, 0)
      await this.#open(lock)
      return undefined
    } catch (error) {
      await this.#owned?.close()
      lock?.[Symbol.dispose]()
      if (error instanceof DirectoryInUse) return error
      throw error
    }
  }

  async #open(lock: Disposable): Promise<void> {
    const [{ openService }, { readConfig }, { loadMcp }] = await loadService()
    const { env, onBroken } = this.#options
    const logger = await this.#options.log()
    const config = readConfig({ ...env, ...UNUSED }, { 'data-dir': this.#directory })
    const service = await openService(config, { logger, onBroken, privateMemory: true, lock })
    this.#owned = service
    await listenLocally(service.server, this.#directory)
    // Other windows ask for the tools when they start.
    loadMcp().catch(error => logger.error({ err: error }, 'the protocol cannot be loaded'))
  }

  isOwner(): boolean {
    return this.#owned !== undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#joining?.catch(() => {})
    this.#endWatch()
    this.#transport?.close()
    await this.#owned?.close()
  }
}
