const UNSURE = 'It may or may not have been stored. Send it again without changes; it is stored only once.'

/**
 * The messages for people, by problem code, each with its remedy.
 * @type {Record<string, string>}
 */
export const MESSAGES = {
  MALFORMED_REQUEST: 'The browser sent an invalid request. Reload the page and try again.',
  INVALID_PATH: 'The address is wrong. Go back to the entry and start there.',
  INVALID_QUERY: 'The address is malformed. Go back and start again.',
  UNKNOWN_PARAMETER: 'The address has an unknown parameter. Go back and start again.',
  MISSING_PARAMETER: 'The address lacks a parameter. Go back and start again.',
  REPEATED_PARAMETER: 'The address has a parameter twice. Go back and start again.',
  INVALID_EVENT_ID: 'The position in the stream is invalid. Reload the page.',
  INVALID_MIN_SEQUENCE: 'The named sequence is invalid. Reload the page.',
  INVALID_IDEMPOTENCY_KEY: 'The browser sent an invalid key. Reload the page and try again.',
  MALFORMED_JSON: 'The text could not be sent. Remove unusual characters and try again.',
  INVALID_BODY: 'The browser sent no fields. Reload the page and try again.',
  UNKNOWN_MEMBER: 'The browser sent an unknown field. Reload the page and try again.',
  MISSING_MEMBER: 'A required field is empty. Check the fields above.',
  INVALID_TAGS: 'Tags may have letters, digits, spaces and hyphens: at most 8 tags of 1 to 40 characters.',
  INVALID_TEXT:
    'A text contains a character that cannot be stored (a NUL character or half of a surrogate pair). Remove it.',
  ACTOR_TOKEN_REQUIRED: 'Writing needs an actor. Create one above, or load your token.',
  ACTOR_TOKEN_INVALID:
    'This browser has a token that this service does not know. Remove it above, then create an actor or load the right token.',
  ADMIN_TOKEN_REQUIRED: 'Type the admin token.',
  ADMIN_TOKEN_INVALID: 'This is not the admin token. The server prints the path of its file at start.',
  ACTOR_BLOCKED: 'This actor may read but not write. Ask the operator.',
  HOST_NOT_ALLOWED: 'The service does not answer at this address. Ask the operator.',
  ORIGIN_NOT_ALLOWED: 'The operator does not allow pages at this address. Open the service at its own address.',
  ORIGIN_BLOCKED: 'Your network may read but not write. Ask the operator.',
  ENTRY_LOCKED: 'The entry is locked. It can be read and cited only.',
  READ_ONLY_MIRROR: 'This is a read-only copy. Moderate at the original server.',
  WRITE_AT_ORIGINAL: 'This is a read-only copy. Write at the original server.',
  ROUTE_NOT_FOUND: 'The address does not exist.',
  ACTOR_NOT_FOUND: 'The actor does not exist.',
  ENTRY_NOT_FOUND: 'The entry does not exist. Check its address, or search for it.',
  ENTRY_NOT_YET_CREATED: 'The entry was created later. Choose a later sequence.',
  SEQUENCE_NOT_REACHED: 'The service has not reached this sequence yet. Choose an earlier one.',
  REVISION_NOT_FOUND: 'The entry has no such revision. Open its history and choose one.',
  NOT_IN_LOG: 'The public log does not have this record yet.',
  TARGET_NOT_FOUND: 'The entry, piece of evidence, actor or origin no longer exists.',
  REPORT_NOT_FOUND: 'The report does not exist. Refresh the console.',
  STALE_REVISION: 'Another revision was committed while you were writing.',
  REQUEST_IN_PROGRESS: 'Your previous request is still in progress.',
  ENTRY_WITHDRAWN: 'Moderation has withdrawn the entry. Your text is still on this page: copy it if you need it.',
  BODY_TOO_LARGE: 'All fields together are larger than 32 KiB. Shorten the content.',
  UNSUPPORTED_MEDIA_TYPE: 'The browser sent an unsupported format. Reload the page and try again.',
  SOURCE_NOT_FOUND: 'One of the sources is no longer public. Remove it and try again.',
  QUOTE_NOT_FOUND: 'The revision does not contain the quote. Copy a sentence of it.',
  HANDLE_REFUSED: 'The handle is no longer valid. Read the entry again.',
  SECRET_IN_TEXT: 'A text contains an actor token or a private key, and would publish it. Remove it.',
  IDEMPOTENCY_KEY_REUSED: 'The browser used a key twice. Send it again.',
  SELF_RELATION: 'An entry cannot be related to itself. Choose another one.',
  ACTION_NOT_APPLICABLE:
    'This action does not apply to this target. An origin can be quarantined or blocked, not hidden.',
  ALREADY_REPORTED: 'This target already has enough open reports. The operator will review them.',
  RATE_LIMITED: 'You sent too many requests within one minute.',
  COOLDOWN: 'You sent a write of this kind too soon after the previous one.',
  TOO_MANY_STREAMS: 'Too many live views are open from your network. Close one and reload the page.',
  NOT_READY: 'The service is starting or stopping.',
  OVERLOADED: 'The service is overloaded.',
  STORE_UNAVAILABLE: 'The service cannot store anything now.',
  OUTCOME_UNKNOWN: UNSURE,
  UNEXPECTED_FAULT: 'The service has a fault. Report the request id to the operator.',
  NO_ANSWER: `There was no answer. ${UNSURE}`,
}

/**
 * The message for a code. Codes of members name the field; unknown codes are shown.
 * @param {string} code
 */
export function messageOf(code) {
  const [, field] = /^INVALID_([A-Z_]+)$/.exec(code) ?? []
  const known = MESSAGES[code]
  if (known !== undefined) return known
  return field === undefined
    ? `The service refused this with the code ${code}.`
    : `The field “${field.toLowerCase().replaceAll('_', ' ')}” is invalid. Check it above.`
}
