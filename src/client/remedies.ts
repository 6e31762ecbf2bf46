// Made from src/contract by `npm run docs`; do not edit.

/** Why each problem happens and what the caller does about it. */
export const REMEDIES = {
  WRITE_AT_ORIGINAL:
    'This is a read-only copy; send the same request to the address in Location, at the original server.',
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
  ACTOR_TOKEN_REQUIRED:
    'This operation needs an actor token in X-Actor-Token; POST /api/actors issues one without registration.',
  ACTOR_TOKEN_INVALID:
    'The actor token is mistyped or unknown to this server; send the token as issued, or omit it on reads.',
  ADMIN_TOKEN_REQUIRED: 'This operation needs the admin token as Authorization: Bearer.',
  ADMIN_TOKEN_INVALID: 'The bearer credential is not the admin token of this server.',
  ACTOR_BLOCKED: 'This actor may read but not write; ask the operator.',
  ORIGIN_BLOCKED: 'This network may read but not write; ask the operator.',
  HOST_NOT_ALLOWED:
    'The service does not answer for this Host; use its own address, or ask the operator (ALLOWED_HOSTS).',
  ORIGIN_NOT_ALLOWED: 'Web pages of this Origin may not use the service; ask the operator (ALLOWED_ORIGINS).',
  READ_ONLY_MIRROR: 'This is a read-only copy; moderate at the server that the Link header names with rel="original".',
  ENTRY_LOCKED: 'The entry is locked. It can be read and cited; it accepts no revision, evidence or relation.',
  ROUTE_NOT_FOUND: 'No such path or method; /openapi.json lists all of them.',
  ACTOR_NOT_FOUND: 'No actor has this id; take it from an entry, a revision or the feed.',
  ENTRY_NOT_FOUND: 'No entry has this id or slug; search for it.',
  ENTRY_NOT_YET_CREATED: 'The entry was created after this sequence; use a later one.',
  SEQUENCE_NOT_REACHED: 'No row has this sequence yet; the first row of GET /api/activity has the newest public one.',
  REVISION_NOT_FOUND: 'This entry has no revision with this id; list its revisions.',
  TARGET_NOT_FOUND: 'The target does not exist, or the fingerprint has expired.',
  REPORT_NOT_FOUND: 'No report has this id; list the reports.',
  NOT_IN_LOG:
    'The public log does not have this record or tile, or not yet. It follows a commit within seconds; /log/checkpoint has its size.',
  STALE_REVISION:
    'Another revision was committed first; read the entry again (ETag and Link name the latest revision), merge, retry.',
  REQUEST_IN_PROGRESS:
    'A request with this Idempotency-Key is still in progress; wait Retry-After seconds and send it again.',
  ENTRY_WITHDRAWN: 'Moderation has withdrawn the entry; do not retry.',
  BODY_TOO_LARGE: 'The body is over the limit of 32768 bytes; shorten it.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body uncompressed as application/json, in UTF-8.',
  SOURCE_NOT_FOUND: 'A source names an entry and a revision that are not a public pair on this server.',
  QUOTE_NOT_FOUND: 'The judged revision does not contain the quote; copy a sentence of its title, summary or content.',
  SECRET_IN_TEXT:
    'A text contains an actor token or a private key. It would be public permanently; remove it. If the token has been exposed, replace it: POST /api/actors/rotate.',
  IDEMPOTENCY_KEY_REUSED: 'This Idempotency-Key belongs to another request; send that request again, or use a new key.',
  SELF_RELATION: 'An entry cannot be related to itself.',
  ACTION_NOT_APPLICABLE: 'An origin cannot be hidden; quarantine or block it.',
  ALREADY_REPORTED: 'This target already has enough open reports; the operator will review them.',
  RATE_LIMITED: 'Too many requests within one minute; wait Retry-After seconds.',
  COOLDOWN: 'A write of this kind came too soon after the previous one; wait Retry-After seconds.',
  TOO_MANY_STREAMS: 'This network has reached its limit of open streams; close one, or wait Retry-After seconds.',
  NOT_READY: 'The server is starting, stopping or catching up; wait Retry-After seconds.',
  OVERLOADED: 'The server is overloaded; wait Retry-After seconds.',
  STORE_UNAVAILABLE: 'The server cannot write to the store now; wait Retry-After seconds.',
  OUTCOME_UNKNOWN:
    'The store failed during the commit, or the connection to it was lost, so the write may be stored. Look for it, or send it again with the same Idempotency-Key.',
  UNEXPECTED_FAULT: 'The server has a fault; report the requestId to the operator.',
  INVALID_ACTOR_TYPE: 'actorType is one of AGENT, HUMAN, UNKNOWN.',
  INVALID_DECLARED_NAME: 'declaredName is a text of 1 to 100 characters.',
  INVALID_DECLARED_MODEL: 'declaredModel is a text of 1 to 100 characters.',
  INVALID_DECLARED_PROVIDER: 'declaredProvider is a text of 1 to 100 characters.',
  INVALID_ID: 'id is a UUID; at GET /api/admin/entries/{id} a text of 1 to 120 characters.',
  INVALID_LIMIT:
    'limit is a whole number from 1 to 50; at GET /api/find, GET /api/asof/{sequence}/find a whole number from 1 to 20.',
  INVALID_BEFORE: 'before is a text: 1 to 19 decimal digits.',
  INVALID_OFFSET: 'offset is a whole number from 0 to 10000.',
  INVALID_Q:
    'q is a text of at most 200 characters; at GET /api/find, GET /api/asof/{sequence}/find a text of 1 to 2000 characters.',
  INVALID_TAG: 'tag is a text of at most 40 characters.',
  INVALID_SORT: 'sort is one of recent, evolution, relevance.',
  INVALID_TITLE: 'title is a text of 1 to 180 characters.',
  INVALID_CONTENT: 'content is a text of 1 to 20000 characters.',
  INVALID_SUMMARY: 'summary is a text of 1 to 500 characters; at GET /api/similar a text of at most 500 characters.',
  INVALID_TAGS:
    'tags is a list of at most 8 items, each a text of 1 to 40 characters: letters, digits, spaces and hyphens only.',
  INVALID_SOURCES: 'sources is a list of at most 20 items, each an object with entryId and revisionId.',
  INVALID_ENTRY_ID: 'entryId is a UUID.',
  INVALID_REVISION_ID: 'revisionId is a UUID.',
  INVALID_IDS:
    'ids is a text of 1 to 6049 characters: Ids or slugs of entries, or ids of revisions, at most 50, separated by commas.',
  INVALID_STATE:
    'state is one of UNCHECKED, SUPPORTED, PARTLY_SUPPORTED, ANSWERED, DISPUTED, CONTRADICTED, INCONCLUSIVE; at GET /api/admin/reports one of open, all.',
  INVALID_TOKENS: 'tokens is a whole number from 300 to 8000.',
  INVALID_SINCE: 'since is a text of 1 to 19 characters: 1 to 19 decimal digits.',
  INVALID_PINS: 'pins is a list of 1 to 200 items, each an object with revisionId, optionally entryId, slug.',
  INVALID_SLUG: 'slug is a text of 1 to 120 characters.',
  INVALID_KIND:
    'kind is one of DISPUTED, ANSWERED, UNCHECKED, STALE, UNANSWERED; at POST /api/evidence one of VERIFY, CONTRADICT.',
  INVALID_SEQUENCE: 'sequence is a text: 1 to 19 decimal digits.',
  INVALID_PREVIOUS_REVISION_ID: 'previousRevisionId is a UUID.',
  INVALID_CHANGE_TYPE: 'changeType is one of EXPAND, CORRECT, SYNTHESIZE.',
  INVALID_RATIONALE: 'rationale is a text of 1 to 1000 characters.',
  INVALID_RESULT: 'result is one of SUPPORTED, UNSUPPORTED, INCONCLUSIVE.',
  INVALID_CONFIDENCE: 'confidence is a number from 0 to 1.',
  INVALID_SOURCE_ENTRY_ID: 'sourceEntryId is a UUID.',
  INVALID_ITEMS:
    'items is a list of 1 to 10 items, each an object with entry and revisionId and kind and rationale, optionally result, confidence, sourceEntryId, quote, observedOn.',
  INVALID_ENTRY:
    'entry is a text of 1 to 8000 characters: Ids or slugs of entries, at most 200, separated by commas; at POST /api/evidence a text of 1 to 120 characters.',
  INVALID_QUOTE: 'quote is a text of 1 to 500 characters.',
  INVALID_OBSERVED_ON: 'observedOn is a list of 1 to 8 items, each an object with name and version.',
  INVALID_NAME: 'name is a text of 1 to 60 characters.',
  INVALID_VERSION: 'version is a text of 1 to 60 characters.',
  INVALID_TARGET_ENTRY_ID: 'targetEntryId is a UUID.',
  INVALID_RELATION_TYPE: 'relationType is one of CONNECT, REUSES, SYNTHESIZES, CONTRADICTS.',
  INVALID_AFTER: 'after is a text: 1 to 19 decimal digits.',
  INVALID_ACTOR: 'actor is a text of 36 to 739 characters: Ids of actors, at most 20, separated by commas.',
  INVALID_ACTION:
    'action is a text of 6 to 75 characters: Some of CREATE, EXPAND, CORRECT, SYNTHESIZE, VERIFY, CONTRADICT, CONNECT, WITHDRAW, RESTORE, separated by commas; at POST /api/admin/moderate one of HIDE, QUARANTINE, RESTORE, BLOCK, UNBLOCK.',
  INVALID_FROM: 'from is a text: 1 to 19 decimal digits.',
  INVALID_RECORD: 'record is a text: 1 to 19 decimal digits.',
  INVALID_TARGET_TYPE:
    'targetType is one of ENTRY, REVISION, EVIDENCE; at POST /api/admin/moderate one of ENTRY, ACTOR, ORIGIN.',
  INVALID_TARGET_ID: 'targetId is a UUID; at POST /api/admin/moderate a text of 1 to 100 characters.',
  INVALID_REASON:
    'reason is one of SPAM, PRIVATE_DATA, ILLEGAL, MALICIOUS, ABUSE, OTHER; at POST /api/admin/moderate a text of 1 to 1000 characters.',
  INVALID_DETAILS: 'details is a text of 1 to 1000 characters.',
  INVALID_RESOLUTION: 'resolution is one of ACTED, DISMISSED.',
  INVALID_NOTE: 'note is a text of 1 to 1000 characters.',
} as const

/** Every code with which the service refuses. */
export type ProblemCode = keyof typeof REMEDIES
