/**
 * Problems that do not depend on one member: code, status (interface section 7) and the remedy for the caller. problems.ts adds a code for
 * each member of a body, query or path.
 */
export const GENERAL_PROBLEMS = {
  WRITE_AT_ORIGINAL: {
    status: 307,
    remedy: 'This is a read-only copy; send the same request to the address in Location, at the original server.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    remedy: 'The bytes are not a well-formed HTTP request, or Expect is not 100-continue; send a valid request.',
  },
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
    remedy:
      'Last-Event-ID is not the id of an event of this stream; send the id of the last event received, or omit the field.',
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    remedy:
      'Idempotency-Key must be one key of 1 to 255 printable ASCII characters, bare or in double quotes; at least 16 characters if the operation issues a token. Use a new random UUID.',
  },
  INVALID_MIN_SEQUENCE: {
    status: 400,
    remedy: 'Min-Sequence must be 1 to 19 decimal digits: the Sequence field of the answer to a write.',
  },
  MALFORMED_JSON: { status: 400, remedy: 'The body must be valid JSON in UTF-8 without a byte order mark.' },
  INVALID_BODY: { status: 400, remedy: 'The body must be a JSON object.' },
  UNKNOWN_MEMBER: {
    status: 400,
    remedy: 'The body has a member that this operation does not take; /docs/api lists those of each operation.',
  },
  MISSING_MEMBER: { status: 400, remedy: 'The body lacks a member that this operation needs.' },
  INVALID_TEXT: { status: 400, remedy: 'A text contains U+0000 or a lone surrogate; remove it.' },
  ACTOR_TOKEN_REQUIRED: {
    status: 401,
    remedy: 'This operation needs an actor token in X-Actor-Token; POST /api/actors issues one without registration.',
  },
  ACTOR_TOKEN_INVALID: {
    status: 401,
    remedy: 'The actor token is mistyped or unknown to this server; send the token as issued, or omit it on reads.',
  },
  ADMIN_TOKEN_REQUIRED: { status: 401, remedy: 'This operation needs the admin token as Authorization: Bearer.' },
  ADMIN_TOKEN_INVALID: { status: 401, remedy: 'The bearer credential is not the admin token of this server.' },
  ACTOR_BLOCKED: { status: 403, remedy: 'This actor may read but not write; ask the operator.' },
  ORIGIN_BLOCKED: { status: 403, remedy: 'This network may read but not write; ask the operator.' },
  HOST_NOT_ALLOWED: {
    status: 403,
    remedy: 'The service does not answer for this Host; use its own address, or ask the operator (ALLOWED_HOSTS).',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    remedy: 'Web pages of this Origin may not use the service; ask the operator (ALLOWED_ORIGINS).',
  },
  READ_ONLY_MIRROR: {
    status: 403,
    remedy: 'This is a read-only copy; moderate at the server that the Link header names with rel="original".',
  },
  ENTRY_LOCKED: {
    status: 403,
    remedy: 'The entry is locked. It can be read and cited; it accepts no revision, evidence or relation.',
  },
  ROUTE_NOT_FOUND: { status: 404, remedy: 'No such path or method; /openapi.json lists all of them.' },
  ACTOR_NOT_FOUND: { status: 404, remedy: 'No actor has this id; take it from an entry, a revision or the feed.' },
  ENTRY_NOT_FOUND: { status: 404, remedy: 'No entry has this id or slug; search for it.' },
  ENTRY_NOT_YET_CREATED: {
    status: 404,
    remedy: 'The entry was created after this sequence; use a later one.',
  },
  SEQUENCE_NOT_REACHED: {
    status: 404,
    remedy: 'No row has this sequence yet; the first row of GET /api/activity has the newest public one.',
  },
  REVISION_NOT_FOUND: { status: 404, remedy: 'This entry has no revision with this id; list its revisions.' },
  TARGET_NOT_FOUND: {
    status: 404,
    remedy: 'The target does not exist, or the fingerprint has expired.',
  },
  REPORT_NOT_FOUND: { status: 404, remedy: 'No report has this id, or not this secret.' },
  DECISION_NOT_FOUND: {
    status: 404,
    remedy: 'No act of moderation on you or your texts has this id; list your decisions.',
  },
  APPEAL_NOT_FOUND: { status: 404, remedy: 'No open appeal of an act on this target has this id; list the appeals.' },
  NOT_IN_LOG: {
    status: 404,
    remedy:
      'The public log does not have this record or tile, or not yet. It follows a commit within seconds; /log/checkpoint has its size.',
  },
  STALE_REVISION: {
    status: 409,
    remedy:
      'Another revision was committed first; read the entry again (ETag and Link name the latest revision), merge, retry.',
  },
  REQUEST_IN_PROGRESS: {
    status: 409,
    remedy: 'A request with this Idempotency-Key is still in progress; wait Retry-After seconds and send it again.',
  },
  ENTRY_WITHDRAWN: { status: 410, remedy: 'Moderation has withdrawn the entry; do not retry.' },
  ERASED: { status: 410, remedy: 'The operator has erased this text for good; do not retry.' },
  BODY_TOO_LARGE: { status: 413, remedy: 'The body is over the limit of 32768 bytes; shorten it.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    remedy: 'Send the body uncompressed as application/json, in UTF-8.',
  },
  SOURCE_NOT_FOUND: {
    status: 422,
    remedy: 'A source names an entry and a revision that are not a public pair on this server.',
  },
  QUOTE_NOT_FOUND: {
    status: 422,
    remedy: 'The judged revision does not contain the quote; copy a sentence of its title, summary or content.',
  },
  HANDLE_REFUSED: {
    status: 422,
    remedy:
      'The handle is forged, older than an hour, or of another reader; find or read the entry again, and send the handle of that answer.',
  },
  SECRET_IN_TEXT: {
    status: 422,
    remedy:
      'A text contains an actor token or a private key. It would be public permanently; remove it. If the token has been exposed, replace it: POST /api/actors/rotate.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    remedy: 'This Idempotency-Key belongs to another request; send that request again, or use a new key.',
  },
  SELF_RELATION: { status: 422, remedy: 'An entry cannot be related to itself.' },
  ACTION_NOT_APPLICABLE: {
    status: 422,
    remedy:
      'The target does not take this action: an origin is never hidden, a record only erased, an erased entry never restored, and an appeal is answered by the act that undoes its act or the same again.',
  },
  NOT_APPEALABLE: {
    status: 422,
    remedy: 'An act that restricts and is in force takes one appeal; your decisions show which.',
  },
  ALREADY_REPORTED: {
    status: 422,
    remedy: 'This target already has enough open reports; the operator will review them.',
  },
  RATE_LIMITED: { status: 429, remedy: 'Too many requests within one minute; wait Retry-After seconds.' },
  COOLDOWN: {
    status: 429,
    remedy: 'A write of this kind came too soon after the previous one; wait Retry-After seconds.',
  },
  TOO_MANY_STREAMS: {
    status: 429,
    remedy: 'This network has reached its limit of open streams; close one, or wait Retry-After seconds.',
  },
  NOT_READY: { status: 503, remedy: 'The server is starting, stopping or catching up; wait Retry-After seconds.' },
  OVERLOADED: { status: 503, remedy: 'The server is overloaded; wait Retry-After seconds.' },
  STORE_UNAVAILABLE: { status: 503, remedy: 'The server cannot write to the store now; wait Retry-After seconds.' },
  OUTCOME_UNKNOWN: {
    status: 503,
    remedy:
      'The store failed during the commit, or the connection to it was lost, so the write may be stored. Look for it, or send it again with the same Idempotency-Key.',
  },
  UNEXPECTED_FAULT: { status: 503, remedy: 'The server has a fault; report the requestId to the operator.' },
} as const

export type GeneralCode = keyof typeof GENERAL_PROBLEMS
