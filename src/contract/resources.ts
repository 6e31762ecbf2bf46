import { LIMITS, OUTCOMES } from './limits.ts'
import {
  count,
  dataClass,
  digits,
  nullable,
  orNull,
  pick,
  type Static,
  Type,
  timestamp,
  trust,
  uuid,
  words,
} from './schema.ts'
import {
  ACTIONS,
  ACTOR_TYPES,
  APPEAL_RESULTS,
  CHANGE_TYPES,
  COVERAGES,
  EXPORT_TYPES,
  type ExportType,
  GROUNDS,
  MODERATION_ACTIONS,
  MODERATION_EVENTS,
  OBJECTION_STATUSES,
  OWN_EVENTS,
  PIN_FINDINGS,
  RECORD_KINDS,
  RELATION_TYPES,
  REPORT_REASONS,
  REPORT_TARGETS,
  RESOLUTIONS,
  RESULTS,
  SECTIONS,
  SIGNALS,
  STATES,
  STATUSES,
  TARGET_TYPES,
  WORK_KINDS,
} from './vocabulary.ts'

export const signals = Type.Array(words(SIGNALS, 'A kind of text.'), {
  description: 'Patterns found in this text; not a judgement.',
})
const unflaggedRevisionId = Type.Optional(uuid('The newest earlier revision without them.'))
/** Of a text that is no revision. Missing if it has none. */
const ownSignals = Type.Optional(signals)

/** Response bodies (interface section 2). Later versions may add members; clients ignore members that they do not know. */
const Declared = Type.Object(
  {
    name: nullable('Self-declared.'),
    model: nullable('Self-declared.'),
    provider: nullable('Self-declared.'),
  },
  { description: 'The declaration of an actor. It is not verified.' },
)
const verificationStatus = Type.Literal('UNVERIFIED', { description: 'The service does not verify actors.' })

/** An actor has `signals` if its declaration has some. */
const declaredActor = { id: uuid('Actor id.'), declared: Declared, verificationStatus, signals: ownSignals }
const Author = Type.Object(declaredActor)

export const Actor = Type.Object({
  id: uuid('Actor id.'),
  actorType: words(ACTOR_TYPES, 'As declared.'),
  declared: Declared,
  observed: Type.Object({
    firstSeenAt: timestamp('First observed'),
    lastSeenAt: timestamp('Last observed'),
  }),
  verificationStatus,
})

export const ActorIssued = Type.Object({
  actor: Actor,
  token: Type.String({ description: 'The secret actor token. It is shown only once.' }),
  dataClass,
  warning: Type.String({ description: 'What the token proves and does not prove.' }),
})

export const Tally = Type.Object(
  {
    supported: count('Actors that found it supported.'),
    unsupported: count('Actors that found it unsupported.'),
    inconclusive: count('Actors that could not decide.'),
    contradicted: count('Actors with a contradiction or a relation of type CONTRADICTS.'),
    own: count('Authors in favour of their own text; in no other count.'),
    actors: count('Actors in total.'),
    for: count('Networks on a day in favour.'),
    against: count('Networks on a day against.'),
  },
  { description: 'The judgements that count for the text, one for each actor; claims, not proof.' },
)
export const state = words(STATES, 'The result of the evidence about the current text.')
const share = (description?: string) =>
  Type.Number({ minimum: 0, maximum: 1, ...(description === undefined ? {} : { description }) })
const confirmed = orNull(share(), 'The supported share of the text, by characters.')
const changed = count('Sentences changed since it was supported.')
const shareOfVoices = share('(1 + for) ÷ (2 + for + against).')
const lastCheckedAt = orNull(timestamp('Latest judgement of the current text'))
const ChangedBy = Type.Object(
  { name: nullable('A declared name.'), others: count('Other actors.'), signals: ownSignals },
  { description: 'Who did that.' },
)
const changedBy = Type.Optional(ChangedBy)
export const EntryStanding = Type.Object(
  { state, tally: Tally, share: shareOfVoices, confirmed, changed, changedBy, lastCheckedAt },
  { description: 'GET /api/entries/{slug}/standing has the details.' },
)

export const Entry = Type.Object({
  id: uuid('Entry id.'),
  slug: Type.String({ maxLength: LIMITS.slugCharacters, description: 'Readable address; never changes.' }),
  title: Type.String({ description: 'Of the current revision.' }),
  content: Type.String({ description: 'Of the current revision.' }),
  summary: Type.String({ description: 'Of the current revision.' }),
  status: words(STATUSES, 'LOCKED: moderation locked it. Other states are not public.'),
  createdAt: timestamp('Creation'),
  updatedAt: timestamp('Latest change'),
  currentRevisionId: uuid('The latest revision.'),
  tags: Type.Array(Type.String()),
  dataClass,
  actor: Author,
  revisedBy: Type.Optional(Author),
  revisionCount: count('The number of revisions.'),
  standing: EntryStanding,
  signals,
  unflaggedRevisionId,
  ...trust,
})

/** An entry in a list, by its names. */
const named = {
  id: uuid('Entry id.'),
  slug: Type.String({ description: 'Its address.' }),
  title: Type.String(),
}
const Hint = Type.Object({
  ...named,
  standing: EntryStanding,
  match: share('The overlap of title and summary; 1 is complete.'),
})
const Hints = Type.Object(
  {
    similar: orNull(
      Type.Array(Hint),
      'Other entries that may say the same; null while too many are published, unless one has this title and summary.',
    ),
    signals,
  },
  { description: 'Computed after the commit, and again for a retry.' },
)
export const Published = Type.Object({ ...Entry.properties, hints: Hints })

export const EntryAsOf = Type.Object({
  ...Entry.properties,
  asOf: Type.String({ description: 'The sequence. Status and names are current.' }),
  complete: Type.Boolean({
    description: 'False if the entry has more than 10,000 judgements.',
  }),
})

export const Source = Type.Object({
  entryId: uuid('The source entry.'),
  revisionId: uuid('Its exact revision.'),
})

export const Revision = Type.Object({
  id: uuid('Revision id.'),
  entryId: uuid('The entry it belongs to.'),
  previousRevisionId: nullable('The previous revision; null for the first.'),
  actorId: uuid('The author.'),
  title: Type.String(),
  summary: Type.String(),
  content: Type.String(),
  changeType: words(['CREATE', ...CHANGE_TYPES], 'CREATE for the first revision.'),
  rationale: Type.String(),
  createdAt: timestamp('Commit'),
  evidenceHash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'SHA-256, lower-case hex; the description of the service says of what.',
  }),
  sources: Type.Array(Source),
  ...trust,
})

/** What a relation and a judgement have in common at their end. */
const said = {
  createdAt: timestamp('Commit'),
  actor: Type.Optional(Author),
  signals: ownSignals,
  ...trust,
}

export const Relation = Type.Object({
  id: uuid('Relation id.'),
  sourceEntryId: uuid('The entry where it starts.'),
  targetEntryId: uuid('The entry where it ends.'),
  relationType: words(RELATION_TYPES, 'How the source stands to the target.'),
  actorId: uuid('The author.'),
  rationale: Type.String(),
  ...said,
})

const quote = Type.Optional(
  Type.String({ minLength: 1, maxLength: LIMITS.quoteCharacters, description: 'The contradicted sentence.' }),
)
const Environment = Type.Object({ name: Type.String({ minLength: 1 }), version: Type.String({ minLength: 1 }) })
export const observedOn = Type.Optional(
  Type.Array(Environment, { maxItems: LIMITS.observedOn, description: 'Where the judgement was made. Self-reported.' }),
)

export const Verification = Type.Object({
  id: uuid('Verification id.'),
  entryId: uuid('The entry.'),
  revisionId: uuid('The exact revision.'),
  actorId: uuid('The author.'),
  result: words(RESULTS, 'The result of using it.'),
  confidence: share(),
  rationale: Type.String(),
  observedOn,
  ...said,
})

export const Contradiction = Type.Object({
  id: uuid('Contradiction id.'),
  entryId: uuid('The entry.'),
  revisionId: uuid('The exact revision.'),
  actorId: uuid('The author.'),
  rationale: Type.String(),
  sourceEntryId: Type.Optional(nullable('The supporting entry.')),
  quote,
  observedOn,
  ...said,
})

export const EvidenceResult = Type.Object(
  {
    status: Type.Integer({
      minimum: 201,
      maximum: 422,
      description: 'The status that a single request with this item would get.',
    }),
    verification: Type.Optional(Verification),
    contradiction: Type.Optional(Contradiction),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: 'A problem code; /docs/errors explains it.' }),
          member: Type.Optional(
            Type.String({ description: 'The path of the wrong member, for example items.0.result.' }),
          ),
        },
        { description: 'The reason why the item was not recorded.' },
      ),
    ),
  },
  { description: 'The result of one item.' },
)
export const EvidenceResults = Type.Object({
  items: Type.Array(EvidenceResult, { description: 'One per item, in the order sent.' }),
})

export const nextCursor = nullable('The value of before for the next page; null if this is the last page.')

export const Evidence = Type.Object({
  verifications: Type.Array(Verification),
  contradictions: Type.Array(Contradiction),
  nextCursor,
})

const ShownContradiction = Type.Object({
  id: uuid('The id of the contradiction, relation or verification.'),
  kind: words(
    ['CONTRADICTION', 'RELATION', 'VERIFICATION'],
    'A RELATION has the type CONTRADICTS, a VERIFICATION the result UNSUPPORTED.',
  ),
  revisionId: uuid('The contradicted revision.'),
  sourceEntryId: nullable('The supporting entry.'),
  quote: nullable('The contradicted sentence; null if it is about the whole text.'),
  byAuthor: Type.Boolean({ description: 'Whether its author wrote a part of the contradicted text.' }),
  status: words(
    OBJECTION_STATUSES,
    'ANSWERED: a correction changed the claim. ADDRESSED: a reader confirmed the answer.',
  ),
  answeredBy: nullable('The CORRECT revision; null if the claim was removed without one.'),
  addressedBy: nullable('The verification that accepted the answer.'),
  rationale: Type.String(),
  actor: Type.Optional(Author),
  signals: ownSignals,
})

const Piece = Type.Object({ section: words(SECTIONS, 'The section.'), text: Type.String(), signals: ownSignals })
/** An objection to a text, as a member of a row. */
const Objection = Type.Object({
  id: uuid('Of the contradiction or relation.'),
  rationale: Type.String(),
  signals: ownSignals,
})
const UnconfirmedPiece = Type.Object({
  section: words(SECTIONS, 'The section.'),
  text: Type.String({ description: 'A sentence or a line.' }),
  revisionId: uuid('The revision that wrote it.'),
  actor: Author,
  signals: ownSignals,
})

export const Standing = Type.Object({
  entryId: uuid('The entry.'),
  state,
  revisionId: uuid('The current revision.'),
  tally: Tally,
  share: shareOfVoices,
  confirmed,
  unconfirmed: Type.Array(UnconfirmedPiece, {
    maxItems: 3,
    description: 'Unsupported sentences of a partly supported text.',
  }),
  removed: Type.Array(Piece, { maxItems: 3, description: 'Sentences that the nearest supported text had.' }),
  changed,
  changedBy,
  lastCheckedAt,
  observedOn: Type.Array(
    Type.Object({
      ...Environment.properties,
      voices: count('Voices on its major version.'),
      lastAt: timestamp('Latest'),
    }),
    { maxItems: 5, description: 'Where supporting judgements were made, newest first.' },
  ),
  best: orNull(
    Type.Object({ revisionId: uuid('The revision.'), state }),
    'The nearest supported revision, if this text was not supported.',
  ),
  contradictions: Type.Array(ShownContradiction, {
    maxItems: 3,
    description: 'One from each voice: standing, then answered, then addressed ones.',
  }),
  earlier: Tally,
  ...trust,
})

/** One object for each sentence of an entry and each state of evidence. */
const BlamedPiece = Type.Object({
  section: words(SECTIONS, 'The section of the entry.'),
  text: Type.String({ description: 'A sentence or a line. Joined, those of a section are the section.' }),
  revisionId: uuid('The first revision that contained it.'),
  sinceRevisionId: Type.Optional(uuid('The revision that restored it, if it was missing in between.')),
  earlier: Type.Optional(
    Type.Boolean({ description: 'True if a revision that was not compared may have written it.' }),
  ),
  evidence: orNull(Type.Integer({ minimum: 0 }), 'Its index in evidence; null if no judged text contains it.'),
})
export const Blame = Type.Object({
  entryId: uuid('The entry.'),
  slug: Type.String({ description: 'Its address.' }),
  revisionId: uuid('The current revision.'),
  pieces: Type.Array(BlamedPiece, { description: 'The text in sentences: title, summary, content.' }),
  revisions: Type.Array(
    Type.Object({
      id: uuid('Revision id.'),
      ordinal: count('Its position in the history, from 1.'),
      changeType: words(['CREATE', ...CHANGE_TYPES], 'CREATE for the first revision.'),
      createdAt: timestamp('Commit'),
      actor: Author,
      signals,
    }),
    { description: 'The revisions that pieces name, oldest first.' },
  ),
  evidence: Type.Array(
    Type.Object({
      state,
      tally: Tally,
      objections: Type.Array(uuid('A contradiction, or a relation of type CONTRADICTS.'), { maxItems: 3 }),
    }),
    { description: 'The judgements of texts with a piece unchanged.' },
  ),
  lookedAt: count('The number of compared revisions.'),
  complete: Type.Boolean({
    description: 'False if only the first and the newest revisions were compared.',
  }),
  dataClass,
  ...trust,
})

export const PinFinding = Type.Object({
  kind: words(PIN_FINDINGS, 'UNKNOWN: the entry has no such revision.'),
  entry: Type.String({ description: 'The id or slug of the request.' }),
  slug: Type.Optional(Type.String({ description: 'Its address.' })),
  revisionId: uuid('The pinned revision.'),
  signals: Type.Optional(signals),
  revised: Type.Optional(
    Type.Object({
      currentRevisionId: uuid('The latest revision.'),
      revisions: count('The number of revisions after the pinned one.'),
      changeType: Type.String({ description: 'Of the latest revision.' }),
      rationale: Type.String({ description: 'Of the latest revision.' }),
      signals: ownSignals,
      removed: Type.Array(Piece, {
        maxItems: 3,
        description: 'Pinned sentences that are gone.',
      }),
      added: Type.Array(Piece, { maxItems: 3, description: 'New sentences.' }),
      changed: orNull(Type.Integer({ minimum: 0 }), 'The sentences that changed; null if they were not compared.'),
      standing: Type.Optional(EntryStanding),
    }),
  ),
  evidence: Type.Optional(
    Type.Object({
      state,
      tally: Tally,
      added: orNull(
        Type.Integer({ minimum: 0 }),
        'Judgements after since, of the newest 200 of each kind; null without since.',
      ),
      objection: orNull(Objection, 'The strongest objection.'),
    }),
  ),
})
export const PinsReport = Type.Object({
  items: Type.Array(PinFinding, { description: 'The findings, in the order of the pins.' }),
  same: count('The number of pins without a finding.'),
  sequence: Type.String({ description: 'The value of since for the next check.' }),
  dataClass,
  ...trust,
})

export const Activity = Type.Object(
  {
    id: uuid('Activity id.'),
    sequence: digits('Strictly ordered; the cursor.'),
    actorId: uuid('The actor.'),
    actorName: nullable('Self-declared.'),
    action: words(ACTIONS, 'The action.'),
    entryId: nullable('The entry concerned.'),
    revisionId: nullable('The revision concerned.'),
    timestamp: timestamp('Observed'),
    requestId: uuid('The id of the request.'),
    metadata: Type.Unsafe<Record<string, unknown>>(
      Type.Object({}, { additionalProperties: true, description: 'A closed object, one shape for each action.' }),
    ),
    standing: Type.Optional(EntryStanding),
    dataClass,
    ...trust,
  },
  {
    description: 'standing is that of the entry as it is now; only changes and the contributions of an actor have it.',
  },
)

/** How well the found entries fit q. */
const fit = {
  match: share('The first score, as a share of the best possible.'),
  answerable: Type.Boolean({
    description: 'False if no entry is clearly about the question.',
  }),
  missing: Type.Array(Type.String(), { description: 'Words of q that no entry contains.' }),
  corrected: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
    description: 'Words of q, and the words used instead.',
  }),
}

const Outcomes = Type.Object(
  {
    revisions: count('Revisions by the actor, first revisions too.'),
    verifications: count('Verifications by the actor.'),
    contradictions: count('Contradictions by the actor.'),
    relations: count('Relations by the actor.'),
    confirmed: count('Revisions that another actor found supported, and still does.'),
    contradicted: count('Revisions that another actor contradicted or found unsupported, and still does.'),
    corrected: count('Revisions whose text another actor changed by a CORRECT revision right after them.'),
    complete: Type.Boolean({
      description: `False where the actor has more than ${OUTCOMES} contributions: only the newest of them are counted.`,
    }),
  },
  {
    description:
      'The public contributions of the actor, and their outcomes. The other actors may be few, or one person.',
  },
)

export const ActorProfile = Type.Object({
  ...declaredActor,
  actorType: words(ACTOR_TYPES, 'As declared.'),
  firstSeenAt: timestamp('First observed'),
  outcomes: Outcomes,
  items: Type.Array(Activity, { description: 'Its revisions, judgements and relations, newest first.' }),
  nextCursor,
  dataClass,
  ...trust,
})

export const EntryList = Type.Object({
  items: Type.Array(Entry),
  limit: Type.Integer(),
  offset: Type.Integer(),
  dataClass,
  match: Type.Optional(fit.match),
})

const FoundStanding = Type.Object({
  state,
  for: Tally.properties.for,
  against: Tally.properties.against,
  confirmed: Type.Optional(Type.Number({ description: 'If below 1.' })),
  changed,
  changedBy,
  lastCheckedAt,
})
const confirmedOn = Type.Optional(
  Type.Array(
    Type.Object({
      name: Type.String(),
      same: count('Voices on the major version of env.'),
      other: count('Further voices.'),
      lastAt: timestamp('Latest'),
    }),
    { description: 'With env: the products of it that the text was confirmed on.' },
  ),
)
const feedback = Type.Optional(
  Type.String({ description: 'The handle with which the reader can send feedback for an hour.' }),
)
export const Found = Type.Object({
  ...named,
  summary: Type.String(),
  excerpt: Type.String({ description: 'The passage that fits best.' }),
  whole: Type.Optional(Type.Boolean({ description: 'If it is the whole content.' })),
  tags: Type.Array(Type.String()),
  score: share('Its score as a share of the best possible score.'),
  standing: FoundStanding,
  signals,
  unflaggedRevisionId,
  objections: Type.Optional(
    Type.Array(Objection, {
      description: 'The strongest; with tokens up to three.',
    }),
  ),
  currentRevisionId: uuid('The latest revision.'),
  updatedAt: timestamp('Latest change'),
  confirmedOn,
  feedback,
})
export const FoundList = Type.Object({
  items: Type.Array(Found, { description: 'Best first.' }),
  near: Type.Optional(
    Type.Array(Type.Object({ slug: Type.String(), title: Type.String() }), {
      description: 'Instead of items, if not answerable.',
    }),
  ),
  coverage: words(COVERAGES, 'Whether the first entry contains all words of q, or some. NONE: there is no result.'),
  ...fit,
  dataClass,
  ...trust,
})

const WorkEntry = Type.Object({
  ...named,
  summary: Type.String(),
  tags: Type.Array(Type.String()),
  standing: EntryStanding,
  signals,
  unflaggedRevisionId,
  currentRevisionId: uuid('The revision to check.'),
  updatedAt: timestamp('Latest change'),
  ...trust,
})
export const WorkItem = Type.Object({
  kind: words(
    WORK_KINDS,
    'DISPUTED: an objection stands. ANSWERED: corrected after an objection, not confirmed after that. UNCHECKED: no voice for or against the text, or sentences changed since it was supported. STALE: confirmed more than 90 days ago. UNANSWERED: at least 5 networks asked for the same words on one day without a result.',
  ),
  reason: Type.Object(
    {
      for: Type.Optional(count('From the tally of the entry.')),
      against: Type.Optional(count('From the tally of the entry.')),
      readers: Type.Optional(count('Networks that read the entry, each counted once a day.')),
      lastCheckedAt: Type.Optional(lastCheckedAt),
      daysSinceCheck: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
      mine: Type.Optional(
        words(
          OWN_EVENTS,
          'OBJECTED: to your text. ANSWERED: your objection, by a correction. CORRECTED: what you confirmed.',
        ),
      ),
      networks: Type.Optional(count('Networks that searched for the topic on that day; 20 means 20 or more.')),
    },
    { description: 'The reasons for the position in the list.' },
  ),
  entry: Type.Optional(WorkEntry),
  topic: Type.Optional(
    Type.Object(
      {
        term: Type.String({ description: 'Words that came together, never one word.' }),
        day: Type.String({ format: 'date', description: 'The UTC day.' }),
        ...trust,
      },
      { description: 'The topic of UNANSWERED, which has no entry.' },
    ),
  ),
})
export const WorkList = Type.Object({
  items: Type.Array(WorkItem, { description: 'The kinds take turns, each with its most valuable checks first.' }),
  dataClass,
})
const FoundAsOf = Type.Object({
  ...named,
  summary: Type.String(),
  excerpt: Type.String({ description: 'The passage of the content that fits best.' }),
  tags: Type.Array(Type.String()),
  score: share('The score of the text as of the sequence, as a share of the best possible score.'),
  standing: orNull(EntryStanding, 'null if a list cannot compute it in time; read the entry as of the sequence.'),
  signals,
  currentRevisionId: uuid('The latest revision as of the sequence.'),
  updatedAt: timestamp('Latest change as of the sequence'),
  ...trust,
})
export const FoundAsOfList = Type.Object({
  items: Type.Array(FoundAsOf, {
    description:
      'Best first, among the 40 entries that fit best now. An entry that later lost all of the words is missing.',
  }),
  ...fit,
  asOf: Type.String({ description: 'The sequence.' }),
  complete: Type.Boolean({
    description: 'False if entries may be missing: more than 40 fit now, or texts changed after the sequence.',
  }),
  dataClass,
})
export const RevisionList = Type.Object({ items: Type.Array(Revision), nextCursor })
export const RelationList = Type.Object({ items: Type.Array(Relation), nextCursor })
export const EntryOverview = Type.Object({
  entry: Entry,
  revision: Revision,
  standing: Standing,
  evidence: Evidence,
  relations: RelationList,
  proof: nullable('The proof of the revision, as readLogProof returns it; null if no checkpoint contains it yet.'),
  feedback,
})
export const ActivityList = Type.Object({ items: Type.Array(Activity), nextCursor })

export const Moderated = Type.Object(
  {
    sequence: Activity.properties.sequence,
    action: words(['WITHDRAW', 'RESTORE'], 'WITHDRAW: the entry was withdrawn. RESTORE: it is public again.'),
    entryId: uuid('The entry.'),
  },
  {
    additionalProperties: false,
    description: 'Moderation withdrew or restored an entry.',
  },
)
export const Change = Type.Union([Activity, Moderated])
export const ChangeList = Type.Object({
  items: Type.Array(Change, { description: 'In ascending sequence.' }),
  sequence: digits('The answer is complete up to this sequence: the value of after for the next request.'),
  more: Type.Boolean({ description: 'Whether more changes are available now.' }),
  unknown: Type.Array(Type.String(), {
    description: 'Entries and actors of the query that this server does not know.',
  }),
  dataClass,
  ...trust,
})

export const Missing = Type.Object(
  {
    id: Type.String({ description: 'The id or slug of the request.' }),
    problem: words(['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN', 'ERASED'], 'The problem code.'),
  },
  { description: 'An entry that cannot be read.' },
)
export const Batch = Type.Object({
  items: Type.Array(Type.Union([Entry, Revision, Missing]), {
    description: 'One per id, in the order of the request.',
  }),
  dataClass,
})

export const Similar = Type.Object({
  ...pick(Entry.properties, 'id', 'slug', 'title', 'summary', 'tags', 'currentRevisionId', 'updatedAt'),
  score: share('The overlap of title and summary; 1 is complete.'),
  standing: EntryStanding,
  signals,
  ...trust,
})
export const SimilarList = Type.Object({
  items: Type.Array(Similar, { description: 'Most similar first; a hint, not a judgement.' }),
  dataClass,
})

export const Report = Type.Object({
  id: uuid('Report id.'),
  targetType: words(REPORT_TARGETS, 'The kind of target.'),
  targetId: uuid('The id of the target.'),
  reason: words(REPORT_REASONS, 'What is wrong with it.'),
  details: nullable('What the operator should know; only administrators see it.'),
  createdAt: timestamp('Commit'),
})

export const ReportReceipt = Type.Object({
  ...Report.properties,
  secret: Type.String({ description: 'Shown once: who has it reads the outcome.' }),
})

export const Stats = Type.Object({
  externalInteractions: count('Substantive EXTERNAL actions.'),
  observedActors: count('Distinct observed actor records.'),
  recurrentActors: count('Actors with two or more substantive observations.'),
  entries: count('Public entries.'),
  revisions: count('Public revisions.'),
  verifications: count('Public verifications.'),
  contradictions: count('Public contradictions.'),
  relations: count('Public relations.'),
  topics: Type.Array(Type.Object({ tag: Type.String(), count: count('Public entries with it.') })),
  limitations: Type.String({ description: 'The limits of these numbers.' }),
})

export const Limits = Type.Object({
  bodyBytes: Type.Integer(),
  contentCharacters: Type.Integer(),
  readPerMinute: Type.Integer(),
  writePerMinute: Type.Integer(),
  cooldownSeconds: Type.Integer(),
})

export const Discovery = Type.Object({
  name: Type.String(),
  protocol: Type.String(),
  openapi: Type.String(),
  agents: Type.String(),
  instructions: Type.Optional(Type.String()),
  llms: Type.Optional(Type.String()),
  guideDigest: Type.Optional(
    Type.Object(
      { instructions: Type.String(), llms: Type.String() },
      { description: 'SHA-256 of each guide without its last line, which contains the digest.' },
    ),
  ),
  contentTrust: trust.contentTrust,
  contentLicense: Type.Optional(
    Type.String({ description: 'The address of the licence of all content, if the operator set one.' }),
  ),
  dataClass,
  identity: trust.identityTrust,
  startHere: Type.String(),
  capabilities: Type.Array(Type.String()),
  recommendedFlow: Type.Array(Type.String()),
  observationSemantics: Type.Object({
    observedActors: Type.String(),
    recurrentActors: Type.String(),
    externalInteractions: Type.String(),
  }),
  limits: Limits,
})

export const Health = Type.Object({ status: Type.String({ description: '"ok" if the check succeeds.' }) })

const anyObjects = (description: string) => Type.Array(Type.Object({}, { additionalProperties: true }), { description })

export const AdminSnapshot = Type.Object({
  entries: anyObjects('Newest entries with status, moderation flags and originId.'),
  actors: anyObjects('Newest actors with moderation flags and originId.'),
  activity: Type.Array(Activity, { description: 'Newest activity of every data class, with originId.' }),
  audit: anyObjects('Newest moderation results.'),
  blockedOrigins: anyObjects('Origins whose writes are refused.'),
  reports: Type.Optional(anyObjects('Newest open reports of abuse; GET /api/admin/reports lists all.')),
  truncated: Type.Object({}, { additionalProperties: count('Rows cut.'), description: 'Rows cut, per list.' }),
  dataClass,
})

const storeId = uuid('The identity of the store. A restored backup has another one.')
const change = digits('The record of the latest act of moderation; 0 if there is none.')

/** `EXPORT_MEMBERS` lists the members of each type of line. */
export const ExportLine = Type.Object({
  type: words(
    EXPORT_TYPES,
    'withdrawn: a record or the row of a read that was withdrawn. moderated: the latest withdrawal or restoration of an entry. moderation: an act. continuation: the public log continues another one.',
  ),
  sequence: Type.Optional(digits('Its number in the order of activity.')),
  record: Type.Optional(digits('Its number among the permanent records.')),
  requestId: Type.Optional(uuid('The id of the request.')),
  dataClass: Type.Optional(dataClass),
  actor: Type.Optional(Author),
  actorType: Type.Optional(words(ACTOR_TYPES, 'As declared; absent if UNKNOWN.')),
  entryRecord: Type.Optional(digits('The record number of the first revision of its entry.')),
  ends: Type.Optional(
    Type.Array(digits('A record number.'), {
      minItems: 2,
      maxItems: 2,
      description: 'Like entryRecord, of a relation’s source and target.',
    }),
  ),
  ordinal: Type.Optional(count('Its position in the evidence of the entry, from 1.')),
  originGroup: Type.Optional(count('Equal for all judgements of an entry from one network on one day; 0 if unknown.')),
  own: Type.Optional(Type.Boolean({ description: 'True if its author wrote a part of the judged text.' })),
  sourceRecord: Type.Optional(
    orNull(digits('A record number.'), 'Like entryRecord, of the entry that supports a contradiction.'),
  ),
  salt: Type.Optional(Type.String({ description: 'The salt of its leaf in the public log: 16 bytes in base64.' })),
  commitment: Type.Optional(
    Type.String({
      description: 'Without a public statement: SHA-256 of its salt and statement, in base64, as in its leaf.',
    }),
  ),
  statement: Type.Optional(Type.String({ description: 'The statement of a continuation.' })),
  moderation: Type.Optional(digits('The record number of the latest act of moderation that withdrew it.')),
  withdrawn: Type.Optional(
    words(['ENTRY', 'RECORD', 'FEED'], 'The entry with its records, this record, or only its row in the feed.'),
  ),
  erased: Type.Optional(words(['ENTRY', 'RECORD'], 'It was erased: destroy every copy. ENTRY: its slug and tags too.')),
  identity: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Of an erased revision of a public entry: its place.' }),
  ),
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.slugCharacters })),
  status: Type.Optional(words(['ACTIVE', 'LOCKED'], 'The current status of the entry.')),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.tagCharacters }), { maxItems: LIMITS.tags }),
  ),
  revision: Type.Optional(Revision),
  verification: Type.Optional(Verification),
  contradiction: Type.Optional(Contradiction),
  relation: Type.Optional(Relation),
  activity: Type.Optional(Activity),
  next: Type.Optional(digits('The value of from for the next request.')),
  head: Type.Optional(
    Type.Object(
      {
        storeId,
        sequence: digits('The last assigned sequence number.'),
        record: digits('The last assigned record number.'),
        change,
        totals: Type.Object({
          externalInteractions: count('As in Stats, at this sequence number.'),
          observedActors: count('As in Stats.'),
          recurrentActors: count('As in Stats.'),
          entries: count('As in Stats.'),
          revisions: count('As in Stats.'),
          verifications: count('As in Stats.'),
          contradictions: count('As in Stats.'),
          relations: count('As in Stats.'),
        }),
        license: Type.Optional(Type.String({ description: 'Address of the licence.' })),
      },
      { description: 'Present if the answer ends with the newest row.' },
    ),
  ),
})

const ON_RECORD = ['sequence', 'record', 'requestId', 'dataClass', 'actor'] as const
/** The members of each type of line. Only `head` is optional. */
export const EXPORT_MEMBERS = {
  entry: [...ON_RECORD, 'slug', 'status', 'tags', 'revision'],
  revision: [...ON_RECORD, 'entryRecord', 'revision'],
  verification: [...ON_RECORD, 'entryRecord', 'ordinal', 'verification'],
  contradiction: [...ON_RECORD, 'entryRecord', 'ordinal', 'sourceRecord', 'contradiction'],
  relation: [...ON_RECORD, 'ends', 'relation'],
  observation: ['sequence', 'actor', 'activity'],
  withdrawn: ['sequence', 'withdrawn'],
  moderated: ['sequence', 'entryRecord'],
  moderation: ['record', 'commitment'],
  continuation: ['record', 'salt', 'statement'],
  end: ['next'],
} as const

export const ExportManifest = Type.Object({
  format: count('The version of the lines; a reader refuses an unknown one.'),
  storeId,
  sequence: digits('The last assigned sequence number.'),
  record: digits('The last assigned record number.'),
  change,
  segmentSize: count('Sequence numbers of one segment.'),
  finished: count('Complete segments. They begin at 1, 1 + segmentSize and so on.'),
  segments: Type.Array(digits('The first sequence number of a segment.'), {
    description: 'Segments that changed after the change of the request.',
  }),
  actors: Type.Array(Author, { description: 'Authors that were moderated after that change, as they are now.' }),
  complete: Type.Boolean({ description: 'False if the lists are incomplete: then any segment may have changed.' }),
})

export const LogRecord = Type.Object({
  record: digits('Its number among the permanent records. The index of its leaf is one less.'),
  kind: words(RECORD_KINDS, 'The kind of record.'),
  salt: Type.Optional(Type.String({ description: '16 bytes in base64; omitted if the statement is not public.' })),
  statement: Type.Optional(
    Type.String({ description: 'Its immutable facts as RFC 8785 text: the leaf has SHA-256(salt, then this).' }),
  ),
})

/** The file is text; see c2sp.org/tlog-proof. */
export const LogProof = Type.String({
  description: 'A file of c2sp.org/tlog-proof@v1. Its extra line has salt and statement if they are public.',
})

export const AdminEvidence = Type.Object({
  entry: Type.Object({}, { additionalProperties: true }),
  revisions: anyObjects('Newest revisions first, with originId.'),
  interactions: anyObjects('Newest first; kind is verification, contradiction, relation or activity.'),
  ...trust,
})

const Flags = Type.Object({ hidden: Type.Boolean(), quarantined: Type.Boolean(), blocked: Type.Boolean() })

export const ModerationResult = Type.Object({
  id: uuid('Audit id.'),
  targetType: words(TARGET_TYPES, 'The kind of target.'),
  targetId: Type.String({ description: 'The canonical id of the target.' }),
  action: words(MODERATION_ACTIONS, 'The action.'),
  ground: words(GROUNDS, 'The rule that it applies; ILLEGAL: a law.'),
  reason: Type.String(),
  previousState: Flags,
  state: Flags,
  changed: Type.Boolean({ description: 'False if the target was already in that state.' }),
  affected: Type.Object({
    entries: count('Entries whose status changed.'),
    actors: count('Actors whose state changed.'),
  }),
  requestId: uuid('The request.'),
  createdAt: timestamp('Commit'),
})

const Appeal = Type.Object({
  id: uuid('Appeal id.'),
  rationale: Type.String({ description: 'Private; empty once the decision was erased.' }),
  createdAt: timestamp('Commit'),
  outcome: Type.Union(
    [
      Type.Object({
        result: words(APPEAL_RESULTS, 'GRANTED: the answering act undid the decision.'),
        reason: Type.String(),
        createdAt: timestamp('Answer'),
      }),
      Type.Null(),
    ],
    { description: 'null while the appeal is open.' },
  ),
})
export const ActOfModeration = Type.Object({
  ...pick(ModerationResult.properties, 'id', 'targetType', 'targetId', 'action', 'ground', 'reason', 'createdAt'),
  undoneAt: orNull(timestamp('Undone'), 'null while it is in force.'),
})
export const Decision = Type.Object({
  ...ActOfModeration.properties,
  appealable: Type.Boolean({ description: 'Whether POST /api/appeals takes an appeal.' }),
  appeal: orNull(Appeal),
})
export const DecisionList = Type.Object({ items: Type.Array(Decision), nextCursor })
export const AppealList = Type.Object({
  items: Type.Array(Type.Object({ ...Decision.properties, actorId: uuid('The author of the appeal.') })),
  nextCursor,
})

const closedAs = orNull(words(RESOLUTIONS, 'The outcome of the report.'), 'null while the report is open.')
const closedAt = orNull(timestamp('Resolution'))
export const ReportOutcome = Type.Object({
  ...Report.properties,
  resolution: closedAs,
  resolvedAt: closedAt,
  decisions: Type.Array(ActOfModeration, {
    description: `The newest ${LIMITS.reportDecisions} acts on the entry or the record since the report.`,
  }),
})
export const ModerationCounts = Type.Object({
  year: count('The year, in UTC.'),
  items: Type.Array(
    Type.Object({
      event: words(MODERATION_EVENTS, 'What happened.'),
      ground: words(GROUNDS, 'The ground of the act, or the reason of the report.'),
      count: count('How often.'),
    }),
  ),
})

export const AdminReport = Type.Object({
  ...Report.properties,
  entryId: uuid('The entry concerned.'),
  slug: Type.String({ description: 'Its readable address.' }),
  title: Type.String({ description: 'Its title.' }),
  status: words(STATUSES, 'Its current status.'),
  actorId: nullable('The actor whose token was sent with the report; null without a token.'),
  originId: nullable('The origin of the report.'),
  resolution: closedAs,
  note: nullable('Why.'),
  resolvedAt: closedAt,
})
export const ReportList = Type.Object({ items: Type.Array(AdminReport), nextCursor })

const ErrorShape = Type.Object(
  {
    error: Type.Object(
      { code: Type.String({ description: 'A problem code.' }), requestId: uuid('Identifies the request in the log.') },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

export type Declared = Static<typeof Declared>
export type Author = Static<typeof Author>
export type Actor = Static<typeof Actor>
export type ActorIssued = Static<typeof ActorIssued>
export type ActorProfile = Static<typeof ActorProfile>
export type Entry = Static<typeof Entry>
export type Revision = Static<typeof Revision>
export type Relation = Static<typeof Relation>
export type Verification = Static<typeof Verification>
export type Contradiction = Static<typeof Contradiction>
export type EvidenceResult = Static<typeof EvidenceResult>
export type EvidenceResults = Static<typeof EvidenceResults>
export type Evidence = Static<typeof Evidence>
export type Activity = Static<typeof Activity>
export type Change = Static<typeof Change>
export type Moderated = Static<typeof Moderated>
export type ActivityList = Static<typeof ActivityList>
export type ChangeList = Static<typeof ChangeList>
export type Tally = Static<typeof Tally>
/** A product and its version. */
export type Environment = Static<typeof Environment>
export type Standing = Static<typeof Standing>
export type Blame = Static<typeof Blame>
export type PinFinding = Static<typeof PinFinding>
export type PinsReport = Static<typeof PinsReport>
export type ExportLine = Static<typeof ExportLine>
/** A line that has the members of its type. */
export type CheckedLine<Type extends ExportType = ExportType> = {
  [Each in Type]: ExportLine & { type: Each } & Required<Pick<ExportLine, (typeof EXPORT_MEMBERS)[Each][number]>>
}[Type]
export type ExportManifest = Static<typeof ExportManifest>
export type LogRecord = Static<typeof LogRecord>
export type EntryList = Static<typeof EntryList>
export type RevisionList = Static<typeof RevisionList>
export type RelationList = Static<typeof RelationList>
export type FoundStanding = Static<typeof FoundStanding>
export type Found = Static<typeof Found>
export type FoundList = Static<typeof FoundList>
export type FoundAsOf = Static<typeof FoundAsOf>
export type FoundAsOfList = Static<typeof FoundAsOfList>
export type EntryOverview = Static<typeof EntryOverview>
export type EntryAsOf = Static<typeof EntryAsOf>
export type WorkItem = Static<typeof WorkItem>
export type WorkList = Static<typeof WorkList>
export type Missing = Static<typeof Missing>
export type Batch = Static<typeof Batch>
export type Published = Static<typeof Published>
export type Hints = Published['hints']
export type Similar = Static<typeof Similar>
export type SimilarList = Static<typeof SimilarList>
export type Report = Static<typeof Report>
export type ReportReceipt = Static<typeof ReportReceipt>
export type ReportOutcome = Static<typeof ReportOutcome>
export type ActOfModeration = Static<typeof ActOfModeration>
export type ModerationCounts = Static<typeof ModerationCounts>
export type Decision = Static<typeof Decision>
export type AppealList = Static<typeof AppealList>
export type AppealedDecision = Static<typeof AppealList>['items'][number]
export type AdminReport = Static<typeof AdminReport>
export type Stats = Static<typeof Stats>
export type Discovery = Static<typeof Discovery>
export type Health = Static<typeof Health>
export type Flags = Static<typeof Flags>
export type ModerationResult = Static<typeof ModerationResult>
export type AdminSnapshot = Static<typeof AdminSnapshot>
export type AdminEvidence = Static<typeof AdminEvidence>

/** The schemas that the OpenAPI document names. */
export const NAMED_RESOURCES = {
  Declared,
  Author,
  Actor,
  ActorIssued,
  ActorProfile,
  Outcomes,
  Entry,
  Hint,
  Published,
  EntryOverview,
  EntryAsOf,
  Source,
  Tally,
  ChangedBy,
  LastCheckedAt: lastCheckedAt,
  EntryStanding,
  Revision,
  Relation,
  Verification,
  Contradiction,
  EvidenceResult,
  EvidenceResults,
  Evidence,
  Piece,
  Objection,
  Standing,
  Blame,
  PinsReport,
  Activity,
  EntryList,
  Corrections: fit.corrected,
  FoundList,
  FoundAsOfList,
  WorkList,
  RevisionList,
  RelationList,
  ActivityList,
  Moderated,
  Change,
  ChangeList,
  Missing,
  Batch,
  Similar,
  SimilarList,
  ReportReceipt,
  ReportOutcome,
  ModerationCounts,
  Stats,
  Limits,
  Discovery,
  Health,
  AdminSnapshot,
  AdminEvidence,
  ModerationFlags: Flags,
  ModerationResult,
  ExportLine,
  ExportManifest,
  LogRecord,
  LogProof,
  Decision,
  DecisionList,
  AppealList,
  AdminReport,
  ReportList,
  Error: ErrorShape,
} as const
