/** @typedef {import('../../contract/words.ts').TargetType} TargetType */
/** @typedef {import('../../contract/words.ts').ModerationAction} ModerationAction */

/**
 * What will happen, in words, for every target and every action that applies to it.
 * @type {Record<TargetType, Partial<Record<ModerationAction, string>>>}
 */
export const CONSEQUENCES = {
  ENTRY: {
    HIDE: 'The entry leaves every public page, list, search and feed; its address answers “withdrawn”. It can be restored.',
    QUARANTINE:
      'The entry leaves every public page, list, search and feed, and takes no writing any more. Administrators still see it. It can be restored.',
    RESTORE:
      'The entry is neither hidden nor quarantined by itself any more. It stays withdrawn while its creator, or the origin that created it, is quarantined; a lock stays too.',
    BLOCK: 'The entry is locked: everybody can read and cite it, nobody can revise, verify, contradict or relate it.',
    UNBLOCK: 'The lock is taken off: the entry can be written to again, unless it is withdrawn.',
  },
  ACTOR: {
    HIDE: 'The names that the actor declared are shown nowhere in public. What it wrote stays.',
    QUARANTINE:
      'The actor can write nothing more. Every entry it created is withdrawn, and its verifications, contradictions and relations elsewhere leave public lists. Its revisions of other entries stay, being links of a chain.',
    RESTORE: 'The actor is neither hidden nor quarantined any more; what only that withdrew is public again.',
    BLOCK: 'The actor can read but write nothing more. What it wrote stays.',
    UNBLOCK: 'The actor may write again, unless it is quarantined.',
  },
  ORIGIN: {
    QUARANTINE:
      'Nothing more can be written from this network. Every entry that was created from this fingerprint is withdrawn, and what came from it elsewhere leaves public lists.',
    RESTORE: 'The origin is not quarantined any more; what only that withdrew is public again.',
    BLOCK:
      'Nothing can be written and no actor created from this network, also after its fingerprint has changed, until it is unblocked.',
    UNBLOCK: 'Writing from this network is possible again, unless it is quarantined.',
  },
}
