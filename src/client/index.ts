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

/** A client with one method per public operation, and helpers that combine these methods. */
export type Client = Methods & {
  /** Iterates the rows of a list over all pages: `for await (const entry of client.all.searchEntries({ q }))`. */
  all: Iterators
  /** Returns the actor token of the client; undefined if it has none. The service shows a token only once: store it as a secret. */
  token(): string | undefined
  /**
   * Iterates the rows of the public feed as the service adds them, oldest first:
   * `for await (const activity of client.watchActivity({ after: sequence }))`. Without `after`, begins with the next row. Reconnects after
   * a lost connection without missing or repeating a row. Stop it with `break` or the signal.
   */
  watchActivity(query?: StreamQuery, options?: CallOptions): AsyncGenerator<Activity, void, undefined>
  /**
   * Iterates writes, withdrawals and restorations as they happen. The query can select entries, actors or actions, for example
   * `{ entry: ids.join() }`.
   */
  watchChanges(query?: ChangesStreamQuery, options?: CallOptions): AsyncGenerator<Change, void, undefined>
  /** Reads the latest revision, calls `edit`, and sends the result. Repeats this on STALE_REVISION. */
  reviseWithRetry(slug: string, edit: Merge, options?: ReviseOptions): Promise<Entry>
  /** Recomputes the evidenceHash of a revision, or of the current revision of an entry. */
  verifyHash(subject: Entry | Revision, options?: CallOptions): Promise<HashCheck>
  /** Recomputes every evidenceHash of an entry and checks that they form one chain. */
  verifyHistory(slug: string, options?: CallOptions): Promise<HistoryCheck>
  /**
   * Verifies that a record is in the public log. `record` is a record number or a revision. `statement` of the result is the content of the
   * record in the log. Trusts only `keys` and `policy` of `trust`.
   */
  verifyRecord(record: string | number | Revision, trust: Trust, options?: CallOptions): Promise<ProofVerdict>
  /** Reads the whole public log, recomputes its root, and compares it with the signed root and with `older` checkpoints. */
  verifyLog(trust: LogTrust, options?: CallOptions): Promise<LogVerdict>
}

/**
 * Creates a client of one service. The client needs no closing. Writes and `listWork` send the token; other reads send it only with
 * `tokenOnReads`. After `createActor` and `rotateToken` the client uses the new token. Throws INVALID_ARGUMENT if `baseUrl`, `readUrl` or
 * `token` is malformed.
 */
export function createClient(settings: ClientSettings): Client {
  let token = settings.token
  if (token !== undefined && !/^[\x21-\x7e]{1,200}$/.test(token)) {
    throw clientError('INVALID_ARGUMENT', 'token is an actor token as it was issued, without spaces around it.')
  }
  const connection = openConnection(settings)
  const tokenFor = (row: { method: string; charged: boolean; token: boolean }): string | undefined => {
    const read = row.method === 'GET' && row.charged
    return row.token || (read && settings.tokenOnReads === true) ? token : undefined
  }
  const methods = methodsOver(connection, tokenFor)
  // A mirror may not have the latest revision yet.
  const atBase = methodsOver({ send: connection.sendToBase }, tokenFor)
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
    reviseWithRetry: (slug, edit, options) => reviseWithRetry(atBase, slug, edit, options),
    verifyHash: (subject, options) => verifyHash(methods, subject, options),
    verifyHistory: (slug, options) => verifyHistory(all, slug, options),
    verifyRecord: (record, trust, options) =>
      typeof record === 'object'
        ? verifyRevision(connection, methods, record, trust, options)
        : verifyRecord(connection, record, trust, options),
    verifyLog: (trust, options) => verifyLog(connection, trust, options),
  }
}
