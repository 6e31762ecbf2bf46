import type { IncomingHttpHeaders } from 'node:http'
import { LIMITS, MIN_SEQUENCE } from '../contract/limits.ts'
import {
  issuesToken,
  OPERATIONS,
  type Operation,
  type OperationName,
  takesMinSequence,
} from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Awaitable } from '../engine/database.ts'
import { readSettled } from '../memory/activity/rows.ts'
import type { OriginKeys } from '../memory/actors/rows.ts'
import { findStoredAnswer } from '../memory/idempotency/rows.ts'
import { type IdempotencyKey, idempotencyKeyOf } from '../memory/idempotency/rules.ts'
import type { RemoteCaller } from '../memory/operation.ts'
import type { Store } from '../memory/store.ts'
import type { Secrets } from '../secrets.ts'
import { addressOf } from '../web/page.ts'
import { assertJsonBody, CHECKS } from './check.ts'
import type { Exchange } from './exchange.ts'
import { type AdminCheck, findHolder, NO_ACTOR, type Origins, type TokenHolder } from './identify.ts'
import type { ChargedRequest } from './limits.ts'

/** The checked parts of a request whose body is not read yet. */
export type CheckedParts = {
  /** Identifies a retry; undefined without a key, and for reads. */
  idempotencyKey: IdempotencyKey | undefined
  params: Record<string, string>
  query: Record<string, string | number>
}
/** A request that may run. */
export type Admitted = ChargedRequest & CheckedParts

type Dependencies = {
  /** Only the original of a mirror accepts writes and knows tokens. */
  store: Pick<Store, 'reader' | 'original' | 'onCommit'>
  origins: Origins
  admin: AdminCheck
  secrets: () => Secrets
  now: () => number
}

const NO_ORIGIN: OriginKeys = { id: '', day: '', networkKey: '', voice: '' }

/** Identifies the callers of requests, and checks requests before their bodies are read. */
export class Admission {
  readonly #dependencies: Dependencies
  readonly #minSequence: MinSequence

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.#minSequence = new MinSequence(dependencies.store)
  }

  /** Finds the origin of a request and the actor of its token. The caller of a free operation is not identified. */
  identify(name: OperationName, exchange: Exchange): Awaitable<RemoteCaller> {
    const { store, origins, now } = this.#dependencies
    const operation: Operation = OPERATIONS[name]
    const at = now()
    const origin = operation.cost === 'free' ? NO_ORIGIN : origins.originOf(exchange.request, at)
    const token = this.#tokenOf(operation, exchange)
    const holder = token === undefined ? NO_ACTOR : findHolder(store.reader, token)
    return origin instanceof Promise || holder instanceof Promise
      ? identifiedLater(exchange, at, origin, holder)
      : callerOf(exchange, at, origin, holder)
  }

  /**
   * Checks a request, in the order of the contract: write at a mirror, token 401, path, query and Idempotency-Key 400, type 415. `search` is
   * the part of the query for the operation.
   */
  check(name: OperationName, caller: RemoteCaller, exchange: Exchange, search: string): Awaitable<CheckedParts> {
    const { store, admin } = this.#dependencies
    const operation: Operation = OPERATIONS[name]
    if (operation.access === 'admin') admin.assertAdmin(exchange.headers.authorization)
    else if (store.original !== undefined && (operation.cost === 'write' || operation.atOriginal))
      throw writeAtOriginal(store.original, exchange)
    else if (caller.actor === null) {
      if (this.#tokenOf(operation, exchange) !== undefined) return this.#checkRetry(name, caller, exchange, search)
      if (operation.access === 'actor') throw new Problem('ACTOR_TOKEN_REQUIRED')
    }
    return this.#checkParts(name, caller, exchange, search)
  }

  /** Waits until the store has the sequence that a read requires in Min-Sequence. Rejects with NOT_READY. */
  async reached(name: OperationName, { headers }: Exchange): Promise<void> {
    if (takesMinSequence(OPERATIONS[name])) await this.#minSequence.reached(headers)
  }

  /** The token of a request; undefined without one, and for a request that needs none. A mirror knows no tokens. */
  #tokenOf({ cost, access }: Operation, { headers }: Exchange): string | string[] | undefined {
    const isKnown = cost !== 'free' && access !== 'admin' && this.#dependencies.store.original === undefined
    return isKnown ? headers['x-actor-token'] : undefined
  }

  /** Checks a request with an invalid token. It passes only if its token became invalid by the request that it retries. */
  async #checkRetry(name: OperationName, caller: RemoteCaller, exchange: Exchange, search: string) {
    if (!(await this.#isReplaced(OPERATIONS[name], exchange, caller))) throw new Problem('ACTOR_TOKEN_INVALID')
    return this.#checkParts(name, caller, exchange, search)
  }

  #checkParts(name: OperationName, caller: RemoteCaller, exchange: Exchange, search: string): CheckedParts {
    const params = CHECKS[name].params(exchange.params)
    const query = CHECKS[name].query(search)
    const { headers, method } = exchange
    const idempotencyKey = headers['idempotency-key'] === undefined ? undefined : this.#keyOf(name, headers, caller)
    if (method === 'POST') assertJsonBody(headers)
    return { idempotencyKey, params, query }
  }

  async #isReplaced(operation: Operation, exchange: Exchange, caller: RemoteCaller): Promise<boolean> {
    if (caller.tokenHash === undefined || operation.access !== 'actor' || !issuesToken(operation)) return false
    const key = idempotencyKeyFor(operation, exchange.headers, caller, this.#dependencies.secrets().originKey)
    return typeof key === 'object' && (await findStoredAnswer(this.#dependencies.store.reader, key.id)) !== undefined
  }

  /** The key that recognises a retry of a request; undefined without a key, and for reads. Throws INVALID_IDEMPOTENCY_KEY. */
  #keyOf(name: OperationName, headers: IncomingHttpHeaders, caller: RemoteCaller): IdempotencyKey | undefined {
    const key = idempotencyKeyFor(OPERATIONS[name], headers, caller, this.#dependencies.secrets().originKey)
    if (key === 'invalid') throw new Problem('INVALID_IDEMPOTENCY_KEY')
    return key
  }
}

function callerOf({ id, headers }: Exchange, at: number, origin: OriginKeys, holder: TokenHolder): RemoteCaller {
  const { actor, tokenHash } = holder
  return { requestId: id, at, origin, actor, tokenHash, userAgent: headers['user-agent'] ?? '' }
}

async function identifiedLater(
  exchange: Exchange,
  at: number,
  finding: Awaitable<OriginKeys>,
  holding: Awaitable<TokenHolder>,
): Promise<RemoteCaller> {
  const [origin, holder] = await Promise.all([finding, holding])
  return callerOf(exchange, at, origin, holder)
}

/**
 * The answer of a mirror to a write, and to a read of what only the original has: a redirect to the same address at the server that it copies. If that server is a mirror too, it
 * redirects to its own original, so each redirect is one step closer to the server that accepts the write.
 */
function writeAtOriginal(original: string, { url }: Exchange): Problem {
  return new Problem('WRITE_AT_ORIGINAL', { original, location: `${original}${addressOf(url)}` })
}

/** The key of a write. Two callers may choose the same key. `secret` is known to the nodes only. */
function idempotencyKeyFor(
  operation: Operation,
  { 'idempotency-key': field }: IncomingHttpHeaders,
  caller: RemoteCaller,
  secret: string,
): IdempotencyKey | 'invalid' | undefined {
  if (operation.kind !== 'write' || field === undefined) return undefined
  const key = typeof field === 'string' ? keyIn(field) : undefined
  const least = issuesToken(operation) ? LIMITS.secretKeyCharacters : 1
  if (key === undefined || key.length < least || key.length > LIMITS.idempotencyKeyCharacters) return 'invalid'
  return idempotencyKeyOf(secret, ownerOf(operation, caller), key)
}

/**
 * The key in a field: the bare text, or a structured-field string (RFC 9651) with its escapes resolved. Undefined for two fields, which
 * Node joins with a comma and a space.
 */
function keyIn(field: string): string | undefined {
  if (/^[!#-~][!-~]*$/.test(field)) return field
  const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(field)?.[1]
  return quoted?.replaceAll(/\\(.)/g, '$1')
}

/**
 * The owner of a key. A retry of a request for a new token has the old token, which is invalid by then, so the hash of that token
 * identifies the caller. Without a token, the network identifies the caller.
 */
function ownerOf(operation: Operation, { origin, actor, tokenHash }: RemoteCaller): string {
  if (operation.access === 'admin') return 'admin'
  if (operation.access === 'anyone') return `network ${origin.networkKey}`
  return issuesToken(operation) ? `token ${tokenHash}` : `actor ${actor}`
}

type Waiter = { sequence: number; resolve(): void; reject(error: unknown): void }
type Bounds = { seconds: number; waiters: number }

const DIGITS = new RegExp(`^\\d{1,${LIMITS.cursorDigits}}$`)

/**
 * Delays reads with a Min-Sequence until the store has that sequence, so that a client reads its own writes at any node or mirror. The
 * sequence of the store is read for all waiting requests together.
 */
export class MinSequence {
  readonly #store: Pick<Store, 'reader' | 'onCommit'>
  readonly #bounds: Bounds
  readonly #waiters = new Set<Waiter>()
  /** The highest sequence that was read. Sequences of a store only rise. */
  #known = 0
  #isReading = false
  /** Whether there may be a newer sequence than the last one that was read. */
  #isDue = false
  #endListening = (): void => {}

  constructor(store: Pick<Store, 'reader' | 'onCommit'>, bounds: Bounds = MIN_SEQUENCE) {
    this.#store = store
    this.#bounds = bounds
  }

  /**
   * Returns undefined if the store has the sequence in the field, otherwise a promise that resolves once it has. Throws INVALID_MIN_SEQUENCE. Throws NOT_READY after `MIN_SEQUENCE.seconds`, and
   * at once if `MIN_SEQUENCE.waiters` requests wait already.
   */
  reached({ 'min-sequence': field }: IncomingHttpHeaders): Awaitable<void> {
    if (field === undefined) return
    if (typeof field !== 'string' || !DIGITS.test(field)) throw new Problem('INVALID_MIN_SEQUENCE')
    return Number(field) > this.#known ? this.#wait(Number(field)) : undefined
  }

  async #wait(sequence: number): Promise<void> {
    if (this.#waiters.size >= this.#bounds.waiters) throw notReady()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { sequence, resolve, reject }
    const timer = setTimeout(() => reject(notReady()), this.#bounds.seconds * 1_000)
    if (this.#waiters.size === 0) this.#endListening = this.#store.onCommit(() => void this.#read())
    this.#waiters.add(waiter)
    void this.#read()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiters.delete(waiter)
      if (this.#waiters.size === 0) this.#endListening()
    }
  }

  /** Reads the sequence of the store, and again if there was a commit during the read. */
  async #read(): Promise<void> {
    this.#isDue = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isDue && this.#waiters.size > 0) {
        this.#isDue = false
        this.#known = Math.max(this.#known, await readSettled(this.#store.reader))
        for (const waiter of this.#waiters) if (waiter.sequence <= this.#known) waiter.resolve()
      }
    } catch (error) {
      for (const waiter of this.#waiters) waiter.reject(error)
    } finally {
      this.#isReading = false
    }
  }
}

const notReady = (): Problem =>
  new Problem('NOT_READY', { retryAfter: 1, reason: 'the store has not reached Min-Sequence' })
