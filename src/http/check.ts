import type { IncomingHttpHeaders } from 'node:http'
import { type Check, checkOf, firstFault, type MemberFault } from '../contract/check.ts'
import { LIMITS, MIN_SEQUENCE } from '../contract/limits.ts'
import { codeOf } from '../contract/member-problems.ts'
import { issuesToken, NAMED_INPUTS, OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Schema } from '../contract/schema.ts'
import type { Awaitable } from '../engine/database.ts'
import { readSettled } from '../memory/activity/rows.ts'
import { findStoredAnswer } from '../memory/idempotency/rows.ts'
import { type IdempotencyKey, idempotencyKeyOf } from '../memory/idempotency/rules.ts'
import type { RemoteCaller } from '../memory/operation.ts'
import type { Store } from '../memory/store.ts'
import { isUnclean, pathOfText } from '../memory/values.ts'
import type { Secrets } from '../secrets.ts'
import type { Exchange } from './exchange.ts'
import { type AdminCheck, takesToken } from './identify.ts'
import type { ChargedRequest } from './limits.ts'

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?;?\s*$/i

/** Maximum length of a Content-Type, in characters. Longer ones are refused without matching the pattern. */
const TYPE_CHARACTERS_MAX = 200

/** Refuses a body without a type, or with another type than uncompressed JSON in UTF-8. */
export function assertJsonBody(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']
  const plain = encoding === undefined || encoding.trim().toLowerCase() === 'identity'
  const type = headers['content-type'] ?? ''
  if (!plain || type.length > TYPE_CHARACTERS_MAX || !JSON_TYPE.test(type)) throw new Problem('UNSUPPORTED_MEDIA_TYPE')
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses the bytes of a body. Throws MALFORMED_JSON for no body, invalid UTF-8, a byte order mark and invalid JSON. */
export function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    throw new Problem('MALFORMED_JSON')
  }
}

/** Reads the body of a request; undefined if it has none. Throws BODY_TOO_LARGE, or MALFORMED_REQUEST if the client disconnects. */
export function readBody(exchange: Exchange): Awaitable<Buffer | undefined> {
  const { headers, request, fields } = exchange
  const length = Number(headers['content-length'] ?? 0)
  if (length === 0 && headers['transfer-encoding'] === undefined) return undefined
  const tooLarge = (): Problem => {
    // The client may still send the rest of the body, so the connection is closed.
    fields.connection = 'close'
    return new Problem('BODY_TOO_LARGE')
  }
  if (length > LIMITS.bodyBytes) throw tooLarge()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  let pieces: Buffer[] = []
  let received = 0
  const take = (piece: Buffer): void => {
    received += piece.length
    pieces.push(piece)
    if (received <= LIMITS.bodyBytes) return
    // The rest is read and discarded.
    request.off('data', take)
    pieces = []
    reject(tooLarge())
  }
  const end = (): void => {
    resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))
    // The connection holds the request, and its listeners, until the next one.
    pieces = []
  }
  request
    .on('data', take)
    .on('end', end)
    .on('error', () => reject(new Problem('MALFORMED_REQUEST')))
  return promise
}

/** The compiled checks of an operation. */
type Checks = {
  params: readonly (readonly [name: string, check: Check<unknown>])[]
  /** Undefined outside of the API, where a query is ignored. */
  query: QueryCheck | undefined
  /** Returns the body. Throws a Problem whose code names the member and whose detail has its path. */
  body(value: unknown): unknown
}
type QueryCheck = {
  schema: Schema
  check: Check<unknown>
  known: Record<string, { type?: string }>
  needsNothing: boolean
}

const checksOf = (operation: Operation): Checks => {
  const query = checkOf<Schema>(operation.query)
  const { properties } = operation.query as { properties: Record<string, { type?: string }> }
  const schema: Schema | undefined = operation.body === undefined ? undefined : NAMED_INPUTS[operation.body]
  const body = schema === undefined ? undefined : checkOf<Schema>(schema)
  return {
    params: Object.entries(operation.params).map(([name, schema]) => [name, checkOf<Schema>(schema)] as const),
    query: operation.path.startsWith('/api/')
      ? { schema: operation.query, check: query, known: properties, needsNothing: query.fits({}) }
      : undefined,
    body(value) {
      if (body === undefined || schema === undefined) return undefined
      if (!body.fits(value)) throw bodyProblem(firstFault(schema, value))
      const unclean = pathOfText(value, isUnclean)
      if (unclean !== undefined) throw new Problem('INVALID_TEXT', memberAt(unclean))
      return value
    },
  }
}

/** The compiled checks of all operations. */
export const CHECKS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, operation]) => [name, checksOf(operation)]),
) as Record<OperationName, Checks>

const NAME = /^[\w-]{1,64}$/
const PATH_PARTS_MAX = 6

/** A path for a Problem. Callers may choose names, so a path is omitted unless its names consist of letters, digits, `_` and `-`. */
function memberAt(path: readonly string[]): { member?: string } {
  const plain = path.length > 0 && path.length <= PATH_PARTS_MAX && path.every(part => NAME.test(part))
  return plain ? { member: path.join('.') } : {}
}

/** The innermost name of a path, without list indexes. */
const nameIn = (path: readonly string[]): string | undefined => path.findLast(part => !/^\d+$/.test(part))

function bodyProblem({ kind, path }: MemberFault = { kind: 'invalid', path: [] }): Problem {
  if (kind === 'unknown') return new Problem('UNKNOWN_MEMBER', memberAt(path))
  if (kind === 'missing') return new Problem('MISSING_MEMBER', memberAt(path))
  const name = nameIn(path)
  return name === undefined ? new Problem('INVALID_BODY') : new Problem(codeOf(name), memberAt(path))
}

function queryProblem({ kind, path }: MemberFault = { kind: 'invalid', path: [] }): Problem {
  const [name] = path
  if (name === undefined || kind === 'unknown') return new Problem('INVALID_QUERY')
  return new Problem(kind === 'missing' ? 'MISSING_PARAMETER' : codeOf(name), { member: name })
}

/** Reads a query string strictly: only known parameters, none twice, valid percent-encoding of UTF-8, no U+0000, by its schema. */
function readQuery(search: string, { schema, check, known }: QueryCheck): Record<string, string | number> {
  const values: Record<string, string | number> = {}
  for (const part of search.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    if (name === undefined) throw new Problem('INVALID_QUERY')
    if (!Object.hasOwn(known, name)) throw new Problem('UNKNOWN_PARAMETER', memberAt([name]))
    if (Object.hasOwn(values, name)) throw new Problem('REPEATED_PARAMETER', { member: name })
    const value = decoded(equals < 0 ? '' : part.slice(equals + 1))
    const whole = known[name]?.type === 'integer'
    if (value === undefined || isUnclean(value) || (whole && !/^\d{1,9}$/.test(value))) {
      throw new Problem(codeOf(name), { member: name })
    }
    values[name] = whole ? Number(value) : value
  }
  if (!check.fits(values)) throw queryProblem(firstFault(schema, values))
  return values
}

/** Decodes percent-encoding; undefined if it is malformed. */
function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** The checked parts of a request whose body is not read yet. */
type CheckedParts = {
  /** Identifies a retry; undefined without a key, and for reads. */
  idempotencyKey: IdempotencyKey | undefined
  params: Record<string, string>
  query: Record<string, string | number>
}
/** A request that may run. */
export type Admitted = ChargedRequest & CheckedParts

/** Parts of the server that admit requests. Only the original of a mirror accepts writes. */
export type Admitting = { store: Pick<Store, 'reader' | 'original'>; admin: AdminCheck; secrets: () => Secrets }

/**
 * The first check of a request: the admin token; at a mirror, whether only its original answers; the token of an actor. Returns a promise if
 * that token is unknown, because a retry of the request that replaced it passes.
 */
export function assertAllowed(
  parts: Admitting,
  name: OperationName,
  caller: RemoteCaller,
  exchange: Exchange,
): Awaitable<void> {
  const { store, admin } = parts
  const operation: Operation = OPERATIONS[name]
  const { access, cost, atOriginal } = operation
  if (access === 'admin') admin.assertAdmin(exchange.headers.authorization)
  else if (store.original !== undefined && (cost === 'write' || atOriginal))
    throw writeAtOriginal(store.original, exchange)
  else if (caller.actor === null) {
    const isTokenSent = exchange.headers['x-actor-token'] !== undefined && takesToken(store, operation)
    if (isTokenSent) return assertRetry(parts, name, caller, exchange)
    if (access === 'actor') throw new Problem('ACTOR_TOKEN_REQUIRED')
  }
}

async function assertRetry(
  { store, secrets }: Admitting,
  name: OperationName,
  caller: RemoteCaller,
  { headers }: Exchange,
): Promise<void> {
  const operation: Operation = OPERATIONS[name]
  const mayBeRetry = caller.tokenHash !== undefined && operation.access === 'actor' && issuesToken(operation)
  const key = mayBeRetry ? idempotencyKeyFor(operation, headers, caller, secrets().originKey) : undefined
  const isRetry = typeof key === 'object' && (await findStoredAnswer(store.reader, key.id)) !== undefined
  if (!isRetry) throw new Problem('ACTOR_TOKEN_INVALID')
}

/**
 * Checks the parts of a request before its body is read: path, query and Idempotency-Key 400, type 415. `search` is the part of the query
 * for the operation.
 */
export function checkParts(
  { secrets }: Pick<Admitting, 'secrets'>,
  name: OperationName,
  caller: RemoteCaller,
  { headers, method, params }: Exchange,
  search: string,
): CheckedParts {
  const { params: paramChecks, query: queryCheck } = CHECKS[name]
  for (const [param, check] of paramChecks) {
    const value = params[param] as string
    // Decoded percent-encoding has no lone surrogate.
    if (!check.fits(value) || value.includes('\u0000')) throw new Problem(codeOf(param), { member: param })
  }
  const isEmpty = queryCheck === undefined || (search === '' && queryCheck.needsNothing)
  const query = isEmpty ? {} : readQuery(search, queryCheck)
  const idempotencyKey =
    headers['idempotency-key'] === undefined
      ? undefined
      : idempotencyKeyFor(OPERATIONS[name], headers, caller, secrets().originKey)
  if (idempotencyKey === 'invalid') throw new Problem('INVALID_IDEMPOTENCY_KEY')
  if (method === 'POST') assertJsonBody(headers)
  return { idempotencyKey, params, query }
}

/**
 * The answer of a mirror to a write, and to a read of what only the original has: a redirect to the same address at the server that it
 * copies. If that server is a mirror too, it redirects to its own original, so each redirect is one step closer to the server that accepts the write.
 */
function writeAtOriginal(original: string, { address }: Exchange): Problem {
  return new Problem('WRITE_AT_ORIGINAL', { original, location: `${original}${address}` })
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
