import type { Logger } from 'pino'
import type { IndexNotice } from './threads/protocol.ts'

const HELD = {
  full: 'the search index cannot be written and searches are refused: the disk is full; free some space',
  locked: 'the search index cannot be written and searches are refused: another process has it locked; end that one',
}

/** What the log says of a start that found no store. */
export const NEW_STORE_MADE = 'a new, empty store was made'

/** Logs from which record on the index follows the store, what keeps the search index from being written, and when it can be written again; the index thread tries again by itself. */
export const reportIndex =
  (logger: Logger, file: string) =>
  (notice: IndexNotice): void => {
    if ('from' in notice) logger.info({ file, ...notice }, 'the search index follows the store from this record')
    else if (notice.held === undefined) logger.info({ file }, 'the search index is written again')
    else logger.error({ file }, HELD[notice.held])
  }
