import type { LogVerdict, ProofVerdict, Trust } from '../tlog/verify/verify.js'
import { openConnection } from './connection.ts'
import type { HashCheck, HistoryCheck } from './hash.ts'
import { methodsOver } from './methods.ts'
import { clientError } from './problem.ts'
import type { LogTrust } from './proofs.ts'
import type { Activity, Change, ChangesStreamQuery, Entry, Revision, StreamQuery } from './resources.ts'
import type { Merge, ReviseOptions } from './revise.ts'
import type { CallOptions, ClientSettings } from './settings.ts'
import { type Iterators, LISTS, type Methods } from './table.ts'

export type { LogVerdict, ProofVerdict, Trust } from '../tlog/verify/verify.js'
export type { HashCheck, HistoryCheck } from './hash.ts'
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
export type { LogTrust } from './proofs.ts'
export type { ProblemCode } from './remedies.ts'
export type * from './resources.ts'
export type { Edit, Merge, ReviseOptions } from './revise.ts'
export type {
  CallOptions,
  ClientSettings,
  Clock,
  LimitStanding,
  ResponseMetadata,
  RetryNotice,
} from './settings.ts'
export type { EvidenceItem, Iterators, Methods } from './table.ts'

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
  const all = listsOver(methods)
  const tokenOnReads = () => (settings.tokenOnReads === true ? token : undefined)
  /** Follows a stream. Loads the module for streams with the first row. */
  async function* follow<Row>(path: string, ...given: [query?: Record<string, string>, options?: CallOptions]) {
    const { watch } = await import('./watch.ts')
    yield* watch<Row>(connection, path, tokenOnReads, ...given)
  }
  return {
    ...methods,
    all,
    token: () => token,
    async createActor(input, options) {
      const issued = await methods.createActor(input, options)
      token = issued.token
      return issued
    },
    watchActivity: (query, options) => follow('/api/activity/stream', query, options),
    watchChanges: (query, options) => follow('/api/activity/changes/stream', query, options),
    async rotateToken(input, options) {
      const issued = await methods.rotateToken(input, options)
      token = issued.token
      return issued
    },
    reviseWithRetry: async (slug, edit, options) =>
      (await import('./revise.ts')).reviseWithRetry(atBase, slug, edit, options),
    verifyHash: async (subject, options) => (await import('./hash.ts')).verifyHash(methods, subject, options),
    verifyHistory: async (slug, options) => (await import('./hash.ts')).verifyHistory(methods, all, slug, options),
    async verifyRecord(record, trust, options) {
      const { verifyRecord, verifyRevision } = await import('./proofs.ts')
      if (typeof record === 'object') return verifyRevision(connection, methods, record, trust, options)
      return verifyRecord(connection, record, trust, options)
    },
    verifyLog: async (trust, options) => (await import('./proofs.ts')).verifyLog(connection, trust, options),
  }
}

/** The lists of `methods`, row by row. Loads the module for iteration with the first row. */
function listsOver(methods: Methods): Iterators {
  const lists = LISTS.map(name => {
    const iterate = async function* (...given: never[]) {
      const { iteratorsOver } = await import('./iterate.ts')
      const list = iteratorsOver(methods)[name] as (...given: never[]) => AsyncGenerator<unknown, void, undefined>
      yield* list(...given)
    }
    return [name, iterate]
  })
  return Object.fromEntries(lists) as Iterators
}
