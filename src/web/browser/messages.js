/**
 * What a person is told when the service refuses, by problem code, and what to do about it.
 * @type {Record<string, string>}
 */
export const MESSAGES = {
  MALFORMED_REQUEST: 'The browser sent something that is no proper request. Reload the page and try again.',
  INVALID_PATH: 'The address of this page is not right. Go back to the entry and start from there.',
  INVALID_QUERY: 'The address of this page cannot be read. Go back and start again.',
  UNKNOWN_PARAMETER: 'The address of this page has a part that the service does not take. Go back and start again.',
  MISSING_PARAMETER: 'The address of this page lacks a part. Go back and start again.',
  REPEATED_PARAMETER: 'The address of this page has a part twice. Go back and start again.',
  INVALID_EVENT_ID: 'The place in the stream to go on from is not right. Reload the page.',
  INVALID_IDEMPOTENCY_KEY: 'The browser sent a key that is not taken. Reload the page and try again.',
  MALFORMED_JSON: 'The text could not be sent as it is. Look for odd characters in it and try again.',
  INVALID_BODY: 'The browser sent something other than the fields of this form. Reload the page and try again.',
  UNKNOWN_MEMBER: 'The browser sent a field that the service does not take. Reload the page and try again.',
  MISSING_MEMBER: 'A field is empty that must be filled in. Check the fields above.',
  INVALID_TAGS: 'Tags take letters, digits, spaces and hyphens: at most 8 tags of 1 to 40 characters.',
  INVALID_TEXT: 'A text holds a character that cannot be stored (a zero character or half of a pair). Remove it.',
  ACTOR_TOKEN_REQUIRED: 'Writing needs an actor. Create one above, or load the token you already have.',
  ACTOR_TOKEN_INVALID:
    'This browser keeps a token that this service does not know. Forget it above, then create an actor or load the right token.',
  ADMIN_TOKEN_REQUIRED: 'Type the admin token.',
  ADMIN_TOKEN_INVALID:
    'That is not the admin token of this server. The start of the server says in which file it lies.',
  ACTOR_BLOCKED: 'This actor may read but no longer write. Ask the operator.',
  ORIGIN_BLOCKED: 'Your network may read but not write here. Ask the operator.',
  ENTRY_LOCKED: 'The entry is locked: it can be read and cited, but takes nothing new.',
  READ_ONLY_MIRROR: 'This is a copy that is only read. Write where it was copied from.',
  ROUTE_NOT_FOUND: 'There is no such address.',
  ACTOR_NOT_FOUND: 'There is no such actor.',
  ENTRY_NOT_FOUND: 'There is no such entry. Check its address, or search for it.',
  ENTRY_NOT_YET_CREATED: 'The entry was created later. Choose a later sequence.',
  SEQUENCE_NOT_REACHED: 'The service has not reached this sequence yet. Choose an earlier one.',
  REVISION_NOT_FOUND: 'The entry has no such revision. Open its history and pick one.',
  NOT_IN_LOG: 'The public log has no such record yet.',
  TARGET_NOT_FOUND: 'There is no such entry, piece of evidence, actor or origin any more.',
  REPORT_NOT_FOUND: 'There is no such report. Refresh the console.',
  STALE_REVISION: 'Somebody revised the entry while you were writing.',
  REQUEST_IN_PROGRESS: 'What you sent before is still being worked on.',
  ENTRY_WITHDRAWN:
    'The entry has been withdrawn by moderation. Your text is still in this page: copy it if you need it.',
  BODY_TOO_LARGE: 'All fields together are larger than 32 KiB. Shorten the content.',
  UNSUPPORTED_MEDIA_TYPE: 'The browser sent the text in a form that is not taken. Reload the page and try again.',
  SOURCE_NOT_FOUND: 'One of the sources cannot be read here any more. Remove it and try again.',
  SECRET_IN_TEXT: 'A text holds an actor token or a private key. Everything here is public: remove it.',
  IDEMPOTENCY_KEY_REUSED: 'The browser used a key twice. Send it again.',
  SELF_RELATION: 'An entry cannot be related to itself. Choose another one.',
  ACTION_NOT_APPLICABLE:
    'That cannot be done to this kind of target: an origin can be quarantined or blocked, not hidden.',
  ALREADY_REPORTED: 'Enough others have reported this already; the operator will look at it.',
  RATE_LIMITED: 'That was too much within one minute.',
  COOLDOWN: 'That came too soon after the last time you did the same.',
  TOO_MANY_STREAMS: 'Too many live views are open from your network. Close one and reload the page.',
  NOT_READY: 'The service is starting or stopping.',
  OVERLOADED: 'The service has more to do than it can take.',
  STORE_UNAVAILABLE: 'Nothing can be stored at the moment.',
  OUTCOME_UNKNOWN: 'It may or may not have been stored: send it again as it is, and it is stored once.',
  UNEXPECTED_FAULT: 'Something failed that should not. Tell the operator the request number.',
  NO_ANSWER: 'No answer came. It may or may not have been stored: send it again as it is, and it is stored once.',
}

/**
 * The sentence for a code. Codes of other members name the field; an unknown code is named.
 * @param {string} code
 */
export function messageOf(code) {
  const [, field] = /^INVALID_([A-Z_]+)$/.exec(code) ?? []
  const known = MESSAGES[code]
  if (known !== undefined) return known
  return field === undefined
    ? `The service refused this with the code ${code}.`
    : `The field “${field.toLowerCase().replaceAll('_', ' ')}” is too long, too short or holds something that it does not take. Check it above.`
}
