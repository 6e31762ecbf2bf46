import type { Operation } from '../../contract/operations.ts'
import type { Answer } from '../../operations/operation.ts'
import { exchanged, targetOf } from '../../web/target.ts'

/**
 * The header fields that depend on the answer. ETag and Cache-Control: a cache stores only answers with a version, and revalidates them on
 * every use, because moderation can withdraw them. For a search: which words of the query the first entry contains. For permanent records:
 * their numbers in the public log, and the address of the proof of a single one.
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

/** Whether the If-None-Match of a request names the version (RFC 9110, 13.1.2: weak comparison, lists, `*`). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some(tag => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}

/** A Link field to the next page: the requested address, with its cursor or offset replaced. */
export function nextLink(url: string, next: NonNullable<Answer['next']>): string {
  const { path, search } = targetOf(url)
  return `<${exchanged(path, search, next)}>; rel="next"`
}
