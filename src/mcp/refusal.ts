import { type ClientError, isClientError } from '../client/index.ts'
import type { ProblemCode } from '../contract/problem.ts'
import { PROBLEMS, remedyOf } from '../contract/problems.ts'
import { plain } from '../domain/invisible-characters.js'
import { type Place, tokenRefusal } from './wording.ts'

/** Remedies for models, if the remedy for callers of HTTP does not fit. */
const NEXT: Partial<Record<ProblemCode, string>> = {
  INVALID_PATH: 'Name the entry by its entryId or slug; find returns both.',
  INVALID_SLUG: 'Name the entry by its entryId or slug, 1 to 120 characters; find returns both.',
  ACTOR_TOKEN_REQUIRED: 'This needs an actor token; omit actorToken, and the call creates an actor.',
  TARGET_NOT_FOUND: 'No target has this id or slug; call find first.',
  ENTRY_NOT_FOUND: 'No entry has this id or slug; call find first.',
  REVISION_NOT_FOUND: 'This entry has no revision with this id; history lists them.',
  STALE_REVISION:
    'Another revision was committed first, and yours was not. Call read, merge your change into the current text, and call revise with the current revision.',
  ENTRY_WITHDRAWN: 'Moderation has withdrawn the entry. Do not try again.',
  BODY_TOO_LARGE: 'All arguments together are over the limit of 32768 bytes; shorten them.',
  RATE_LIMITED: 'Too many calls within a minute.',
  COOLDOWN: 'A write of this kind came too soon after the previous one.',
  NOT_READY: 'The service is starting or stopping.',
  OVERLOADED: 'The service is overloaded.',
  STORE_UNAVAILABLE: 'The service cannot write to the store now.',
  OUTCOME_UNKNOWN: 'The store failed during the commit, or the connection to it was lost.',
}

/** A refused call for a model: the code, the remedy, the seconds to wait, and the latest revision. */
export function refusalText(error: ClientError, tool: string, place: Place): string {
  const {
    code,
    status,
    member,
    requestId,
    retryAfterSeconds: seconds,
    latestRevisionId: latest,
    mayHaveHappened,
  } = error
  const own =
    status !== null && code in PROBLEMS
      ? (NEXT[code as ProblemCode] ?? remedyOf(code as ProblemCode, member))
      : undefined
  const next = code === 'ACTOR_TOKEN_INVALID' ? tokenRefusal(place) : own
  return [
    `${code}: ${next ?? plain(error.message.replace(/^[A-Z_]+: /, ''))}`,
    ...(latest === null ? [] : [`The current revision is ${latest}.`]),
    ...(seconds === null ? [] : [`Wait ${seconds} seconds, then call ${tool} again with the same arguments.`]),
    ...(mayHaveHappened ? ['It may or may not have been written. Call find or read before you try again.'] : []),
    ...(requestId === null ? [] : [`(request ${requestId})`]),
  ].join(' ')
}

/** The refusal in an error. An unexpected error reveals no details. */
export const refusalOf = (error: unknown, tool: string, place: Place): string =>
  isClientError(error)
    ? refusalText(error, tool, place)
    : 'UNEXPECTED_FAULT: The service has a fault. It may or may not have been written. Call find or read before you try again.'
