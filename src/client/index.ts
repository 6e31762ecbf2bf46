import type { LogVerdict, ProofVerdict, Trust } from '../tlog/verify.js'
import { openConnection } from './connection.ts'
import { type HashCheck, type HistoryCheck, verifyHash, verifyHistory } from './hash.ts'
import { iteratorsOver } from './iterate.ts'
import { type LogTrust, verifyLog, verifyRecord, verifyRevision } from './log.ts'
import { methodsOver } from './methods.ts'
import { clientError } from './problem.ts'
import type { Activity, Change, ChangesStreamQuery, Entry, Revision, StreamQuery } from './resources.ts'
import { type Merge, type ReviseOptions, reviseWithRetry } from './revise.ts'
import type { CallOptions, ClientSettings } from './settings.ts'
import type { Iterators, Methods } from './table.ts'
import { watch } from './watch.ts'

export type { CheckpointVerdict, LogVerdict, ProofVerdict, ReadFile, Trust, Witnessed } from '../tlog/verify.js'
export { verifyCheckpoint, verifyLogFiles, verifyProof } from '../tlog/verify.js'
export type { Clock } from './clock.ts'
export { canonicalJson, evidenceHashOf, type HashCheck, type HistoryCheck } from './hash.ts'
export type { LogTrust } from './log.ts'
export {
  ArgumentError,
  AuthenticationError,
  ClientError,
  type ClientErrorCode,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  isClientError,
  NotFoundError,
  RateLimitError,
  RefusalError,
  UnavailableError,
} from './problem.ts'
export type * from './resources.ts'
export type { LimitStanding, ResponseMetadata, RetryNotice } from './response.ts'
export type { Edit, Merge, ReviseOptions } from './revise.ts'
export type { CallOptions, ClientSettings } from './settings.ts'
export type { EvidenceItem, Iterators, Methods, ProblemCode } from './table.ts'

/** The service as an object: a method per public operation, and what is made from them. */
export type Client = Methods & {
  /** The lists again, row by row over all pages: `for await (const entry of client.all.searchEntries({ q }))`. */
  all: Iterators
  /** The actor token that the client holds. Keep it private; it is shown nowhere again. */
  token(): string | undefined
  /**
   * Follows the public feed, oldest first: `for await (const activity of client.watchActivity({ after: sequence }))`, from now on without
   * `after`. Comes back by itself after every loss, without loss or repetition; ends by `break` or the signal.
   */
  watchActivity(query?: StreamQuery, options?: CallOptions): AsyncGenerator<Activity, void, undefined>
  /**
   * The same of what is written, withdrawn or restored, of some entries, actors or actions: `client.watchChanges({ entry: ids.join() })`.
   */
  watchChanges(query?: ChangesStreamQuery, options?: CallOptions): AsyncGenerator<Change, void, undefined>
  /** Reads the latest, edits, sends; on STALE_REVISION again. */
  reviseWithRetry(slug: string, edit: Merge, options?: ReviseOptions): Promise<Entry>
  /** Recomputes the evidenceHash of a revision, or of the current one of an entry. */
  verifyHash(subject: Entry | Revision, options?: CallOptions): Promise<HashCheck>
  /** Recomputes every evidenceHash of an entry and holds that they are one chain. */
  verifyHistory(slug: string, options?: CallOptions): Promise<HistoryCheck>
  /**
   * Verifies that a record is in the public log, by its number, or a revision as you hold it; `statement` is what the log has of it.
   * Nothing is trusted but `keys` and `policy`.
   */
  verifyRecord(record: string | number | Revision, trust: Trust, options?: CallOptions): Promise<ProofVerdict>
  /** Reads the whole public log, recomputes its root, and compares that with what was signed, now and in `older` checkpoints. */
  verifyLog(trust: LogTrust, options?: CallOptions): Promise<LogVerdict>
}

/**
 * A client of one service. It opens nothing and needs no closing. Writes carry the token, and listWork does; other reads only with `tokenOnReads`;
 * createActor and rotateToken make the new token the client's. Throws INVALID_ARGUMENT on a wrong address or token.
 */
export function createClient(settings: ClientSettings): Client {
  let token = settings.token
  if (token !== undefined && !/^[\x21-\x7e]{1,200}$/.test(token)) {
    throw clientError('INVALID_ARGUMENT', 'token is an actor token as it was issued, without spaces around it.')
  }
  const connection = openConnection(settings)
  const methods = methodsOver(connection, row => {
    const read = row.method === 'GET' && row.charged
    return row.token || (read && settings.tokenOnReads === true) ? token : undefined
  })
  const all = iteratorsOver(methods)
  const tokenOnReads = () => (settings.tokenOnReads === true ? token : undefined)
  return {
    ...methods,
    all,
    token: () => token,
    async createActor(input, options) {
      const issued = await methods.createActor(input, options)
      token = issued.token
      return issued
    },
    watchActivity: (query, options) => watch(connection, '/api/activity/stream', tokenOnReads, query, options),
    watchChanges: (query, options) => watch(connection, '/api/activity/changes/stream', tokenOnReads, query, options),
    async rotateToken(input, options) {
      const issued = await methods.rotateToken(input, options)
      token = issued.token
      return issued
    },
    reviseWithRetry: (slug, edit, options) => reviseWithRetry(methods, slug, edit, options),
    verifyHash: (subject, options) => verifyHash(methods, subject, options),
    verifyHistory: (slug, options) => verifyHistory(all, slug, options),
    verifyRecord: (record, trust, options) =>
      typeof record === 'object'
        ? verifyRevision(connection, methods, record, trust, options)
        : verifyRecord(connection, record, trust, options),
    verifyLog: (trust, options) => verifyLog(connection, trust, options),
  }
}
