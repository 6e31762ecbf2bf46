import { Problem } from '../../contract/problem.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import { StoreFault } from '../../database/database.ts'

/** The problem codes of errors of Fastify. */
const FRAMEWORK: Record<string, Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Problem('BODY_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Problem('UNSUPPORTED_MEDIA_TYPE'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Problem('MALFORMED_REQUEST'),
  FST_ERR_CTP_EMPTY_JSON_BODY: new Problem('MALFORMED_JSON'),
  FST_ERR_BAD_URL: new Problem('INVALID_PATH'),
  ECONNRESET: new Problem('MALFORMED_REQUEST'),
  ECONNABORTED: new Problem('MALFORMED_REQUEST'),
}

/** Retry-After for a store that does not accept writes, in seconds. */
const STORE_RETRY = 2

/** Converts an error to a problem. An unexpected error becomes UNEXPECTED_FAULT. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreFault) return new Problem('STORE_UNAVAILABLE', { retryAfter: STORE_RETRY })
  return FRAMEWORK[(error as { code?: string }).code ?? ''] ?? new Problem('UNEXPECTED_FAULT', { retryAfter: 1 })
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
  const { retryAfter, latest, original, location } = problem.detail
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
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(location === undefined ? {} : { location }),
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...(latest === undefined ? {} : { etag: `"${latest.revisionId}"` }),
      link: links.join(', '),
    },
    body: JSON.stringify({ error: { code: problem.code, requestId } }),
  }
}
