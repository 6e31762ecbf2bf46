import type { IncomingMessage } from 'node:http'
import { LIMITS } from '../../contract/limits.ts'
import { issuesToken, type Operation } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { Reader } from '../../database/database.ts'
import { type Idempotency, type IdempotencyKey, idempotencyKeyOf } from '../../domain/idempotency.ts'
import { findStoredAnswer } from '../../store/idempotency.ts'
import type { OriginKeys } from '../../store/origin.ts'

/** The caller that sends a key. Two callers may choose the same key. */
export type KeyOwner = { origin: OriginKeys; actor: number | null; tokenHash: string | undefined }

type Sent = Pick<IncomingMessage, 'headers'>

/** Recognises retries; `secret` is known to the nodes only. */
export function createIdempotency(reader: Reader, secret: () => string) {
  return {
    /** The key that recognises a retry of a request; undefined without a key, and for reads. Throws INVALID_IDEMPOTENCY_KEY. */
    keyFor(operation: Operation, request: Sent, owner: KeyOwner): IdempotencyKey | undefined {
      const key = idempotencyKeyFor(operation, request, owner, secret)
      if (key === 'invalid') throw new Problem('INVALID_IDEMPOTENCY_KEY')
      return key
    },
    /** Whether a token became invalid by the request that this one retries. */
    async replaced(operation: Operation, request: Sent, owner: KeyOwner): Promise<boolean> {
      if (owner.tokenHash === undefined || operation.access !== 'actor' || !issuesToken(operation)) return false
      const key = idempotencyKeyFor(operation, request, owner, secret)
      return typeof key === 'object' && (await findStoredAnswer(reader, key.id)) !== undefined
    },
  }
}

function idempotencyKeyFor(
  operation: Operation,
  request: Sent,
  owner: KeyOwner,
  secret: () => string,
): IdempotencyKey | 'invalid' | undefined {
  const field = request.headers['idempotency-key']
  if (operation.kind !== 'write' || field === undefined) return undefined
  const key = typeof field === 'string' ? keyIn(field) : undefined
  const least = issuesToken(operation) ? LIMITS.secretKeyCharacters : 1
  if (key === undefined || key.length < least || key.length > LIMITS.idempotencyKeyCharacters) {
    return 'invalid'
  }
  return idempotencyKeyOf(secret(), callerOf(operation, owner), key)
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
 * The caller of a key. A retry of a request for a new token has the old token, which is invalid by then, so the hash of that token
 * identifies the caller. Without a token, the network identifies the caller.
 */
function callerOf(operation: Operation, { origin, actor, tokenHash }: KeyOwner): string {
  if (operation.access === 'admin') return 'admin'
  if (operation.access === 'anyone') return `network ${origin.networkKey}`
  return issuesToken(operation) ? `token ${tokenHash}` : `actor ${actor}`
}

/** Tracks the requests with a key that are in progress in this process. */
export function createUnderWay() {
  const requests = new Map<string, string>()
  return {
    /** Runs `work`. Throws REQUEST_IN_PROGRESS while the same request runs, IDEMPOTENCY_KEY_REUSED while another with its key runs. */
    async alone<T>(idempotency: Idempotency, work: () => Promise<T>): Promise<T> {
      const other = requests.get(idempotency.id)
      if (other === idempotency.request) throw new Problem('REQUEST_IN_PROGRESS', { retryAfter: 1 })
      if (other !== undefined) throw new Problem('IDEMPOTENCY_KEY_REUSED')
      requests.set(idempotency.id, idempotency.request)
      try {
        return await work()
      } finally {
        requests.delete(idempotency.id)
      }
    },
  }
}
