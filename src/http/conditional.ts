import type { Operation } from '../contract/operations.ts'
import type { Answer } from '../operations/operation.ts'
import { exchanged, targetOf } from '../web/target.ts'

const FOR_EVER = 'public, max-age=31536000, immutable'

/** ETag and Cache-Control of an answer: what never changes is kept for ever, what has a version is asked for again, the rest is not kept. */
export function cacheFields(answer: Answer, { method }: Pick<Operation, 'method'>): Record<string, string> {
  const versioned = answer.etag !== undefined && method === 'GET'
  const control = answer.immutable ? FOR_EVER : versioned ? 'public, no-cache' : 'no-store'
  return {
    'cache-control': control,
    ...(answer.etag === undefined ? {} : { etag: `"${answer.etag}"` }),
    ...(answer.digest === undefined ? {} : { 'repr-digest': `sha-256=:${answer.digest}:` }),
  }
}

/** Whether the caller's If-None-Match names the version (RFC 9110, 13.1.2: weak comparison, lists, `*`). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some(tag => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}

/** A Link field to the next page: the address asked for, with the cursor or offset exchanged. */
export function nextLink(url: string, next: { before: string } | { offset: number }): string {
  const { path, search } = targetOf(url)
  return `<${exchanged(path, search, next)}>; rel="next"`
}
