import type { LogState } from './answers.ts'

/** The next step for the log of a store. */
export type LogContinuity =
  /** The log continues. */
  | 'same'
  /** The log continues once the epoch of the store is settled. */
  | 'settle'
  /** The log ends and another one begins, with the reason. `agreed` names how to find the size up to which both agree. */
  | { begin: string; agreed: 'stored' | 'compared' }

export const KEY_CHANGED = 'its key is another one'

/**
 * Decides whether a log continues. A log is not signed again under its origin if any of its records may be lost or changed, if its key
 * changed, or if the last signed checkpoint is unknown. `keys` are the keys of this node for the origin of the epoch.
 */
export function judgeLog(state: LogState, keys: string): LogContinuity {
  const { logEpoch, storeId, kept, published, alone, record, log, storeEpoch, settled } = state
  if (logEpoch === undefined) return { begin: 'it has not begun', agreed: 'stored' }
  if (storeId !== logEpoch.storeId) return ended('the store was restored')
  if (keys !== logEpoch.keys) return ended(KEY_CHANGED)
  if (kept?.agrees === false || published?.agrees === false)
    return { begin: 'the store has other records than were signed', agreed: 'compared' }
  // Nothing is appended until the epoch of the store is settled. Until then, records that the log lacks are lost, not late.
  const reached = storeEpoch === settled ? record : log.size
  if (reached < Math.max(kept?.size ?? 0, published?.size ?? 0)) return ended('the store lost records that were signed')
  if (alone && published !== undefined && (kept?.size ?? 0) < published.size)
    return ended(
      'the file log-head is missing, damaged or older than the store, so the last signed checkpoint is unknown',
    )
  return storeEpoch === settled ? 'same' : 'settle'

  function ended(begin: string): LogContinuity {
    return { begin, agreed: record < log.size ? 'compared' : 'stored' }
  }
}

const SUFFIX_CHARACTERS = 6

/** The origin of a log that begins now: the id of the store, with a random suffix if that origin was used before. */
export function originOf(host: string, { storeId, origins }: LogState, randomHex: string): string {
  const name = `${host}/log/${storeId.slice(0, 8)}`
  return origins.includes(name) ? `${name}-${randomHex.slice(0, SUFFIX_CHARACTERS)}` : name
}
