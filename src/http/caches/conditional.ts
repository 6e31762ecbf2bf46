import type { Operation } from '../../contract/operations.ts'
import type { Answer } from '../../operations/operation.ts'
import { exchanged, targetOf } from '../../web/target.ts'

/**
 * Returns the header fields that depend on the answer: ETag and Cache-Control; for a search, which words of the query the first entry
 * contains; for permanent records, their numbers in the public log, and the address of the proof of a single one. A cache stores only
 * answers with a version, and revalidates them on every use, because moderation can withdraw them.
 */
export function answerFields(answer: Answer, { method }: Pick<Operation, 'method'>): Record<string, string> {
  const { etag, fit, records = [], digest } = answer
  const fields: Record<string, string> = {
    'cache-control': etag !== undefined && method === 'GET' ? 'public, no-cache' : 'no-store',
  }
  if (etag !== undefined) fields.etag = `"${etag}"`
  if (fit !== undefined) fields['search-match'] = fit.coverage.toLowerCase()
  if (records.length > 0) fields['log-records'] = records.join(', ')
  if (records.length === 1) fields.link = `</api/log/records/${records[0]}/proof>; rel="proof"`
  if (digest !== undefined) fields['repr-digest'] = `sha-256=:${digest}:`
  return fields
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
