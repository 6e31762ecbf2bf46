import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { IndexNotice } from './engine/thread.ts'
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
 * operator. `lock` is the lock of the data directory, if the caller has it.
 */
export async function openEngine(
  config: Config,
  logger: Logger,
  now: () => number,
  lock?: Disposable,
): Promise<Engine> {
  if (config.databaseUrl === undefined)
    return (await import('./engine-embedded.ts')).openEmbedded(config, logger, now, lock)
  return (await import('./engine-postgres.ts')).openPostgres(config, config.databaseUrl, logger)
}

/** Logs a start that found no store. */
export const NEW_STORE_MADE = 'a new, empty store was made'

const HELD = {
  full: 'the search index cannot be written and searches are refused: the disk is full; free some space',
  locked: 'the search index cannot be written and searches are refused: another process has it locked; end that one',
}

const DAMAGED = 'the search index is damaged and is rebuilt; searches are refused until it has every entry again'

/**
 * Logs the record from which the index follows the store, the reason why the index cannot be written, its damage, and when it is whole or can
 * be written again. The follower itself retries and rebuilds.
 */
export const reportIndex =
  (logger: Logger, file: string) =>
  (notice: IndexNotice): void => {
    if ('damage' in notice) logger.error({ file, damage: notice.damage }, DAMAGED)
    else if ('from' in notice) logger.info({ file, ...notice }, 'the search index follows the store from this record')
    else if (notice.held === undefined) logger.info({ file }, 'the search index is written again')
    else logger.error({ file }, HELD[notice.held])
  }
