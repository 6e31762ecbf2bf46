import { type ClientError, isClientError } from '../client/index.ts'
import type { ProblemCode } from '../contract/problem.ts'
import { PROBLEMS, remedyOf } from '../contract/problems.ts'
import { plain } from '../domain/unseen.ts'
import { type Place, tokenRefusal } from './wording.ts'

/** What a model does about a problem, where the sentence for callers of HTTP does not fit it. */
const NEXT: Partial<Record<ProblemCode, string>> = {
  INVALID_PATH: 'The entry is named by its entryId or slug; find gives both.',
  INVALID_SLUG: 'The entry is named by its entryId or slug, 1 to 120 characters; find gives both.',
  ACTOR_TOKEN_REQUIRED: 'This needs an actor token: leave actorToken out, and an actor is made.',
  TARGET_NOT_FOUND: 'Nothing has this id or slug; call find first.',
  ENTRY_NOT_FOUND: 'No entry has this id or slug; call find first.',
  REVISION_NOT_FOUND: 'This entry has no revision with this id; history lists them.',
  STALE_REVISION:
    'Somebody revised the entry first and nothing was written: call read, merge your change into what it says now, and call revise with its current revision.',
  ENTRY_WITHDRAWN: 'The entry was withdrawn by moderation. Do not try again.',
  BODY_TOO_LARGE: 'Everything together is over the limit of 32768 bytes; shorten it.',
  RATE_LIMITED: 'Too many calls within a minute.',
  COOLDOWN: 'The same kind of write came too soon after the last.',
  NOT_READY: 'The service is starting or stopping.',
  OVERLOADED: 'The service has more work than it can take.',
  STORE_UNAVAILABLE: 'The store cannot be written at the moment.',
  OUTCOME_UNKNOWN: 'The store was lost while the write was committed.',
}

/** One refused call as a model is told it: the code, what to do, how long to wait, and which revision is the latest. */
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
    ...(mayHaveHappened ? ['Whether it was written is unknown: find or read before you try again.'] : []),
    ...(requestId === null ? [] : [`(request ${requestId})`]),
  ].join(' ')
}

/** The refusal in an error; what nobody foresaw tells nothing of itself. */
export const refusalOf = (error: unknown, tool: string, place: Place): string =>
  isClientError(error)
    ? refusalText(error, tool, place)
    : 'UNEXPECTED_FAULT: Something failed that should not. Whether it was written is unknown: find or read before you try again.'
