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
 * operator. `unlock` releases the lock of the data directory, if the caller has it.
 */
export async function openEngine(
  config: Config,
  logger: Logger,
  now: () => number,
  unlock?: () => void,
): Promise<Engine> {
  if (config.databaseUrl === undefined)
    return (await import('./engine-embedded.ts')).openEmbedded(config, logger, now, unlock)
  return (await import('./engine-postgres.ts')).openPostgres(config, config.databaseUrl, logger)
}
