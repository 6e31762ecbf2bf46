import type { LogLook } from './answers.ts'

/** What is to be done about the log before it goes on. */
export type LogVerdict =
  /** It goes on. */
  | 'same'
  /** It goes on once its history is settled. */
  | 'settle'
  /** It ends here: `agreed` says how the size is found up to which the next one agrees with it. */
  | { begin: string; agreed: 'stored' | 'compared' }

/**
 * Whether a log goes on. It is never signed again under its origin where a record that it has may be lost or another one, or where its key is. `keys`
 * are those of the epoch's origin that this node signs with.
 */
export function judgeLog(look: LogLook, keys: string): LogVerdict {
  const { epoch, storeId, kept, published, record, log, history, settled } = look
  if (epoch === undefined) return { begin: 'it has not begun', agreed: 'stored' }
  const ended = reasonToEnd()
  if (ended !== undefined) return { begin: ended, agreed: record < log.size ? 'compared' : 'stored' }
  return history === settled ? 'same' : 'settle'

  function reasonToEnd(): string | undefined {
    if (storeId !== epoch?.storeId) return 'the store was restored'
    if (keys !== epoch.keys) return 'its key is another one'
    if (kept?.agrees === false) return 'the store has other records than were signed'
    // Until the history is settled nothing was appended: what the log lacks is lost, not only late.
    const reached = history === settled ? record : log.size
    const signed = Math.max(kept?.size ?? 0, published?.size ?? 0)
    return reached < signed ? 'the store lost records that were signed' : undefined
  }
}

const SUFFIX_CHARACTERS = 6

/** The origin of a log that begins now: by the store, and by chance where there was one of that name. */
export function originOf(host: string, { storeId, origins }: LogLook, chance: string): string {
  const name = `${host}/log/${storeId.slice(0, 8)}`
  return origins.includes(name) ? `${name}-${chance.slice(0, SUFFIX_CHARACTERS)}` : name
}
