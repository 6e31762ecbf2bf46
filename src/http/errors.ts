import { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { StoreFault } from '../engine/database.ts'
import { JSON_TYPE } from '../web/page.ts'

/** Retry-After for a store that does not accept writes, in seconds. */
const STORE_RETRY = 2

/** Converts an error to a problem. An unexpected error becomes UNEXPECTED_FAULT. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreFault) {
    return new Problem(error.outcomeUnknown ? 'OUTCOME_UNKNOWN' : 'STORE_UNAVAILABLE', { retryAfter: STORE_RETRY })
  }
  return new Problem('UNEXPECTED_FAULT', { retryAfter: 1 })
}

const CHALLENGES: Partial<Record<string, string>> = {
  ACTOR_TOKEN_REQUIRED: 'ActorToken realm="palimpsest"',
  ACTOR_TOKEN_INVALID: 'ActorToken realm="palimpsest", error="invalid_token"',
  ADMIN_TOKEN_REQUIRED: 'Bearer realm="palimpsest"',
  ADMIN_TOKEN_INVALID: 'Bearer realm="palimpsest", error="invalid_token"',
}

/** The link to the broken rule (RFC 8288); `member` names the wrong member. */
const helpLink = ({ code, detail: { member } }: Problem): string =>
  `</docs/errors#${code}>; rel="help"${member === undefined ? '' : `; member="${member}"`}`

/** The answer to a problem: status, fields and the error shape (interface section 7). */
export function problemAnswer(
  problem: Problem,
  requestId: string,
): { status: number; headers: Record<string, string>; body: string } {
  const { retryAfter, latest, original, location, reason } = problem.detail
  const links = [
    ...(original === undefined ? [] : [`<${original}>; rel="original"`]),
    ...(latest === undefined
      ? []
      : [`</api/entries/${latest.slug}/revisions/${latest.revisionId}>; rel="latest-version"`]),
    helpLink(problem),
  ]
  const challenge = CHALLENGES[problem.code]
  return {
    status: PROBLEMS[problem.code].status,
    headers: {
      'content-type': JSON_TYPE,
      'cache-control': 'no-store',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(reason === undefined ? {} : { reason }),
      ...(location === undefined ? {} : { location }),
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...(latest === undefined ? {} : { etag: `"${latest.revisionId}"` }),
      link: links.join(', '),
    },
    body: JSON.stringify({ error: { code: problem.code, requestId } }),
  }
}
