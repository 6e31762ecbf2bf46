/**
 * Problems that do not depend on one member, by status (interface section 7): each code with the remedy for the caller. problems.ts adds a
 * code for each member of a body, query or path.
 */
const REMEDIES = {
  307: {
    WRITE_AT_ORIGINAL:
      'This is a read-only copy; send the same request to the address in Location, at the original server.',
  },
  400: {
    MALFORMED_REQUEST:
      'The bytes are not a well-formed HTTP request, or Expect is not 100-continue; send a valid request.',
    INVALID_PATH: 'The percent-encoding of the path is malformed.',
    INVALID_QUERY: 'The percent-encoding of the query is malformed.',
    UNKNOWN_PARAMETER:
      'The query has a parameter that this operation does not take; /docs/api lists those of each operation.',
    MISSING_PARAMETER: 'The query lacks a parameter that this operation needs.',
    REPEATED_PARAMETER: 'The query has a parameter twice; send it once.',
    INVALID_EVENT_ID:
      'Last-Event-ID is not the id of an event of this stream; send the id of the last event received, or omit the field.',
    INVALID_IDEMPOTENCY_KEY:
      'Idempotency-Key must be one key of 1 to 255 printable ASCII characters, bare or in double quotes; at least 16 characters if the operation issues a token. Use a new random UUID.',
    INVALID_MIN_SEQUENCE: 'Min-Sequence must be 1 to 19 decimal digits: the Sequence field of the answer to a write.',
    MALFORMED_JSON: 'The body must be valid JSON in UTF-8 without a byte order mark.',
    INVALID_BODY: 'The body must be a JSON object.',
    UNKNOWN_MEMBER: 'The body has a member that this operation does not take; /docs/api lists those of each operation.',
    MISSING_MEMBER: 'The body lacks a member that this operation needs.',
    INVALID_TEXT: 'A text contains U+0000 or a lone surrogate; remove it.',
  },
  401: {
    ACTOR_TOKEN_REQUIRED:
      'This operation needs an actor token in X-Actor-Token; POST /api/actors issues one without registration.',
    ACTOR_TOKEN_INVALID:
      'The actor token is mistyped or unknown to this server; send the token as issued, or omit it on reads.',
    ADMIN_TOKEN_REQUIRED: 'This operation needs the admin token as Authorization: Bearer.',
    ADMIN_TOKEN_INVALID: 'The bearer credential is not the admin token of this server.',
  },
  403: {
    ACTOR_BLOCKED: 'This actor may read but not write; ask the operator.',
    ORIGIN_BLOCKED: 'This network may read but not write; ask the operator.',
    HOST_NOT_ALLOWED:
      'The service does not answer for this Host; use its own address, or ask the operator (ALLOWED_HOSTS).',
    ORIGIN_NOT_ALLOWED: 'Web pages of this Origin may not use the service; ask the operator (ALLOWED_ORIGINS).',
    READ_ONLY_MIRROR:
      'This is a read-only copy; moderate at the server that the Link header names with rel="original".',
    ENTRY_LOCKED: 'The entry is locked. It can be read and cited; it accepts no revision, evidence or relation.',
  },
  404: {
    ROUTE_NOT_FOUND: 'No such path or method; /openapi.json lists all of them.',
    ACTOR_NOT_FOUND: 'No actor has this id; take it from an entry, a revision or the feed.',
    ENTRY_NOT_FOUND: 'No entry has this id or slug; search for it.',
    ENTRY_NOT_YET_CREATED: 'The entry was created after this sequence; use a later one.',
    SEQUENCE_NOT_REACHED: 'No row has this sequence yet; the first row of GET /api/activity has the newest public one.',
    REVISION_NOT_FOUND: 'This entry has no revision with this id; list its revisions.',
    TARGET_NOT_FOUND: 'The target does not exist, or the fingerprint has expired.',
    REPORT_NOT_FOUND: 'No report has this id, or not this secret.',
    DECISION_NOT_FOUND: 'No act of moderation on you or your texts has this id; list your decisions.',
    APPEAL_NOT_FOUND: 'No open appeal of an act on this target has this id; list the appeals.',
    NOT_IN_LOG:
      'The public log does not have this record or tile, or not yet. It follows a commit within seconds; /log/checkpoint has its size.',
  },
  409: {
    STALE_REVISION:
      'Another revision was committed first; read the entry again (ETag and Link name the latest revision), merge, retry.',
    REQUEST_IN_PROGRESS:
      'A request with this Idempotency-Key is still in progress; wait Retry-After seconds and send it again.',
  },
  410: {
    ENTRY_WITHDRAWN: 'Moderation has withdrawn the entry; do not retry.',
    ERASED: 'The operator has erased this text for good; do not retry.',
  },
  413: {
    BODY_TOO_LARGE: 'The body is over the limit of 32768 bytes; shorten it.',
  },
  415: {
    UNSUPPORTED_MEDIA_TYPE: 'Send the body uncompressed as application/json, in UTF-8.',
  },
  422: {
    SOURCE_NOT_FOUND: 'A source names an entry and a revision that are not a public pair on this server.',
    QUOTE_NOT_FOUND:
      'The judged revision does not contain the quote; copy a sentence of its title, summary or content.',
    HANDLE_REFUSED:
      'The handle is forged, older than an hour, or of another reader; find or read the entry again, and send the handle of that answer.',
    SECRET_IN_TEXT:
      'A text contains an actor token or a private key. It would be public permanently; remove it. If the token has been exposed, replace it: POST /api/actors/rotate.',
    IDEMPOTENCY_KEY_REUSED:
      'This Idempotency-Key belongs to another request; send that request again, or use a new key.',
    SELF_RELATION: 'An entry cannot be related to itself.',
    ACTION_NOT_APPLICABLE:
      'The target does not take this action: an origin is never hidden, a record only erased, an erased entry never restored, and an appeal is answered by the act that undoes its act or the same again.',
    NOT_APPEALABLE: 'An act that restricts and is in force takes one appeal; your decisions show which.',
    ALREADY_REPORTED: 'This target already has enough open reports; the operator will review them.',
  },
  429: {
    RATE_LIMITED: 'Too many requests within one minute; wait Retry-After seconds.',
    COOLDOWN: 'A write of this kind came too soon after the previous one; wait Retry-After seconds.',
    TOO_MANY_STREAMS: 'This network has reached its limit of open streams; close one, or wait Retry-After seconds.',
  },
  503: {
    NOT_READY: 'The server is starting, stopping or catching up; wait Retry-After seconds.',
    OVERLOADED: 'The server is overloaded; wait Retry-After seconds.',
    STORE_UNAVAILABLE: 'The server cannot write to the store now; wait Retry-After seconds.',
    OUTCOME_UNKNOWN:
      'The store failed during the commit, or the connection to it was lost, so the write may be stored. Look for it, or send it again with the same Idempotency-Key.',
    UNEXPECTED_FAULT: 'The server has a fault; report the requestId to the operator.',
  },
} as const

type Remedies = typeof REMEDIES
export type GeneralCode = { [Status in keyof Remedies]: keyof Remedies[Status] }[keyof Remedies]

export const GENERAL_PROBLEMS = Object.fromEntries(
  Object.entries(REMEDIES).flatMap(([status, remedies]) =>
    Object.entries(remedies).map(([code, remedy]) => [code, { status: Number(status), remedy }]),
  ),
) as Record<GeneralCode, { status: number; remedy: string }>
