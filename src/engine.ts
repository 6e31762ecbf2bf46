import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Limiter } from './operations/limiter.ts'
import type { Store } from './operations/store.ts'
import type { Secrets } from './secrets.ts'

/** Where everything is kept, as the configuration says. */
export type Engine = {
  store: Store
  limiter: Limiter
  /** Throws Problem NOT_READY while they are not known. */
  secrets(): Secrets
  /** Where the data is, for people. */
  place: string
  /** The file of this machine that holds the admin token, if there is one. */
  adminTokenFile(): string | undefined
}

/** Opens the store that the configuration names; the other one and its driver are not loaded. Throws OperatorError where the operator can mend it. */
export async function openEngine(config: Config, logger: Logger, now: () => number): Promise<Engine> {
  if (config.databaseUrl === undefined) return (await import('./engine-embedded.ts')).openEmbedded(config, logger, now)
  return (await import('./engine-postgres.ts')).openPostgres(config, config.databaseUrl, logger)
}
