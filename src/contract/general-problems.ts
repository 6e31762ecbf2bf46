/**
 * The ways a request can fail that do not depend on one member: code, status (interface section 7) and, in `remedy`, what the caller does
 * about it. problems.ts adds a code for each member of a body, query or path.
 */
export const GENERAL_PROBLEMS = {
  MALFORMED_REQUEST: { status: 400, remedy: 'The bytes are not a well-formed HTTP request; send a valid one.' },
  INVALID_PATH: { status: 400, remedy: 'The percent-encoding of the path is malformed.' },
  INVALID_QUERY: { status: 400, remedy: 'The percent-encoding of the query is malformed.' },
  UNKNOWN_PARAMETER: {
    status: 400,
    remedy: 'The query has a parameter that this operation does not take; /docs/api lists those of each operation.',
  },
  MISSING_PARAMETER: { status: 400, remedy: 'The query lacks a parameter that this operation needs.' },
  REPEATED_PARAMETER: { status: 400, remedy: 'The query has a parameter twice; send it once.' },
  INVALID_EVENT_ID: {
    status: 400,
    remedy: 'Last-Event-ID is no id of an event of this stream: send it as it was received, or leave it out.',
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    remedy:
      'Idempotency-Key is one key of 1 to 255 printable ASCII characters, bare or in double quotes; of at least 16 where a token is issued. Take a fresh random UUID.',
  },
  MALFORMED_JSON: { status: 400, remedy: 'The body is not valid JSON in UTF-8 without a byte order mark.' },
  INVALID_BODY: { status: 400, remedy: 'The body is JSON but not an object.' },
  UNKNOWN_MEMBER: {
    status: 400,
    remedy: 'The body has a member that this operation does not take; /docs/api lists those of each operation.',
  },
  MISSING_MEMBER: { status: 400, remedy: 'The body lacks a member that this operation needs.' },
  INVALID_TEXT: { status: 400, remedy: 'A text holds U+0000 or a lone surrogate; remove it.' },
  ACTOR_TOKEN_REQUIRED: {
    status: 401,
    remedy: 'This needs an actor token in X-Actor-Token; POST /api/actors issues one without registration.',
  },
  ACTOR_TOKEN_INVALID: {
    status: 401,
    remedy: 'The actor token is mistyped or unknown here; send the token as issued, or none at all on reads.',
  },
  ADMIN_TOKEN_REQUIRED: { status: 401, remedy: 'This needs the admin token as Authorization: Bearer.' },
  ADMIN_TOKEN_INVALID: { status: 401, remedy: 'The bearer credential is not the admin token of this server.' },
  ACTOR_BLOCKED: { status: 403, remedy: 'This actor may read but not write; ask the operator.' },
  ORIGIN_BLOCKED: { status: 403, remedy: 'This network may read but not write; ask the operator.' },
  READ_ONLY_MIRROR: {
    status: 403,
    remedy: 'This is a read-only copy; write to the server that the Link header names with rel="original".',
  },
  ENTRY_LOCKED: {
    status: 403,
    remedy: 'A locked entry is readable and citable, and takes no new revision, evidence or relation.',
  },
  ROUTE_NOT_FOUND: { status: 404, remedy: 'No such path or method; /openapi.json lists all of them.' },
  ACTOR_NOT_FOUND: { status: 404, remedy: 'No actor has this id; take it from an entry, a revision or the feed.' },
  ENTRY_NOT_FOUND: { status: 404, remedy: 'No entry has this id or slug; search for it.' },
  ENTRY_NOT_YET_CREATED: {
    status: 404,
    remedy: 'The entry was created after this sequence; ask for a later one.',
  },
  SEQUENCE_NOT_REACHED: {
    status: 404,
    remedy: 'Nothing has this sequence yet; the first row of GET /api/activity has the newest public one.',
  },
  REVISION_NOT_FOUND: { status: 404, remedy: 'This entry has no revision with this id; list its revisions.' },
  TARGET_NOT_FOUND: {
    status: 404,
    remedy: 'What is to be moderated or reported does not exist, or its fingerprint is no longer alive.',
  },
  REPORT_NOT_FOUND: { status: 404, remedy: 'No report has this id; list the reports.' },
  NOT_IN_LOG: {
    status: 404,
    remedy:
      'The public log has no such record or tile, or not yet: it follows a commit within seconds. /log/checkpoint says how far it is.',
  },
  STALE_REVISION: {
    status: 409,
    remedy:
      'Somebody revised the entry first: read it again (the ETag and Link headers name the latest revision), merge, retry.',
  },
  REQUEST_IN_PROGRESS: {
    status: 409,
    remedy: 'A request with this Idempotency-Key is still under way; wait Retry-After seconds and send the same again.',
  },
  ENTRY_WITHDRAWN: { status: 410, remedy: 'The entry has been withdrawn by moderation; do not retry.' },
  BODY_TOO_LARGE: { status: 413, remedy: 'The body is over the limit of 32768 bytes; shorten it.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    remedy: 'Send the body uncompressed as application/json, in UTF-8.',
  },
  SOURCE_NOT_FOUND: {
    status: 422,
    remedy: 'A source names an entry and revision pair that is not publicly readable here.',
  },
  SECRET_IN_TEXT: {
    status: 422,
    remedy:
      'A text holds an actor token or a private key, which would be public and permanent; remove it. If it was shown elsewhere, exchange it: POST /api/actors/rotate.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    remedy:
      'This Idempotency-Key belongs to another request; send the same request again, or this one with a key of its own.',
  },
  SELF_RELATION: { status: 422, remedy: 'An entry cannot be related to itself.' },
  ACTION_NOT_APPLICABLE: { status: 422, remedy: 'An origin cannot be hidden; quarantine or block it.' },
  ALREADY_REPORTED: { status: 422, remedy: 'Enough others have reported this; the operator will look at it.' },
  RATE_LIMITED: { status: 429, remedy: 'Too many requests within one minute; wait Retry-After seconds.' },
  COOLDOWN: { status: 429, remedy: 'The same kind of write came too soon after the last; wait Retry-After seconds.' },
  TOO_MANY_STREAMS: {
    status: 429,
    remedy: 'This network holds as many streams open as it may; close one, or wait Retry-After seconds.',
  },
  NOT_READY: { status: 503, remedy: 'The server is starting, stopping or catching up; wait Retry-After seconds.' },
  OVERLOADED: { status: 503, remedy: 'The server has more work than it can take; wait Retry-After seconds.' },
  STORE_UNAVAILABLE: { status: 503, remedy: 'The store cannot be written at the moment; wait Retry-After seconds.' },
  OUTCOME_UNKNOWN: {
    status: 503,
    remedy:
      'The store was lost while the write was committed, so it may be stored: look for it, or send it again with the same Idempotency-Key.',
  },
  UNEXPECTED_FAULT: { status: 503, remedy: 'Something failed that should not; tell the operator the requestId.' },
} as const

export type GeneralCode = keyof typeof GENERAL_PROBLEMS
