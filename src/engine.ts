import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Limiter, Store } from './memory/store.ts'
import type { Secrets } from './secrets.ts'

/** The store of the configuration, with its secrets and limiter. */
export type Engine = {
  store: Store
  limiter: Limiter
  /** Throws Problem NOT_READY until they are known. */
  secrets(): Secrets
  /** The place of the data, for people. */
  place: string
  /** The file of this machine with the admin token, if there is one. */
  adminTokenFile(): string | undefined
  /** Stores the admissions of the limiter, completes the writes in progress, and closes everything. */
  close(): Promise<void>
}

/**
 * Opens the store that the configuration names. The other engine and its driver are not loaded. Throws OperatorError for mistakes of the
 * operator. `lockTimeout` is the longest wait for the lock of an embedded store, in milliseconds.
 */
export async function openEngine(
  config: Config,
  logger: Logger,
  now: () => number,
  lockTimeout?: number,
): Promise<Engine> {
  if (config.databaseUrl === undefined)
    return (await import('./engine-embedded.ts')).openEmbedded(config, logger, now, lockTimeout)
  return (await import('./engine-postgres.ts')).openPostgres(config, config.databaseUrl, logger)
}
