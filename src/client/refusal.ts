import { type ClientError, clientError } from './problem.ts'
import { type ProblemCode, REMEDIES } from './remedies.ts'

const REQUEST_ID = /^[\w-]{1,64}$/

/** Makes the error of a refusal. Excludes free text of the answer, which may be from another server. */
export function refusalOf(response: Response, text: string, now: number, asked: string): ClientError {
  const received = errorIn(text)
  const code = isProblemCode(received?.code) ? received.code : (`HTTP_${response.status}` as const)
  const named = received?.requestId ?? response.headers.get('x-request-id')
  const requestId = typeof named === 'string' && REQUEST_ID.test(named) ? named : null
  const member = memberIn(response.headers.get('link'))
  const remedy = isProblemCode(code)
    ? ruleFor(REMEDIES[code], member)
    : 'The answer is not one that this version of the client knows; check the address, the proxies on the way and the version.'
  const request = requestId === null ? '' : `, request ${requestId}`
  return clientError(code, `${remedy} (${asked} was answered ${response.status}${request})`, {
    status: response.status,
    requestId,
    member,
    retryAfterSeconds: secondsIn(response.headers.get('retry-after'), now),
    latestRevisionId: code === 'STALE_REVISION' ? revisionIn(response.headers.get('etag')) : null,
  })
}

const isProblemCode = (code: unknown): code is ProblemCode => typeof code === 'string' && Object.hasOwn(REMEDIES, code)

function errorIn(text: string): { code?: unknown; requestId?: unknown } | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: unknown; requestId?: unknown } } | null)?.error ?? undefined
  } catch {
    return undefined
  }
}

/** The member that is named by a Link field with rel="help". */
const memberIn = (link: string | null): string | null =>
  /rel="help"; member="([\w.-]{1,400})"/.exec(link ?? '')?.[1] ?? null

/** Puts the member that broke a rule before the rule, unless the rule begins with this member. */
const ruleFor = (rule: string, member: string | null): string =>
  member === null || rule.startsWith(`${member} `) ? rule : `${member}: ${rule}`

const revisionIn = (etag: string | null): string | null => /^"([\w-]{1,64})"$/.exec(etag ?? '')?.[1] ?? null

/** Parses a Retry-After in seconds or as a date. Returns whole seconds from `now` (milliseconds), at least 0. */
function secondsIn(field: string | null, now: number): number | null {
  if (field === null) return null
  if (/^\d{1,9}$/.test(field.trim())) return Number(field)
  const date = Date.parse(field)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}
