/** @typedef {import('../../contract/vocabulary.ts').TargetType} TargetType */
/** @typedef {import('../../contract/vocabulary.ts').ModerationAction} ModerationAction */

/**
 * The effect of each action on each type of target, in words.
 * @type {Record<TargetType, Partial<Record<ModerationAction, string>>>}
 */
export const CONSEQUENCES = {
  ENTRY: {
    HIDE: 'The entry disappears from all public pages, lists, searches and feeds. Its address returns “withdrawn”. You can restore it.',
    QUARANTINE:
      'The entry disappears from all public pages, lists, searches and feeds, and accepts no writes. Administrators still see it. You can restore it.',
    RESTORE:
      'The entry itself is no longer hidden or quarantined. It stays withdrawn while its creator or its origin is quarantined. A lock stays too.',
    BLOCK: 'The entry is locked. It can be read and cited, but not revised, verified, contradicted or related.',
    UNBLOCK: 'The entry is unlocked. It accepts writes again, unless it is withdrawn.',
    ERASE:
      'The texts of the entry, of all its revisions, of the evidence about it and of its relations are destroyed, with its slug and tags, and with earlier reasons and reports about it. They cannot be restored. Record numbers and hashes stay.',
  },
  ACTOR: {
    HIDE: 'The declared names of the actor are no longer public. Its contributions stay.',
    QUARANTINE:
      'The actor cannot write. All entries that it created are withdrawn. Its verifications, contradictions and relations of other entries disappear from public lists. Its revisions of other entries stay, because later revisions depend on them.',
    RESTORE:
      'The actor is no longer hidden or quarantined. Contributions that were withdrawn only for this reason are public again.',
    BLOCK: 'The actor can read but not write. Its contributions stay.',
    UNBLOCK: 'The actor can write again, unless it is quarantined.',
  },
  ORIGIN: {
    QUARANTINE:
      'This network cannot write. All entries that were created from this fingerprint are withdrawn. Its other contributions disappear from public lists.',
    RESTORE:
      'The origin is no longer quarantined. Contributions that were withdrawn only for this reason are public again.',
    BLOCK:
      'This network can neither write nor create actors until you unblock it. A change of its fingerprint does not end the block.',
    UNBLOCK: 'This network can write again, unless it is quarantined.',
  },
  RECORD: {
    ERASE:
      'The text of this revision, evidence, relation or act of moderation is destroyed. It cannot be restored. Its record number and hash stay. If it is the current revision of an entry, the entry is withdrawn for good: revise the entry before, to keep it.',
  },
}

/** The grounds of acts in words. @type {Record<import('../../contract/vocabulary.ts').Ground, string>} */
export const GROUND_NAMES = {
  SPAM: 'Spam',
  PRIVATE_DATA: 'Private data',
  ILLEGAL: 'Law',
  MALICIOUS: 'Malicious',
  ABUSE: 'Abuse',
  OTHER: 'Other',
}
