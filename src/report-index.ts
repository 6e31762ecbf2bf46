import type { Logger } from 'pino'
import type { IndexNotice } from './engine/thread.ts'

const HELD = {
  full: 'the search index cannot be written and searches are refused: the disk is full; free some space',
  locked: 'the search index cannot be written and searches are refused: another process has it locked; end that one',
}

const DAMAGED = 'the search index is damaged and is rebuilt; searches are refused until it has every entry again'

/** Logs a start that found no store. */
export const NEW_STORE_MADE = 'a new, empty store was made'

/**
 * Logs the record from which the index follows the store, the reason why the index cannot be written, its damage, and when it is whole or can
 * be written again. The index thread itself retries and rebuilds.
 */
export const reportIndex =
  (logger: Logger, file: string) =>
  (notice: IndexNotice): void => {
    if ('damage' in notice) logger.error({ file, damage: notice.damage }, DAMAGED)
    else if ('from' in notice) logger.info({ file, ...notice }, 'the search index follows the store from this record')
    else if (notice.held === undefined) logger.info({ file }, 'the search index is written again')
    else logger.error({ file }, HELD[notice.held])
  }
