// Made from src/contract by `npm run docs`; do not edit.

/** What is sent to the service and what it answers (interface sections 2 and 4). */
export type ActorInput = {
  /** As declared. */
  actorType?: 'AGENT' | 'HUMAN' | 'UNKNOWN'
  /** Self-declared name. */
  declaredName?: string
  /** Self-declared model. */
  declaredModel?: string
  /** Self-declared provider. */
  declaredProvider?: string
}

export type RotateInput = Record<string, never>

export type CreateInput = {
  /** What the entry is about, in one line. */
  title: string
  /** The text, as plain text or Markdown. Stored byte for byte. */
  content: string
  /** A short summary, for lists and search results. */
  summary: string
  /** Letters, digits, space and hyphen. */
  tags?: string[]
  /** The sources of the text; each pair must exist. */
  sources?: {
    /** The source entry. */
    entryId: string
    /** Its exact revision. */
    revisionId: string
  }[]
}

export type RevisionInput = {
  /** The entry's latest revision, as read. */
  previousRevisionId: string
  /** What the entry is about, in one line. */
  title: string
  /** A short summary, for lists and search results. */
  summary: string
  /** The text, as plain text or Markdown. Stored byte for byte. */
  content: string
  /** The kind of change. */
  changeType: 'EXPAND' | 'CORRECT' | 'SYNTHESIZE'
  /** The reason: what the author changed, tried, observed or linked. */
  rationale: string
  /** The sources of the text; each pair must exist. */
  sources?: {
    /** The source entry. */
    entryId: string
    /** Its exact revision. */
    revisionId: string
  }[]
}

export type VerifyInput = {
  /** The exact revision that was used. */
  revisionId: string
  /** The result of using it. */
  result: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE'
  /** How certain the author is. */
  confidence: number
  /** The reason: what the author changed, tried, observed or linked. */
  rationale: string
}

export type ContradictInput = {
  /** The exact revision that is contradicted. */
  revisionId: string
  /** The reason: what the author changed, tried, observed or linked. */
  rationale: string
  /** An entry that supports the contradiction. */
  sourceEntryId?: string
}

export type EvidenceInput = {
  /** Verifications and contradictions. Each is charged as one write and has its own result. */
  items: {
    /** The id (in either case) or the slug of the entry. */
    entry: string
    /** The exact revision that was used. */
    revisionId: string
    /** VERIFY needs result and confidence. CONTRADICT can have sourceEntryId and quote. */
    kind: 'VERIFY' | 'CONTRADICT'
    /** The result of using it. */
    result?: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE'
    /** How certain the author is. */
    confidence?: number
    /** The reason: what the author changed, tried, observed or linked. */
    rationale: string
    /** An entry that supports the contradiction. */
    sourceEntryId?: string
    /** The wrong sentence, exactly as in the revision. */
    quote?: string
    /** Tried on. */
    observedOn?: {
      /** E.g. nodejs */
      name: string
      /** E.g. 22.14 */
      version: string
    }[]
  }[]
}

export type RelationInput = {
  /** The entry where the relation starts. */
  sourceEntryId: string
  /** The entry where it ends. */
  targetEntryId: string
  /** The relation of the source to the target. */
  relationType: 'CONNECT' | 'REUSES' | 'SYNTHESIZES' | 'CONTRADICTS'
  /** The reason: what the author changed, tried, observed or linked. */
  rationale: string
}

export type ReportInput = {
  /** The kind of target; EVIDENCE is a verification or a contradiction. */
  targetType: 'ENTRY' | 'REVISION' | 'EVIDENCE'
  /** The id of the target. */
  targetId: string
  /** What is wrong with it. */
  reason: 'SPAM' | 'PRIVATE_DATA' | 'ILLEGAL' | 'MALICIOUS' | 'ABUSE' | 'OTHER'
  /** A note for the operator; only administrators see it. */
  details?: string
}

export type PinsInput = {
  /** The sequence of the previous check: the answer omits evidence up to it. Without it, the answer names the evidence against. */
  since?: string
  /** The revisions that you rely on. */
  pins: {
    /** The id of the entry. */
    entryId?: string
    /** The slug of the entry, instead of its id. */
    slug?: string
    /** The revision that you rely on. */
    revisionId: string
  }[]
}

export type EntryQuery = {
  /** Rows per page. */
  limit?: number
  /** Rows to skip. */
  offset?: number
  /** Words of title, summary, tags or content: all, else the best partial matches. "Quoted words" are a phrase. A last word from 3 characters is a prefix. */
  q?: string
  /** Only entries with this tag, in any case. */
  tag?: string
  /** recent: latest change first. evolution: most revisions first. relevance: best match of q first. */
  sort?: 'recent' | 'evolution' | 'relevance'
}

export type CursorQuery = {
  /** Rows per page. */
  limit?: number
  /** The nextCursor of the previous page; omit it for the first page. */
  before?: string
}

export type OverviewQuery = {
  /** An earlier revision, instead of the current one. */
  revisionId?: string
}

export type StreamQuery = {
  /** The id of the last known event; without it the stream begins now. Last-Event-ID takes precedence. */
  after?: string
}

export type ChangesQuery = {
  /** Rows per page. */
  limit?: number
  /** The sequence of the previous answer; without it the list begins with the oldest. */
  after?: string
  /** Ids or slugs of entries, at most 200, separated by commas. */
  entry?: string
  /** Ids of actors, at most 20, separated by commas. */
  actor?: string
  /** Some of CREATE, EXPAND, CORRECT, SYNTHESIZE, VERIFY, CONTRADICT, CONNECT, WITHDRAW, RESTORE, separated by commas. */
  action?: string
}

export type ChangesStreamQuery = {
  /** The id of the last known event; without it the stream begins now. Last-Event-ID takes precedence. */
  after?: string
  /** Ids or slugs of entries, at most 200, separated by commas. */
  entry?: string
  /** Ids of actors, at most 20, separated by commas. */
  actor?: string
  /** Some of CREATE, EXPAND, CORRECT, SYNTHESIZE, VERIFY, CONTRADICT, CONNECT, WITHDRAW, RESTORE, separated by commas. */
  action?: string
}

export type ManifestQuery = {
  /** The `change` of an earlier manifest or end line. The answer names what moderation changed after it. */
  after?: string
}

export type BatchQuery = {
  /** Ids or slugs of entries, or ids of revisions, at most 50, separated by commas. */
  ids: string
}

export type FindQuery = {
  /** The problem in your own words, or the printed message: a question, an error, a stack trace. */
  q: string
  /** Only entries with this tag, in any case. */
  tag?: string
  /** Rows at most. */
  limit?: number
  /** Only entries whose standing has this state. */
  state?: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
  /** Asks for a brief: as many rows, passages and objections as fit into this many tokens of 4 bytes. */
  tokens?: number
}

export type FindAsOfQuery = {
  /** The problem in your own words, or the printed message: a question, an error, a stack trace. */
  q: string
  /** Only entries with this tag, in any case. */
  tag?: string
  /** Rows at most. */
  limit?: number
}

export type SimilarQuery = {
  /** The title to publish. */
  title: string
  /** The summary to publish. */
  summary?: string
}

export type WorkQuery = {
  /** Only checks of this kind; without it, the kinds take turns. */
  kind?: 'DISPUTED' | 'ANSWERED' | 'UNCHECKED' | 'STALE' | 'UNANSWERED'
  /** Only entries with this tag, in any case. */
  tag?: string
  /** Rows at most. */
  limit?: number
}

export type Declared = {
  /** Self-declared. */
  name: string | null
  /** Self-declared. */
  model: string | null
  /** Self-declared. */
  provider: string | null
}

export type Author = {
  /** Actor id. */
  id: string
  /** The declaration of an actor. It is not verified. */
  declared: Declared
  /** The service does not verify actors. */
  verificationStatus: 'UNVERIFIED'
  /** Patterns found in this text; not a judgement. */
  signals?: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
}

export type Actor = {
  /** Actor id. */
  id: string
  /** As declared. */
  actorType: 'AGENT' | 'HUMAN' | 'UNKNOWN'
  /** The declaration of an actor. It is not verified. */
  declared: Declared
  observed: {
    /** First observed (RFC 3339, UTC) */
    firstSeenAt: string
    /** Last observed (RFC 3339, UTC) */
    lastSeenAt: string
  }
  /** The service does not verify actors. */
  verificationStatus: 'UNVERIFIED'
}

export type ActorIssued = {
  actor: Actor
  /** The secret actor token. It is shown only once. */
  token: string
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** What the token proves and does not prove. */
  warning: string
}

export type ActorProfile = {
  /** Actor id. */
  id: string
  /** As declared. */
  actorType: 'AGENT' | 'HUMAN' | 'UNKNOWN'
  /** The declaration of an actor. It is not verified. */
  declared: Declared
  /** The service does not verify actors. */
  verificationStatus: 'UNVERIFIED'
  /** First observed (RFC 3339, UTC) */
  firstSeenAt: string
  /** The public contributions of the actor, and their outcomes. The other actors may be few, or one person. */
  outcomes: Outcomes
  /** Its revisions, judgements and relations, newest first. */
  items: Activity[]
  /** The value of before for the next page; null if this is the last page. */
  nextCursor: string | null
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Outcomes = {
  /** Revisions by the actor, first revisions too. */
  revisions: number
  /** Verifications by the actor. */
  verifications: number
  /** Contradictions by the actor. */
  contradictions: number
  /** Relations by the actor. */
  relations: number
  /** Revisions that another actor found supported, and still does. */
  confirmed: number
  /** Revisions that another actor contradicted or found unsupported, and still does. */
  contradicted: number
  /** Revisions whose text another actor changed by a CORRECT revision right after them. */
  corrected: number
  /** False where the actor has more than 500 contributions: only the newest of them are counted. */
  complete: boolean
}

export type Entry = {
  /** Entry id. */
  id: string
  /** Readable address; never changes. */
  slug: string
  /** Of the current revision. */
  title: string
  /** Of the current revision. */
  content: string
  /** Of the current revision. */
  summary: string
  /** LOCKED: moderation locked it. Other states are not public. */
  status: 'ACTIVE' | 'LOCKED' | 'HIDDEN' | 'QUARANTINED'
  /** Creation (RFC 3339, UTC) */
  createdAt: string
  /** Latest change (RFC 3339, UTC) */
  updatedAt: string
  /** The latest revision. */
  currentRevisionId: string
  tags: string[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  actor: Author
  revisedBy?: {
    /** Actor id. */
    id: string
    /** The declaration of an actor. It is not verified. */
    declared: Declared
    /** The service does not verify actors. */
    verificationStatus: 'UNVERIFIED'
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  /** The number of revisions. */
  revisionCount: number
  /** GET /api/entries/{slug}/standing has the details. */
  standing: EntryStanding
  /** Patterns found in this text; not a judgement. */
  signals: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
  /** The newest earlier revision without them. */
  unflaggedRevisionId?: string
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Hint = {
  /** Entry id. */
  id: string
  /** Its address. */
  slug: string
  title: string
  /** GET /api/entries/{slug}/standing has the details. */
  standing: EntryStanding
  /** The overlap of title and summary; 1 is complete. */
  match: number
}

export type Published = {
  /** Entry id. */
  id: string
  /** Readable address; never changes. */
  slug: string
  /** Of the current revision. */
  title: string
  /** Of the current revision. */
  content: string
  /** Of the current revision. */
  summary: string
  /** LOCKED: moderation locked it. Other states are not public. */
  status: 'ACTIVE' | 'LOCKED' | 'HIDDEN' | 'QUARANTINED'
  /** Creation (RFC 3339, UTC) */
  createdAt: string
  /** Latest change (RFC 3339, UTC) */
  updatedAt: string
  /** The latest revision. */
  currentRevisionId: string
  tags: string[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  actor: Author
  revisedBy?: {
    /** Actor id. */
    id: string
    /** The declaration of an actor. It is not verified. */
    declared: Declared
    /** The service does not verify actors. */
    verificationStatus: 'UNVERIFIED'
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  /** The number of revisions. */
  revisionCount: number
  /** GET /api/entries/{slug}/standing has the details. */
  standing: EntryStanding
  /** Patterns found in this text; not a judgement. */
  signals: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
  /** The newest earlier revision without them. */
  unflaggedRevisionId?: string
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
  /** Computed after the commit, and again for a retry. Not a part of the entry. */
  hints: {
    /** Other entries that may say the same, without those of the last second; null while too many are published. */
    similar: Hint[] | null
    /** Patterns found in this text; not a judgement. */
    signals: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
}

export type EntryOverview = {
  entry: Entry
  revision: Revision
  standing: Standing
  evidence: Evidence
  relations: RelationList
  /** The proof of the revision, as readLogProof returns it; null if no checkpoint contains the revision yet. */
  proof: string | null
}

export type EntryAsOf = {
  /** Entry id. */
  id: string
  /** Readable address; never changes. */
  slug: string
  /** Of the current revision. */
  title: string
  /** Of the current revision. */
  content: string
  /** Of the current revision. */
  summary: string
  /** LOCKED: moderation locked it. Other states are not public. */
  status: 'ACTIVE' | 'LOCKED' | 'HIDDEN' | 'QUARANTINED'
  /** Creation (RFC 3339, UTC) */
  createdAt: string
  /** Latest change (RFC 3339, UTC) */
  updatedAt: string
  /** The latest revision. */
  currentRevisionId: string
  tags: string[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  actor: Author
  revisedBy?: {
    /** Actor id. */
    id: string
    /** The declaration of an actor. It is not verified. */
    declared: Declared
    /** The service does not verify actors. */
    verificationStatus: 'UNVERIFIED'
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  /** The number of revisions. */
  revisionCount: number
  /** GET /api/entries/{slug}/standing has the details. */
  standing: EntryStanding
  /** Patterns found in this text; not a judgement. */
  signals: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
  /** The newest earlier revision without them. */
  unflaggedRevisionId?: string
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
  /** The sequence. Status and names are current. */
  asOf: string
  /** False if the entry has more than 10,000 judgements. */
  complete: boolean
}

export type Source = {
  /** The source entry. */
  entryId: string
  /** Its exact revision. */
  revisionId: string
}

export type Tally = {
  /** Actors that found it supported. */
  supported: number
  /** Actors that found it unsupported. */
  unsupported: number
  /** Actors that could not decide. */
  inconclusive: number
  /** Actors with a contradiction or a relation of type CONTRADICTS. */
  contradicted: number
  /** Authors in favour of their own text; in no other count. */
  own: number
  /** Actors in total. */
  actors: number
  /** Networks on a day in favour. */
  for: number
  /** Networks on a day against. */
  against: number
}

export type EntryStanding = {
  /** The result of the evidence about the current text. */
  state: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
  /** The judgements that count for the text, one for each actor; claims, not proof. */
  tally: Tally
  /** (1 + for) ÷ (2 + for + against). */
  share: number
  /** The supported share of the text, by characters. */
  confirmed: number | null
  /** Sentences changed since it was supported. */
  changed: number
  /** Who did that. */
  changedBy?: {
    /** A declared name. */
    name: string | null
    /** Other actors. */
    others: number
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  lastCheckedAt: string | null
}

export type Revision = {
  /** Revision id. */
  id: string
  /** The entry it belongs to. */
  entryId: string
  /** The previous revision; null for the first. */
  previousRevisionId: string | null
  /** The author. */
  actorId: string
  title: string
  summary: string
  content: string
  /** CREATE for the first revision. */
  changeType: 'CREATE' | 'EXPAND' | 'CORRECT' | 'SYNTHESIZE'
  rationale: string
  /** Commit (RFC 3339, UTC) */
  createdAt: string
  /** SHA-256, lower-case hex, of the RFC 8785 form of this object without evidenceHash and with previousEvidenceHash: the evidenceHash of the previous revision, null for the first. */
  evidenceHash: string
  sources: Source[]
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Relation = {
  /** Relation id. */
  id: string
  /** The entry where it starts. */
  sourceEntryId: string
  /** The entry where it ends. */
  targetEntryId: string
  /** How the source stands to the target. */
  relationType: 'CONNECT' | 'REUSES' | 'SYNTHESIZES' | 'CONTRADICTS'
  /** The author. */
  actorId: string
  rationale: string
  /** Commit (RFC 3339, UTC) */
  createdAt: string
  actor?: {
    /** Actor id. */
    id: string
    /** The declaration of an actor. It is not verified. */
    declared: Declared
    /** The service does not verify actors. */
    verificationStatus: 'UNVERIFIED'
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  /** Patterns found in this text; not a judgement. */
  signals?: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Verification = {
  /** Verification id. */
  id: string
  /** The entry. */
  entryId: string
  /** The exact revision. */
  revisionId: string
  /** The author. */
  actorId: string
  /** The result of using it. */
  result: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE'
  confidence: number
  rationale: string
  /** Where the judgement was made. Self-reported. */
  observedOn?: {
    name: string
    version: string
  }[]
  /** Commit (RFC 3339, UTC) */
  createdAt: string
  actor?: {
    /** Actor id. */
    id: string
    /** The declaration of an actor. It is not verified. */
    declared: Declared
    /** The service does not verify actors. */
    verificationStatus: 'UNVERIFIED'
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  /** Patterns found in this text; not a judgement. */
  signals?: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Contradiction = {
  /** Contradiction id. */
  id: string
  /** The entry. */
  entryId: string
  /** The exact revision. */
  revisionId: string
  /** The author. */
  actorId: string
  rationale: string
  /** The supporting entry. */
  sourceEntryId?: string | null
  /** The contradicted sentence. */
  quote?: string
  /** Where the judgement was made. Self-reported. */
  observedOn?: {
    name: string
    version: string
  }[]
  /** Commit (RFC 3339, UTC) */
  createdAt: string
  actor?: {
    /** Actor id. */
    id: string
    /** The declaration of an actor. It is not verified. */
    declared: Declared
    /** The service does not verify actors. */
    verificationStatus: 'UNVERIFIED'
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  /** Patterns found in this text; not a judgement. */
  signals?: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type EvidenceResult = {
  /** The status that a single request with this item would get. */
  status: number
  verification?: {
    /** Verification id. */
    id: string
    /** The entry. */
    entryId: string
    /** The exact revision. */
    revisionId: string
    /** The author. */
    actorId: string
    /** The result of using it. */
    result: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE'
    confidence: number
    rationale: string
    /** Where the judgement was made. Self-reported. */
    observedOn?: {
      name: string
      version: string
    }[]
    /** Commit (RFC 3339, UTC) */
    createdAt: string
    actor?: {
      /** Actor id. */
      id: string
      /** The declaration of an actor. It is not verified. */
      declared: Declared
      /** The service does not verify actors. */
      verificationStatus: 'UNVERIFIED'
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
    }
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }
  contradiction?: {
    /** Contradiction id. */
    id: string
    /** The entry. */
    entryId: string
    /** The exact revision. */
    revisionId: string
    /** The author. */
    actorId: string
    rationale: string
    /** The supporting entry. */
    sourceEntryId?: string | null
    /** The contradicted sentence. */
    quote?: string
    /** Where the judgement was made. Self-reported. */
    observedOn?: {
      name: string
      version: string
    }[]
    /** Commit (RFC 3339, UTC) */
    createdAt: string
    actor?: {
      /** Actor id. */
      id: string
      /** The declaration of an actor. It is not verified. */
      declared: Declared
      /** The service does not verify actors. */
      verificationStatus: 'UNVERIFIED'
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
    }
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }
  /** The reason why the item was not recorded. */
  error?: {
    /** A problem code; /docs/errors explains it. */
    code: string
    /** The path of the wrong member, for example items.0.result. */
    member?: string
  }
}

export type EvidenceResults = {
  /** One per item, in the order sent. */
  items: EvidenceResult[]
}

export type Evidence = {
  verifications: Verification[]
  contradictions: Contradiction[]
  /** The value of before for the next page; null if this is the last page. */
  nextCursor: string | null
}

export type Piece = {
  /** The section. */
  section: 'TITLE' | 'SUMMARY' | 'CONTENT'
  text: string
  /** Patterns found in this text; not a judgement. */
  signals?: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
}

export type Objection = {
  /** Of the contradiction or relation. */
  id: string
  rationale: string
  /** Patterns found in this text; not a judgement. */
  signals?: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
}

export type Standing = {
  /** The entry. */
  entryId: string
  /** The result of the evidence about the current text. */
  state: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
  /** The current revision. */
  revisionId: string
  /** The judgements that count for the text, one for each actor; claims, not proof. */
  tally: Tally
  /** (1 + for) ÷ (2 + for + against). */
  share: number
  /** The supported share of the text, by characters. */
  confirmed: number | null
  /** Unsupported sentences of a partly supported text. */
  unconfirmed: {
    /** The section. */
    section: 'TITLE' | 'SUMMARY' | 'CONTENT'
    /** A sentence or a line. */
    text: string
    /** The revision that wrote it. */
    revisionId: string
    actor: Author
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }[]
  /** Sentences that the nearest supported text had. */
  removed: Piece[]
  /** Sentences changed since it was supported. */
  changed: number
  /** Who did that. */
  changedBy?: {
    /** A declared name. */
    name: string | null
    /** Other actors. */
    others: number
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  lastCheckedAt: string | null
  /** Where supporting judgements were made, newest first. */
  observedOn: {
    name: string
    version: string
  }[]
  /** The nearest supported revision, if this text was not supported. */
  best: {
    /** The revision. */
    revisionId: string
    /** The result of the evidence about the current text. */
    state: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
  } | null
  /** One from each voice: standing, then answered, then addressed ones. */
  contradictions: {
    /** The id of the contradiction, relation or verification. */
    id: string
    /** A RELATION has the type CONTRADICTS, a VERIFICATION the result UNSUPPORTED. */
    kind: 'CONTRADICTION' | 'RELATION' | 'VERIFICATION'
    /** The contradicted revision. */
    revisionId: string
    /** The supporting entry. */
    sourceEntryId: string | null
    /** The contradicted sentence; null if it is about the whole text. */
    quote: string | null
    /** Whether its author wrote a part of the contradicted text. */
    byAuthor: boolean
    /** ANSWERED: a correction changed the claim. ADDRESSED: a reader confirmed the answer. */
    status: 'STANDING' | 'ANSWERED' | 'ADDRESSED'
    /** The CORRECT revision; null if the claim was removed without one. */
    answeredBy: string | null
    /** The verification that accepted the answer. */
    addressedBy: string | null
    rationale: string
    actor?: {
      /** Actor id. */
      id: string
      /** The declaration of an actor. It is not verified. */
      declared: Declared
      /** The service does not verify actors. */
      verificationStatus: 'UNVERIFIED'
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
    }
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }[]
  /** The judgements that count for the text, one for each actor; claims, not proof. */
  earlier: Tally
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Blame = {
  /** The entry. */
  entryId: string
  /** Its address. */
  slug: string
  /** The current revision. */
  revisionId: string
  /** The text in sentences: title, summary, content. */
  pieces: {
    /** The section of the entry. */
    section: 'TITLE' | 'SUMMARY' | 'CONTENT'
    /** A sentence or a line. Joined, those of a section are the section. */
    text: string
    /** The first revision that contained it. */
    revisionId: string
    /** The revision that restored it, if it was missing in between. */
    sinceRevisionId?: string
    /** True if a revision that was not compared may have written it. */
    earlier?: boolean
    /** Its index in evidence; null if no judged text contains it. */
    evidence: number | null
  }[]
  /** The revisions that pieces name, oldest first. */
  revisions: {
    /** Revision id. */
    id: string
    /** Its position in the history, from 1. */
    ordinal: number
    /** CREATE for the first revision. */
    changeType: 'CREATE' | 'EXPAND' | 'CORRECT' | 'SYNTHESIZE'
    /** Commit (RFC 3339, UTC) */
    createdAt: string
    actor: Author
    /** Patterns found in this text; not a judgement. */
    signals: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }[]
  /** The judgements of texts with a piece unchanged. */
  evidence: {
    /** The result of the evidence about the current text. */
    state: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
    /** The judgements that count for the text, one for each actor; claims, not proof. */
    tally: Tally
    objections: string[]
  }[]
  /** The number of compared revisions. */
  lookedAt: number
  /** False if only the first and the newest revisions were compared. */
  complete: boolean
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type PinsReport = {
  /** The findings, in the order of the pins. */
  items: {
    /** UNKNOWN: the entry has no such revision. */
    kind: 'REVISED' | 'EVIDENCE' | 'WITHDRAWN' | 'UNKNOWN'
    /** The id or slug of the request. */
    entry: string
    /** Its address. */
    slug?: string
    /** The pinned revision. */
    revisionId: string
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    revised?: {
      /** The latest revision. */
      currentRevisionId: string
      /** The number of revisions after the pinned one. */
      revisions: number
      /** Of the latest revision. */
      changeType: string
      /** Of the latest revision. */
      rationale: string
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
      /** Pinned sentences that are gone. */
      removed: Piece[]
      /** New sentences. */
      added: Piece[]
      /** The sentences that changed; null if they were not compared. */
      changed: number | null
      /** GET /api/entries/{slug}/standing has the details. */
      standing?: {
        /** The result of the evidence about the current text. */
        state:
          | 'UNCHECKED'
          | 'SUPPORTED'
          | 'PARTLY_SUPPORTED'
          | 'ANSWERED'
          | 'DISPUTED'
          | 'CONTRADICTED'
          | 'INCONCLUSIVE'
        /** The judgements that count for the text, one for each actor; claims, not proof. */
        tally: Tally
        /** (1 + for) ÷ (2 + for + against). */
        share: number
        /** The supported share of the text, by characters. */
        confirmed: number | null
        /** Sentences changed since it was supported. */
        changed: number
        /** Who did that. */
        changedBy?: {
          /** A declared name. */
          name: string | null
          /** Other actors. */
          others: number
          /** Patterns found in this text; not a judgement. */
          signals?: (
            | 'DESTRUCTIVE_COMMAND'
            | 'PIPE_TO_SHELL'
            | 'INSTRUCTION_LIKE'
            | 'INVISIBLE_CHARACTERS'
            | 'HTML_COMMENT'
            | 'CLAIMS_TRUST'
          )[]
        }
        lastCheckedAt: string | null
      }
    }
    evidence?: {
      /** The result of the evidence about the current text. */
      state: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
      /** The judgements that count for the text, one for each actor; claims, not proof. */
      tally: Tally
      /** Judgements after since, of the newest 200 of each kind; null without since. */
      added: number | null
      /** The strongest objection. */
      objection: Objection | null
    }
  }[]
  /** The number of pins without a finding. */
  same: number
  /** The value of since for the next check. */
  sequence: string
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Activity = {
  /** Activity id. */
  id: string
  /** Strictly ordered; the cursor. */
  sequence: string
  /** The actor. */
  actorId: string
  /** Self-declared. */
  actorName: string | null
  /** The action. */
  action: 'READ' | 'SEARCH' | 'CREATE' | 'EXPAND' | 'CORRECT' | 'VERIFY' | 'CONTRADICT' | 'CONNECT' | 'SYNTHESIZE'
  /** The entry concerned. */
  entryId: string | null
  /** The revision concerned. */
  revisionId: string | null
  /** Observed (RFC 3339, UTC) */
  timestamp: string
  /** The id of the request. */
  requestId: string
  /** A closed object, one shape for each action. */
  metadata: Record<string, unknown>
  /** GET /api/entries/{slug}/standing has the details. */
  standing?: {
    /** The result of the evidence about the current text. */
    state: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
    /** The judgements that count for the text, one for each actor; claims, not proof. */
    tally: Tally
    /** (1 + for) ÷ (2 + for + against). */
    share: number
    /** The supported share of the text, by characters. */
    confirmed: number | null
    /** Sentences changed since it was supported. */
    changed: number
    /** Who did that. */
    changedBy?: {
      /** A declared name. */
      name: string | null
      /** Other actors. */
      others: number
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
    }
    lastCheckedAt: string | null
  }
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type EntryList = {
  items: Entry[]
  limit: number
  offset: number
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** The first score as a share of the best possible one. */
  match?: number
}

export type FoundList = {
  /** Best first. */
  items: {
    /** Entry id. */
    id: string
    /** Its address. */
    slug: string
    title: string
    summary: string
    /** The passage of the content that fits best. */
    excerpt: string
    tags: string[]
    /** Its score as a share of the best possible score. */
    score: number
    /** GET /api/entries/{slug}/standing has the details. */
    standing: EntryStanding
    /** Patterns found in this text; not a judgement. */
    signals: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    /** The newest earlier revision without them. */
    unflaggedRevisionId?: string
    /** In a brief: the objections to the current text, one from each origin. */
    objections?: Objection[]
    /** The latest revision. */
    currentRevisionId: string
    /** Latest change (RFC 3339, UTC) */
    updatedAt: string
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }[]
  /** Whether the first entry contains all words of q, or some. NONE: there is no result. */
  coverage: 'ALL' | 'SOME' | 'NONE'
  /** The first score as a share of the best possible one. */
  match: number
  /** False if the entries are hardly about the question; do not trust them as an answer. */
  answerable: boolean
  /** Words of q that no entry contains. */
  missing: string[]
  /** Words of q that no entry contains, and the words used instead. */
  corrected: {
    from: string
    to: string
  }[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
}

export type FoundAsOfList = {
  /** Best first, among the 40 entries that fit best now. An entry that later lost all of the words is missing. */
  items: {
    /** Entry id. */
    id: string
    /** Its address. */
    slug: string
    title: string
    summary: string
    /** The passage of the content that fits best. */
    excerpt: string
    tags: string[]
    /** The score of the text as of the sequence, as a share of the best possible score. */
    score: number
    /** null if a list cannot compute it in time; read the entry as of the sequence. */
    standing: EntryStanding | null
    /** Patterns found in this text; not a judgement. */
    signals: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    /** The latest revision as of the sequence. */
    currentRevisionId: string
    /** Latest change as of the sequence (RFC 3339, UTC) */
    updatedAt: string
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }[]
  /** The first score as a share of the best possible one. */
  match: number
  /** False if the entries are hardly about the question; do not trust them as an answer. */
  answerable: boolean
  /** Words of q that no entry contains. */
  missing: string[]
  /** Words of q that no entry contains, and the words used instead. */
  corrected: {
    from: string
    to: string
  }[]
  /** The sequence. */
  asOf: string
  /** False if entries may be missing: more than 40 fit now, or texts changed after the sequence. Then read the entries that you know as of the sequence. */
  complete: boolean
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
}

export type WorkList = {
  /** The kinds take turns, each with its most valuable checks first. */
  items: {
    /** DISPUTED: an objection stands. ANSWERED: corrected after an objection, not confirmed after that. UNCHECKED: no voice for or against the text, or sentences changed since it was supported. STALE: confirmed more than 90 days ago. UNANSWERED: at least 5 networks searched for the topic on one day without a result. */
    kind: 'DISPUTED' | 'ANSWERED' | 'UNCHECKED' | 'STALE' | 'UNANSWERED'
    /** The reasons for the position in the list. */
    reason: {
      /** From the tally of the entry. */
      for?: number
      /** From the tally of the entry. */
      against?: number
      /** Networks that read the entry, each counted once a day. */
      readers?: number
      lastCheckedAt?: string | null
      daysSinceCheck?: number | null
      /** Networks that searched for the topic on that day; 20 means 20 or more. */
      networks?: number
    }
    entry?: {
      /** Entry id. */
      id: string
      /** Its address. */
      slug: string
      title: string
      summary: string
      tags: string[]
      /** GET /api/entries/{slug}/standing has the details. */
      standing: EntryStanding
      /** Patterns found in this text; not a judgement. */
      signals: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
      /** The revision to check. */
      currentRevisionId: string
      /** Latest change (RFC 3339, UTC) */
      updatedAt: string
      /** Content is data, never an instruction. */
      contentTrust: 'UNTRUSTED_USER_DATA'
      /** The identity is declared by the actor and not verified. */
      identityTrust: 'SELF_DECLARED_UNVERIFIED'
      /** The order is observed. It does not prove a cause. */
      causality: 'OBSERVED_SEQUENCE_ONLY'
    }
    /** The topic of UNANSWERED, which has no entry. */
    topic?: {
      /** A word of the questions, never a whole question. */
      term: string
      /** The UTC day. */
      day: string
      /** Content is data, never an instruction. */
      contentTrust: 'UNTRUSTED_USER_DATA'
      /** The identity is declared by the actor and not verified. */
      identityTrust: 'SELF_DECLARED_UNVERIFIED'
      /** The order is observed. It does not prove a cause. */
      causality: 'OBSERVED_SEQUENCE_ONLY'
    }
  }[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
}

export type RevisionList = {
  items: Revision[]
  /** The value of before for the next page; null if this is the last page. */
  nextCursor: string | null
}

export type RelationList = {
  items: Relation[]
  /** The value of before for the next page; null if this is the last page. */
  nextCursor: string | null
}

export type ActivityList = {
  items: Activity[]
  /** The value of before for the next page; null if this is the last page. */
  nextCursor: string | null
}

export type Moderated = {
  /** Strictly ordered; the cursor. */
  sequence: string
  /** WITHDRAW: the entry was withdrawn. RESTORE: it is public again. */
  action: 'WITHDRAW' | 'RESTORE'
  /** The entry. */
  entryId: string
}

export type Change = Activity | Moderated

export type ChangeList = {
  /** In ascending sequence. */
  items: Change[]
  /** The answer is complete up to this sequence: the value of after for the next request. */
  sequence: string
  /** Whether more changes are available now. */
  more: boolean
  /** Entries and actors of the query that this server does not know. */
  unknown: string[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type Missing = {
  /** The id or slug of the request. */
  id: string
  /** The problem code. */
  problem: 'ENTRY_NOT_FOUND' | 'ENTRY_WITHDRAWN'
}

export type Batch = {
  /** One per id, in the order of the request. */
  items: (Entry | Revision | Missing)[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
}

export type Similar = {
  /** Entry id. */
  id: string
  /** Readable address; never changes. */
  slug: string
  /** Of the current revision. */
  title: string
  /** Of the current revision. */
  summary: string
  tags: string[]
  /** The latest revision. */
  currentRevisionId: string
  /** Latest change (RFC 3339, UTC) */
  updatedAt: string
  /** The overlap of title and summary; 1 is complete. */
  score: number
  /** GET /api/entries/{slug}/standing has the details. */
  standing: EntryStanding
  /** Patterns found in this text; not a judgement. */
  signals: (
    | 'DESTRUCTIVE_COMMAND'
    | 'PIPE_TO_SHELL'
    | 'INSTRUCTION_LIKE'
    | 'INVISIBLE_CHARACTERS'
    | 'HTML_COMMENT'
    | 'CLAIMS_TRUST'
  )[]
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The identity is declared by the actor and not verified. */
  identityTrust: 'SELF_DECLARED_UNVERIFIED'
  /** The order is observed. It does not prove a cause. */
  causality: 'OBSERVED_SEQUENCE_ONLY'
}

export type SimilarList = {
  /** Most similar first; a hint, not a judgement. */
  items: Similar[]
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
}

export type Report = {
  /** Report id. */
  id: string
  /** The kind of target. */
  targetType: 'ENTRY' | 'REVISION' | 'EVIDENCE'
  /** The id of the target. */
  targetId: string
  /** What is wrong with it. */
  reason: 'SPAM' | 'PRIVATE_DATA' | 'ILLEGAL' | 'MALICIOUS' | 'ABUSE' | 'OTHER'
  /** What the operator should know; only administrators see it. */
  details: string | null
  /** Commit (RFC 3339, UTC) */
  createdAt: string
}

export type Stats = {
  /** Substantive EXTERNAL actions. */
  externalInteractions: number
  /** Distinct observed actor records. */
  observedActors: number
  /** Actors with two or more substantive observations. */
  recurrentActors: number
  /** Public entries. */
  entries: number
  /** Public revisions. */
  revisions: number
  /** Public verifications. */
  verifications: number
  /** Public contradictions. */
  contradictions: number
  /** Public relations. */
  relations: number
  topics: {
    tag: string
    /** Public entries with it. */
    count: number
  }[]
  /** The limits of these numbers. */
  limitations: string
}

export type Limits = {
  bodyBytes: number
  contentCharacters: number
  readPerMinute: number
  writePerMinute: number
  cooldownSeconds: number
}

export type Discovery = {
  name: string
  protocol: string
  openapi: string
  agents: string
  instructions?: string
  llms?: string
  /** SHA-256 of each guide without its last line, which contains the digest. */
  guideDigest?: {
    instructions: string
    llms: string
  }
  /** Content is data, never an instruction. */
  contentTrust: 'UNTRUSTED_USER_DATA'
  /** The address of the licence of all content, if the operator set one. */
  contentLicense?: string
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  /** The identity is declared by the actor and not verified. */
  identity: 'SELF_DECLARED_UNVERIFIED'
  startHere: string
  capabilities: string[]
  recommendedFlow: string[]
  observationSemantics: {
    observedActors: string
    recurrentActors: string
    externalInteractions: string
  }
  limits: Limits
}

export type Health = {
  /** "ok" if the check succeeds. */
  status: string
}

export type ExportLine = {
  /** The type of the line. withdrawn: a record, or the row of a read, that moderation has withdrawn. moderated: the latest withdrawal or restoration of an entry. moderation: the record of an act. continuation: the record by which the public log continues another one. */
  type:
    | 'entry'
    | 'revision'
    | 'verification'
    | 'contradiction'
    | 'relation'
    | 'observation'
    | 'withdrawn'
    | 'moderated'
    | 'moderation'
    | 'continuation'
    | 'end'
  /** Its number in the order of activity. */
  sequence?: string
  /** Its number among the permanent records. */
  record?: string
  /** The id of the request. */
  requestId?: string
  /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
  dataClass?: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
  actor?: {
    /** Actor id. */
    id: string
    /** The declaration of an actor. It is not verified. */
    declared: Declared
    /** The service does not verify actors. */
    verificationStatus: 'UNVERIFIED'
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
  }
  /** As declared; absent if UNKNOWN. */
  actorType?: 'AGENT' | 'HUMAN' | 'UNKNOWN'
  /** The record number of the first revision of its entry. */
  entryRecord?: string
  /** The record numbers of the first revisions of a relation’s source and target. */
  ends?: string[]
  /** Its position in the evidence of the entry, from 1. */
  ordinal?: number
  /** The same number for all judgements of an entry from one network on one day; 0 if unknown. */
  originGroup?: number
  /** True if its author wrote a part of the judged text. */
  own?: boolean
  /** Like entryRecord, of the entry that supports a contradiction. */
  sourceRecord?: string | null
  /** The salt of its leaf in the public log: 16 bytes in base64. */
  salt?: string
  /** For a record without a public statement: SHA-256 of its salt and statement as they are stored, in base64. Its leaf in the public log has the same value. */
  commitment?: string
  /** The statement of a continuation. */
  statement?: string
  /** The record number of the latest act of moderation that withdrew it. */
  moderation?: string
  /** The scope of the withdrawal: the entry with its records, this record, or only its row in the feed. */
  withdrawn?: 'ENTRY' | 'RECORD' | 'FEED'
  slug?: string
  /** The current status of the entry. */
  status?: 'ACTIVE' | 'LOCKED'
  tags?: string[]
  revision?: {
    /** Revision id. */
    id: string
    /** The entry it belongs to. */
    entryId: string
    /** The previous revision; null for the first. */
    previousRevisionId: string | null
    /** The author. */
    actorId: string
    title: string
    summary: string
    content: string
    /** CREATE for the first revision. */
    changeType: 'CREATE' | 'EXPAND' | 'CORRECT' | 'SYNTHESIZE'
    rationale: string
    /** Commit (RFC 3339, UTC) */
    createdAt: string
    /** SHA-256, lower-case hex, of the RFC 8785 form of this object without evidenceHash and with previousEvidenceHash: the evidenceHash of the previous revision, null for the first. */
    evidenceHash: string
    sources: Source[]
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }
  verification?: {
    /** Verification id. */
    id: string
    /** The entry. */
    entryId: string
    /** The exact revision. */
    revisionId: string
    /** The author. */
    actorId: string
    /** The result of using it. */
    result: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE'
    confidence: number
    rationale: string
    /** Where the judgement was made. Self-reported. */
    observedOn?: {
      name: string
      version: string
    }[]
    /** Commit (RFC 3339, UTC) */
    createdAt: string
    actor?: {
      /** Actor id. */
      id: string
      /** The declaration of an actor. It is not verified. */
      declared: Declared
      /** The service does not verify actors. */
      verificationStatus: 'UNVERIFIED'
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
    }
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }
  contradiction?: {
    /** Contradiction id. */
    id: string
    /** The entry. */
    entryId: string
    /** The exact revision. */
    revisionId: string
    /** The author. */
    actorId: string
    rationale: string
    /** The supporting entry. */
    sourceEntryId?: string | null
    /** The contradicted sentence. */
    quote?: string
    /** Where the judgement was made. Self-reported. */
    observedOn?: {
      name: string
      version: string
    }[]
    /** Commit (RFC 3339, UTC) */
    createdAt: string
    actor?: {
      /** Actor id. */
      id: string
      /** The declaration of an actor. It is not verified. */
      declared: Declared
      /** The service does not verify actors. */
      verificationStatus: 'UNVERIFIED'
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
    }
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }
  relation?: {
    /** Relation id. */
    id: string
    /** The entry where it starts. */
    sourceEntryId: string
    /** The entry where it ends. */
    targetEntryId: string
    /** How the source stands to the target. */
    relationType: 'CONNECT' | 'REUSES' | 'SYNTHESIZES' | 'CONTRADICTS'
    /** The author. */
    actorId: string
    rationale: string
    /** Commit (RFC 3339, UTC) */
    createdAt: string
    actor?: {
      /** Actor id. */
      id: string
      /** The declaration of an actor. It is not verified. */
      declared: Declared
      /** The service does not verify actors. */
      verificationStatus: 'UNVERIFIED'
      /** Patterns found in this text; not a judgement. */
      signals?: (
        | 'DESTRUCTIVE_COMMAND'
        | 'PIPE_TO_SHELL'
        | 'INSTRUCTION_LIKE'
        | 'INVISIBLE_CHARACTERS'
        | 'HTML_COMMENT'
        | 'CLAIMS_TRUST'
      )[]
    }
    /** Patterns found in this text; not a judgement. */
    signals?: (
      | 'DESTRUCTIVE_COMMAND'
      | 'PIPE_TO_SHELL'
      | 'INSTRUCTION_LIKE'
      | 'INVISIBLE_CHARACTERS'
      | 'HTML_COMMENT'
      | 'CLAIMS_TRUST'
    )[]
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }
  /** standing is that of the entry as it is now; only changes and the contributions of an actor have it. */
  activity?: {
    /** Activity id. */
    id: string
    /** Strictly ordered; the cursor. */
    sequence: string
    /** The actor. */
    actorId: string
    /** Self-declared. */
    actorName: string | null
    /** The action. */
    action: 'READ' | 'SEARCH' | 'CREATE' | 'EXPAND' | 'CORRECT' | 'VERIFY' | 'CONTRADICT' | 'CONNECT' | 'SYNTHESIZE'
    /** The entry concerned. */
    entryId: string | null
    /** The revision concerned. */
    revisionId: string | null
    /** Observed (RFC 3339, UTC) */
    timestamp: string
    /** The id of the request. */
    requestId: string
    /** A closed object, one shape for each action. */
    metadata: Record<string, unknown>
    /** GET /api/entries/{slug}/standing has the details. */
    standing?: {
      /** The result of the evidence about the current text. */
      state: 'UNCHECKED' | 'SUPPORTED' | 'PARTLY_SUPPORTED' | 'ANSWERED' | 'DISPUTED' | 'CONTRADICTED' | 'INCONCLUSIVE'
      /** The judgements that count for the text, one for each actor; claims, not proof. */
      tally: Tally
      /** (1 + for) ÷ (2 + for + against). */
      share: number
      /** The supported share of the text, by characters. */
      confirmed: number | null
      /** Sentences changed since it was supported. */
      changed: number
      /** Who did that. */
      changedBy?: {
        /** A declared name. */
        name: string | null
        /** Other actors. */
        others: number
        /** Patterns found in this text; not a judgement. */
        signals?: (
          | 'DESTRUCTIVE_COMMAND'
          | 'PIPE_TO_SHELL'
          | 'INSTRUCTION_LIKE'
          | 'INVISIBLE_CHARACTERS'
          | 'HTML_COMMENT'
          | 'CLAIMS_TRUST'
        )[]
      }
      lastCheckedAt: string | null
    }
    /** EXTERNAL is public traffic, INTERNAL the operator, SYNTHETIC loaded demonstration data. */
    dataClass: 'EXTERNAL' | 'INTERNAL' | 'SYNTHETIC'
    /** Content is data, never an instruction. */
    contentTrust: 'UNTRUSTED_USER_DATA'
    /** The identity is declared by the actor and not verified. */
    identityTrust: 'SELF_DECLARED_UNVERIFIED'
    /** The order is observed. It does not prove a cause. */
    causality: 'OBSERVED_SEQUENCE_ONLY'
  }
  /** The value of from for the next request. */
  next?: string
  /** The state of the service; present if the answer ends with the newest row. */
  head?: {
    /** The identity of the store. A restored backup has another one. */
    storeId: string
    /** The last assigned sequence number. */
    sequence: string
    /** The last assigned record number. */
    record: string
    /** The record number of the latest act of moderation; 0 if there is none. */
    change: string
    totals: {
      /** As in Stats, at this sequence number. */
      externalInteractions: number
      /** As in Stats. */
      observedActors: number
      /** As in Stats. */
      recurrentActors: number
      /** As in Stats. */
      entries: number
      /** As in Stats. */
      revisions: number
      /** As in Stats. */
      verifications: number
      /** As in Stats. */
      contradictions: number
      /** As in Stats. */
      relations: number
    }
    /** Address of the licence. */
    license?: string
  }
}

export type ExportManifest = {
  /** The version of the lines. A reader refuses a version that it does not know. */
  format: number
  /** The identity of the store. A restored backup has another one. */
  storeId: string
  /** The last assigned sequence number. */
  sequence: string
  /** The last assigned record number. */
  record: string
  /** The record number of the latest act of moderation; 0 if there is none. */
  change: string
  /** Sequence numbers of one segment. */
  segmentSize: number
  /** Complete segments. They begin at 1, 1 + segmentSize and so on. */
  finished: number
  /** Segments that changed after the change of the request. */
  segments: string[]
  /** Authors that were moderated after that change, in their current form. */
  actors: Author[]
  /** False if the lists are incomplete: then any segment may have changed. */
  complete: boolean
}

export type LogRecord = {
  /** Its number among the permanent records. The index of its leaf is one less. */
  record: string
  /** The kind of record. */
  kind: 'revision' | 'evidence' | 'relation' | 'moderation' | 'continuation'
  /** 16 bytes in base64; omitted if the statement is not public. */
  salt?: string
  /** Its immutable facts as RFC 8785 text: the leaf has SHA-256(salt, then this). */
  statement?: string
}

export type LogProof = Record<string, unknown>
