import type { Operation } from '../contract/operations.ts'
import type { Answer } from '../operations/operation.ts'
import { exchanged, targetOf } from '../web/target.ts'

/**
 * The header fields that an answer decides. ETag and Cache-Control: A cache stores what has a version and revalidates it on every use, because moderation can withdraw it;
 * it stores nothing else. For a search, how much of the query the first entry has. For permanent records, their numbers in the public log, and
 * where a single one is proved.
 */
export function answerFields(answer: Answer, { method }: Pick<Operation, 'method'>): Record<string, string> {
  const versioned = answer.etag !== undefined && method === 'GET'
  const control = versioned ? 'public, no-cache' : 'no-store'
  return {
    'cache-control': control,
    ...(answer.etag === undefined ? {} : { etag: `"${answer.etag}"` }),
    ...(answer.fit === undefined ? {} : { 'search-match': answer.fit.coverage.toLowerCase() }),
    ...recordFields(answer.records ?? []),
    ...(answer.digest === undefined ? {} : { 'repr-digest': `sha-256=:${answer.digest}:` }),
  }
}

function recordFields(records: readonly number[]): Record<string, string> {
  if (records.length === 0) return {}
  const [first] = records
  const proof = records.length === 1 ? { link: `</api/log/records/${first}/proof>; rel="proof"` } : {}
  return { 'log-records': records.join(', '), ...proof }
}

/** Whether the caller's If-None-Match names the version (RFC 9110, 13.1.2: weak comparison, lists, `*`). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some(tag => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}

/** A Link field to the next page: the address asked for, with the cursor or offset exchanged. */
export function nextLink(url: string, next: NonNullable<Answer['next']>): string {
  const { path, search } = targetOf(url)
  return `<${exchanged(path, search, next)}>; rel="next"`
}
