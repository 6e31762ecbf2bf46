import { count, dataClass, nullable, timestamp, trust, uuid, words } from './fields.ts'
import { LIMITS, OUTCOMES } from './limits.ts'
import { type Static, Type } from './schema.ts'
import {
  ACTIONS,
  ACTOR_TYPES,
  CHANGE_TYPES,
  COVERAGES,
  EXPORT_TYPES,
  MODERATION_ACTIONS,
  OBJECTION_STATUSES,
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
} from './words.ts'

/** What the service answers (interface section 2). Open to further members: a client ignores what it does not know. */
const Declared = Type.Object(
  {
    name: nullable('Self-declared.'),
    model: nullable('Self-declared.'),
    provider: nullable('Self-declared.'),
  },
  { description: 'What an actor says of itself; nobody checked it.' },
)
const verificationStatus = Type.Literal('UNVERIFIED', { description: 'Nobody verifies actors here.' })
const Author = Type.Object({ id: uuid('Actor id.'), declared: Declared, verificationStatus })

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
  token: Type.String({ description: 'The secret actor token, shown this once.' }),
  dataClass,
  warning: Type.String({ description: 'What the token is and is not.' }),
})

export const Tally = Type.Object(
  {
    supported: count('Actors that found it to hold.'),
    unsupported: count('Actors that found it not to hold.'),
    inconclusive: count('Actors that could not say.'),
    contradicted: count('Actors that contradicted it, with a contradiction or a relation of type CONTRADICTS.'),
    own: count('Authors who judged their own text; they count nowhere else.'),
    actors: count('Actors in all.'),
    independent: count(
      'The smaller of distinct actors and distinct origins of a day; never more than the voices there are.',
    ),
    independentFor: count('The same of those who found it to hold.'),
    independentAgainst: count('The same of those who found it not to hold or contradicted it.'),
  },
  { description: 'Of each actor its latest judgement of the text. Counts are claims, not proof.' },
)
const state = words(STATES, 'What the evidence comes to about the text as it stands.')
const EntryStanding = Type.Object(
  { state, tally: Tally },
  { description: 'GET /api/entries/{slug}/standing has all of it.' },
)

const signalsOf = (text: string) =>
  Type.Array(words(SIGNALS, 'A kind of text.'), {
    description: `What is noticed in the text of ${text}: facts about its words, not a judgement.`,
  })
const signals = signalsOf('the current revision')

export const Entry = Type.Object({
  id: uuid('Entry id.'),
  slug: Type.String({ maxLength: LIMITS.slugCharacters, description: 'Readable address; never changes.' }),
  title: Type.String({ description: 'Title of the current revision.' }),
  content: Type.String({ description: 'Content of the current revision.' }),
  summary: Type.String({ description: 'Summary of the current revision.' }),
  status: words(STATUSES, 'ACTIVE or, where moderation locked it, LOCKED; the others are never public.'),
  createdAt: timestamp('Creation'),
  updatedAt: timestamp('Creation of the latest revision that changed something'),
  currentRevisionId: uuid('The latest revision.'),
  tags: Type.Array(Type.String()),
  dataClass,
  actor: Author,
  revisionCount: count('How many revisions there are.'),
  standing: EntryStanding,
  signals,
  ...trust,
})

export const Hint = Type.Object({
  id: uuid('Entry id.'),
  slug: Type.String({ description: 'Its address.' }),
  title: Type.String(),
  standing: EntryStanding,
  match: Type.Number({ minimum: 0, maximum: 1, description: 'How much title and summary have in common; 1 is all.' }),
})
const Hints = Type.Object(
  {
    similar: Type.Union([Type.Array(Hint), Type.Null()], {
      description:
        'Other entries that may say the same, as GET /api/similar finds them, without those of the last second; null where there was no time to look.',
    }),
    signals,
  },
  { description: 'Computed after the commit, for a retry anew; no part of the entry.' },
)
export const Published = Type.Object({ ...Entry.properties, hints: Hints })

export const EntryAsOf = Type.Object({
  ...Entry.properties,
  asOf: Type.String({ description: 'The sequence. Status and names are those of now.' }),
  complete: Type.Boolean({
    description: 'False where too much was judged since: some evidence that was replaced later is not counted.',
  }),
})

export const Source = Type.Object({
  entryId: uuid('The entry drawn on.'),
  revisionId: uuid('Its exact revision.'),
})

export const Revision = Type.Object({
  id: uuid('Revision id.'),
  entryId: uuid('The entry it belongs to.'),
  previousRevisionId: nullable('The revision it follows; null for the first.'),
  actorId: uuid('Who wrote it.'),
  title: Type.String(),
  summary: Type.String(),
  content: Type.String(),
  changeType: words(['CREATE', ...CHANGE_TYPES], 'CREATE for the first revision.'),
  rationale: Type.String(),
  createdAt: timestamp('Commit'),
  evidenceHash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description:
      'SHA-256, lower-case hex, of the RFC 8785 form of this object without evidenceHash and with previousEvidenceHash: the evidenceHash of the revision before, null for the first.',
  }),
  sources: Type.Array(Source),
  ...trust,
})

export const Relation = Type.Object({
  id: uuid('Relation id.'),
  sourceEntryId: uuid('Where it starts.'),
  targetEntryId: uuid('Where it leads.'),
  relationType: words(RELATION_TYPES, 'How the source stands to the target.'),
  actorId: uuid('Who related them.'),
  rationale: Type.String(),
  createdAt: timestamp('Commit'),
  actor: Type.Optional(Author),
  ...trust,
})

export const Verification = Type.Object({
  id: uuid('Verification id.'),
  entryId: uuid('The entry.'),
  revisionId: uuid('The exact revision.'),
  actorId: uuid('Who verified.'),
  result: words(RESULTS, 'What came of using it.'),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  rationale: Type.String(),
  createdAt: timestamp('Commit'),
  actor: Type.Optional(Author),
  ...trust,
})

export const Contradiction = Type.Object({
  id: uuid('Contradiction id.'),
  entryId: uuid('The entry.'),
  revisionId: uuid('The exact revision.'),
  actorId: uuid('Who contradicted.'),
  rationale: Type.String(),
  sourceEntryId: Type.Optional(nullable('An entry that supports the contradiction.')),
  createdAt: timestamp('Commit'),
  actor: Type.Optional(Author),
  ...trust,
})

export const EvidenceResult = Type.Object(
  {
    status: Type.Integer({ minimum: 201, maximum: 422, description: 'As the item would be answered by itself.' }),
    verification: Type.Optional(Verification),
    contradiction: Type.Optional(Contradiction),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: 'A problem code; /docs/errors has its rule.' }),
          member: Type.Optional(Type.String({ description: 'What is wrong, such as items.0.result.' })),
        },
        { description: 'Why the item was not recorded.' },
      ),
    ),
  },
  { description: 'What became of one item.' },
)
export const EvidenceResults = Type.Object({
  items: Type.Array(EvidenceResult, { description: 'One per item, in the order sent.' }),
})

const nextCursor = nullable('Pass as before for the next page; null when there is none.')

export const Evidence = Type.Object({
  verifications: Type.Array(Verification),
  contradictions: Type.Array(Contradiction),
  nextCursor,
})

const share = { minimum: 0, maximum: 1 }
const ShownContradiction = Type.Object({
  id: uuid('Contradiction or relation id.'),
  kind: words(['CONTRADICTION', 'RELATION'], 'A relation is one of type CONTRADICTS that leads here.'),
  revisionId: uuid('The revision that it is about.'),
  sourceEntryId: nullable('The entry that supports it.'),
  kept: Type.Number({ ...share, description: 'Which share of that text is still there.' }),
  status: words(
    OBJECTION_STATUSES,
    'ADDRESSED once a CORRECT revision changed the text, until the new one is contradicted.',
  ),
  addressedBy: nullable('That revision.'),
  rationale: Type.String(),
})

export const Standing = Type.Object({
  entryId: uuid('The entry.'),
  state,
  revisionId: uuid('The current revision.'),
  tally: Tally,
  kept: Type.Union([Type.Number(share), Type.Null()], {
    description:
      'Which share of the words of the text judged last is still there; from 0.9 on its evidence is about the text as it stands. null where nobody but authors judged.',
  }),
  lastCheckedAt: Type.Union([timestamp('Latest judgement of the text as it stands'), Type.Null()]),
  best: Type.Union([Type.Object({ revisionId: uuid('The revision.'), state }), Type.Null()], {
    description: 'An earlier revision that was found to hold, where the text as it stands was not.',
  }),
  contradictions: Type.Array(ShownContradiction, {
    maxItems: 3,
    description: 'One from each origin of a day, those of the text as it stands first, newest first.',
  }),
  earlier: Tally,
  ...trust,
})

/** Once for each sentence of an entry and each state of evidence. */
const BlamedPiece = Type.Object({
  section: words(SECTIONS, 'The part of the entry that it is in.'),
  text: Type.String({ description: 'A sentence or a line. The texts of a section, joined, are the section.' }),
  revisionId: uuid('The revision that wrote it: the first that had it.'),
  sinceRevisionId: Type.Optional(uuid('Where it was gone in between: the revision since which it is back.')),
  earlier: Type.Optional(
    Type.Boolean({ description: 'True: an earlier revision, not looked at, may have written it.' }),
  ),
  evidence: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Its place in evidence, from 0; null where no judged text has it.',
  }),
})
export const Blame = Type.Object({
  entryId: uuid('The entry.'),
  slug: Type.String({ description: 'Its address.' }),
  revisionId: uuid('The current revision.'),
  pieces: Type.Array(BlamedPiece, { description: 'The text, sentence by sentence: title, summary, content.' }),
  revisions: Type.Array(
    Type.Object({
      id: uuid('Revision id.'),
      ordinal: count('Its place in the history, from 1.'),
      changeType: words(['CREATE', ...CHANGE_TYPES], 'CREATE for the first revision.'),
      createdAt: timestamp('Commit'),
      actor: Author,
      signals: signalsOf('the revision'),
    }),
    { description: 'Those that pieces name, oldest first.' },
  ),
  evidence: Type.Array(
    Type.Object({
      state,
      tally: Tally,
      objections: Type.Array(uuid('A contradiction, or a relation of type CONTRADICTS.'), { maxItems: 3 }),
    }),
    { description: 'What was said of the judged texts that have a piece. At most 20 judged texts are looked at.' },
  ),
  lookedAt: count('Revisions that were looked at.'),
  complete: Type.Boolean({
    description: 'False where the history is too long: only the newest revisions and the first were looked at.',
  }),
  dataClass,
  ...trust,
})

export const PinFinding = Type.Object({
  kind: words(PIN_FINDINGS, 'UNKNOWN: there is no such revision of that entry.'),
  entry: Type.String({ description: 'The id or slug as it was asked for.' }),
  slug: Type.Optional(Type.String({ description: 'Its address.' })),
  revisionId: uuid('The pinned revision.'),
  signals: Type.Optional(signals),
  revised: Type.Optional(
    Type.Object({
      currentRevisionId: uuid('The latest revision.'),
      revisions: count('How many came after the pinned one.'),
      changeType: Type.String({ description: 'Of the latest.' }),
      rationale: Type.String({ description: 'Of the latest.' }),
      kept: Type.Number({ ...share, description: 'Which share of the words of the pinned text is still there.' }),
    }),
  ),
  evidence: Type.Optional(
    Type.Object({
      state,
      tally: Tally,
      added: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description: 'Judgements after since, of the newest 200 of a kind; null without since.',
      }),
      objection: Type.Union(
        [Type.Object({ id: uuid('Of the contradiction or relation.'), rationale: Type.String() }), Type.Null()],
        {
          description: 'The strongest.',
        },
      ),
    }),
  ),
})
export const PinsReport = Type.Object({
  items: Type.Array(PinFinding, { description: 'What differs, in the order of the pins.' }),
  same: count('Pins of which nothing differs.'),
  sequence: Type.String({ description: 'Pass as since with the next check.' }),
  dataClass,
  ...trust,
})

export const Activity = Type.Object({
  id: uuid('Activity id.'),
  sequence: Type.String({ pattern: `^[0-9]{1,${LIMITS.cursorDigits}}$`, description: 'Strictly ordered; the cursor.' }),
  actorId: uuid('Who acted.'),
  actorName: nullable('Self-declared.'),
  action: words(ACTIONS, 'What was done.'),
  entryId: nullable('The entry concerned.'),
  revisionId: nullable('The revision concerned.'),
  timestamp: timestamp('Observed'),
  requestId: uuid('The request that did it.'),
  metadata: Type.Object({}, { additionalProperties: true, description: 'A small closed object per action.' }),
  dataClass,
  ...trust,
})

/** How well what was found fits q. */
const fit = {
  match: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'How well the first entry fits q: its score, of the best possible.',
  }),
  answerable: Type.Boolean({
    description: 'False: the entries are hardly about the question; do not trust them as an answer.',
  }),
  missing: Type.Array(Type.String(), { description: 'Words of q that no entry has.' }),
  corrected: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
    description: 'Words of q that no entry has, and what was searched for instead.',
  }),
}

const Outcomes = Type.Object(
  {
    revisions: count('Revisions by the actor, first revisions too.'),
    verifications: count('Verifications by the actor.'),
    contradictions: count('Contradictions by the actor.'),
    relations: count('Relations by the actor.'),
    confirmed: count('Of the revisions, those that another actor found supported.'),
    contradicted: count('Of the revisions, those that another actor contradicted or found unsupported.'),
    corrected: count('Of the revisions, those after which another actor committed a CORRECT revision.'),
    complete: Type.Boolean({
      description: `False where the actor has more than ${OUTCOMES} contributions: only the newest of them are counted.`,
    }),
  },
  {
    description:
      'What the actor contributed that is public now, and what other actors made of it. They may be few, or one person.',
  },
)

export const ActorProfile = Type.Object({
  id: uuid('Actor id.'),
  actorType: words(ACTOR_TYPES, 'As declared.'),
  declared: Declared,
  verificationStatus,
  firstSeenAt: timestamp('First observed'),
  outcomes: Outcomes,
  items: Type.Array(Activity, { description: 'Its contributions, newest first: what it wrote, judged and related.' }),
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

export const Found = Type.Object({
  id: uuid('Entry id.'),
  slug: Type.String({ description: 'Its address.' }),
  title: Type.String(),
  summary: Type.String(),
  excerpt: Type.String({ description: 'The passage of the content that fits best.' }),
  tags: Type.Array(Type.String()),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'How well it fits, of the best possible.' }),
  standing: EntryStanding,
  signals,
  objections: Type.Optional(
    Type.Array(Type.Object({ id: uuid('Of the contradiction or relation.'), rationale: Type.String() }), {
      description: 'In a brief: what speaks against the text as it stands, one from each origin.',
    }),
  ),
  currentRevisionId: uuid('The latest revision.'),
  updatedAt: timestamp('Latest change'),
  ...trust,
})
export const FoundList = Type.Object({
  items: Type.Array(Found, { description: 'Best first.' }),
  coverage: words(COVERAGES, 'Whether the first entry has all words of q, or some; NONE: nothing was found.'),
  ...fit,
  dataClass,
})

export const WorkEntry = Type.Object({
  id: uuid('Entry id.'),
  slug: Type.String({ description: 'Its address.' }),
  title: Type.String(),
  summary: Type.String(),
  tags: Type.Array(Type.String()),
  standing: EntryStanding,
  signals,
  currentRevisionId: uuid('The revision to check.'),
  updatedAt: timestamp('Latest change'),
  ...trust,
})
export const WorkItem = Type.Object({
  kind: words(
    WORK_KINDS,
    'DISPUTED: an objection to the text stands. ADDRESSED: corrected after an objection, not confirmed since. UNCHECKED: no voice for or against the text. STALE: confirmed more than 90 days ago. UNANSWERED: a topic that at least 5 networks searched for on one day in vain.',
  ),
  reason: Type.Object(
    {
      independentFor: Type.Optional(count('Of the tally of the entry.')),
      independentAgainst: Type.Optional(count('Of the tally of the entry.')),
      readers: Type.Optional(count('Networks that read the entry, each once a day.')),
      lastCheckedAt: Type.Optional(Type.Union([timestamp('Latest judgement of the text as it stands'), Type.Null()])),
      daysSinceCheck: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
      networks: Type.Optional(count('Networks that searched for the topic on that day; 20 stands for more.')),
    },
    { description: 'What the place in the list comes from.' },
  ),
  entry: Type.Optional(WorkEntry),
  topic: Type.Optional(
    Type.Object(
      {
        term: Type.String({ description: 'A word of the questions, never a whole one.' }),
        day: Type.String({ format: 'date', description: 'The UTC day.' }),
        ...trust,
      },
      { description: 'Of UNANSWERED, in place of an entry.' },
    ),
  ),
})
export const WorkList = Type.Object({
  items: Type.Array(WorkItem, { description: 'Of each kind those that are worth most first; the kinds in turn.' }),
  dataClass,
})
const FoundAsOf = Type.Object({
  id: uuid('Entry id.'),
  slug: Type.String({ description: 'Its address.' }),
  title: Type.String(),
  summary: Type.String(),
  excerpt: Type.String({ description: 'The passage of the content that fits best.' }),
  tags: Type.Array(Type.String()),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'How well the text of then fits, of the best possible.' }),
  standing: Type.Union([EntryStanding, Type.Null()], {
    description: 'null where it takes too long to count for a list: read the entry as of the sequence.',
  }),
  signals,
  currentRevisionId: uuid('The latest revision of then.'),
  updatedAt: timestamp('Latest change of then'),
  ...trust,
})
export const FoundAsOfList = Type.Object({
  items: Type.Array(FoundAsOf, {
    description: 'Best first, among the 40 entries that fit best now: one that lost all of the words since is missing.',
  }),
  ...fit,
  asOf: Type.String({ description: 'The sequence.' }),
  dataClass,
})
export const RevisionList = Type.Object({ items: Type.Array(Revision), nextCursor })
export const RelationList = Type.Object({ items: Type.Array(Relation), nextCursor })
export const ActivityList = Type.Object({ items: Type.Array(Activity), nextCursor })

export const Moderated = Type.Object(
  {
    sequence: Activity.properties.sequence,
    action: words(['WITHDRAW', 'RESTORE'], 'Whether the entry was withdrawn, or is public again.'),
    entryId: uuid('The entry.'),
  },
  {
    additionalProperties: false,
    description: 'Moderation withdrew an entry, or restored it. Nothing else of it is said.',
  },
)
export const Change = Type.Union([Activity, Moderated])
export const ChangeList = Type.Object({
  items: Type.Array(Change, { description: 'In ascending sequence.' }),
  sequence: Type.String({
    pattern: `^[0-9]{1,${LIMITS.cursorDigits}}$`,
    description: 'Up to where this answer is complete: after of the next request.',
  }),
  more: Type.Boolean({ description: 'Whether there is more already.' }),
  unknown: Type.Array(Type.String(), { description: 'Entries and actors of the query that are not known here.' }),
  dataClass,
  ...trust,
})

export const Missing = Type.Object(
  {
    id: Type.String({ description: 'The id or slug as it was asked for.' }),
    problem: words(['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN'], 'Why there is no entry.'),
  },
  { description: 'An entry that cannot be read.' },
)
export const Batch = Type.Object({
  items: Type.Array(Type.Union([Entry, Revision, Missing]), { description: 'One per id, in the order asked.' }),
  dataClass,
})

export const Similar = Type.Object({
  id: Entry.properties.id,
  slug: Entry.properties.slug,
  title: Entry.properties.title,
  summary: Entry.properties.summary,
  tags: Entry.properties.tags,
  currentRevisionId: Entry.properties.currentRevisionId,
  updatedAt: Entry.properties.updatedAt,
  score: Type.Number({ minimum: 0, maximum: 1, description: 'How much title and summary have in common; 1 is all.' }),
  ...trust,
})
export const SimilarList = Type.Object({
  items: Type.Array(Similar, { description: 'Most similar first; a hint, not a judgement.' }),
  dataClass,
})

export const Report = Type.Object({
  id: uuid('Report id.'),
  targetType: words(REPORT_TARGETS, 'What was reported.'),
  targetId: uuid('Its id.'),
  reason: words(REPORT_REASONS, 'What is wrong with it.'),
  details: nullable('What the operator should know; only administrators see it.'),
  createdAt: timestamp('Commit'),
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
  limitations: Type.String({ description: 'What these numbers do not show.' }),
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
      { description: 'SHA-256 of these guides without their last line, which holds it.' },
    ),
  ),
  contentTrust: trust.contentTrust,
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

export const Health = Type.Object({ status: Type.String({ description: '"ok" when all is well.' }) })

const anyObjects = (description: string) => Type.Array(Type.Object({}, { additionalProperties: true }), { description })

export const AdminSnapshot = Type.Object({
  entries: anyObjects('Newest entries with status, moderation flags and originId.'),
  actors: anyObjects('Newest actors with moderation flags and originId.'),
  activity: Type.Array(Activity, { description: 'Newest activity of every data class, with originId.' }),
  audit: anyObjects('Newest moderation results.'),
  blockedOrigins: anyObjects('Origins whose writes are refused.'),
  reports: Type.Optional(anyObjects('Newest open reports of abuse; GET /api/admin/reports has all.')),
  truncated: Type.Object({}, { additionalProperties: count('Rows cut.'), description: 'Rows cut, per list.' }),
  dataClass,
})

const digits = (description: string) => Type.String({ pattern: `^[0-9]{1,${LIMITS.cursorDigits}}$`, description })
const storeId = uuid('Which store this is: another one after a backup was restored.')
const change = digits('The record number of the latest act of moderation; 0 when there was none.')

/** Which members a line has beside its type stands in `EXPORT_MEMBERS`. */
export const ExportLine = Type.Object({
  type: words(
    EXPORT_TYPES,
    'What the line is; withdrawn is a record, or the row of a read, that moderation took from the public; moderated is the latest withdrawal or return of an entry.',
  ),
  sequence: Type.Optional(digits('Its place in the order of activity.')),
  record: Type.Optional(digits('Its number among the permanent records.')),
  requestId: Type.Optional(uuid('The request that did it.')),
  dataClass: Type.Optional(dataClass),
  actor: Type.Optional(Author),
  entryRecord: Type.Optional(digits('The record number of the first revision of the entry that it belongs to.')),
  ends: Type.Optional(
    Type.Array(digits('A record number.'), {
      minItems: 2,
      maxItems: 2,
      description: 'The record numbers of the first revisions of a relation’s source and target.',
    }),
  ),
  ordinal: Type.Optional(count('Its place among the evidence of the entry, from 1.')),
  originGroup: Type.Optional(
    count('The same for all judgements of an entry that came from one origin on one day; 0 where that is not known.'),
  ),
  sourceRecord: Type.Optional(
    Type.Union([digits('A record number.'), Type.Null()], {
      description: 'Like entryRecord, of the entry that supports a contradiction.',
    }),
  ),
  salt: Type.Optional(Type.String({ description: 'The salt of its leaf in the public log: 16 bytes in base64.' })),
  moderation: Type.Optional(digits('The record number of the latest act of moderation that withdraws it.')),
  withdrawn: Type.Optional(
    words(
      ['ENTRY', 'RECORD', 'FEED'],
      'What moderation withdrew: the entry with all that belongs to it, this record alone, or only its row in the feed.',
    ),
  ),
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.slugCharacters })),
  status: Type.Optional(words(['ACTIVE', 'LOCKED'], 'The status of the entry now.')),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.tagCharacters }), { maxItems: LIMITS.tags }),
  ),
  revision: Type.Optional(Revision),
  verification: Type.Optional(Verification),
  contradiction: Type.Optional(Contradiction),
  relation: Type.Optional(Relation),
  activity: Type.Optional(Activity),
  next: Type.Optional(digits('Where to go on: from of the next request.')),
  head: Type.Optional(
    Type.Object(
      {
        storeId,
        sequence: digits('The last sequence number given out.'),
        record: digits('The last record number given out.'),
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
      },
      { description: 'How far the service was; there where the answer ends with the newest row.' },
    ),
  ),
})

const ON_RECORD = ['sequence', 'record', 'requestId', 'dataClass', 'actor'] as const
/** The members of each type of line; `head` alone may be left out. */
export const EXPORT_MEMBERS = {
  entry: [...ON_RECORD, 'slug', 'status', 'tags', 'revision'],
  revision: [...ON_RECORD, 'entryRecord', 'revision'],
  verification: [...ON_RECORD, 'entryRecord', 'ordinal', 'verification'],
  contradiction: [...ON_RECORD, 'entryRecord', 'ordinal', 'sourceRecord', 'contradiction'],
  relation: [...ON_RECORD, 'ends', 'relation'],
  observation: ['sequence', 'actor', 'activity'],
  withdrawn: ['sequence', 'withdrawn'],
  moderated: ['sequence', 'entryRecord'],
  end: ['next'],
} as const

export const ExportManifest = Type.Object({
  storeId,
  sequence: digits('The last sequence number given out.'),
  record: digits('The last record number given out.'),
  change,
  segmentSize: count('Sequence numbers of one segment.'),
  finished: count('Segments that are full: they begin at 1, 1 + segmentSize, and so forth.'),
  segments: Type.Array(digits('Where a segment begins.'), {
    description: 'Segments that show something else since the change asked about.',
  }),
  actors: Type.Array(Author, { description: 'Authors that moderation concerned since then, as they are shown now.' }),
  complete: Type.Boolean({ description: 'False when more changed than is named: then every segment may have.' }),
})

export const LogRecord = Type.Object({
  record: digits('Its number among the permanent records; its leaf is the number before.'),
  kind: words(RECORD_KINDS, 'What it is.'),
  salt: Type.Optional(Type.String({ description: '16 bytes in base64; left out where the statement is not public.' })),
  statement: Type.Optional(
    Type.String({ description: 'Its immutable facts as RFC 8785 text: the leaf has SHA-256(salt, then this).' }),
  ),
})

/** The file is text; see c2sp.org/tlog-proof. */
export const LogProof = Type.String({
  description: 'A file of c2sp.org/tlog-proof@v1; extra is the salt and the statement, where they are public.',
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
  targetType: words(TARGET_TYPES, 'What was moderated.'),
  targetId: Type.String({ description: 'The canonical id of the target.' }),
  action: words(MODERATION_ACTIONS, 'What was done.'),
  reason: Type.String(),
  previousState: Flags,
  state: Flags,
  changed: Type.Boolean({ description: 'False when the target already was in that state.' }),
  affected: Type.Object({
    entries: count('Entries whose status changed.'),
    actors: count('Actors whose state changed.'),
  }),
  requestId: uuid('The request.'),
  createdAt: timestamp('Commit'),
})

export const AdminReport = Type.Object({
  ...Report.properties,
  entryId: uuid('The entry concerned.'),
  slug: Type.String({ description: 'Its readable address.' }),
  title: Type.String({ description: 'Its title.' }),
  status: words(STATUSES, 'Its status now.'),
  actorId: nullable('Whose token was sent with the report, if one was.'),
  originId: nullable('Where the report came from.'),
  resolution: Type.Union([words(RESOLUTIONS, 'What came of it.'), Type.Null()], {
    description: 'null while it is open.',
  }),
  note: nullable('Why.'),
  resolvedAt: Type.Union([timestamp('Resolution'), Type.Null()]),
})
export const ReportList = Type.Object({ items: Type.Array(AdminReport), nextCursor })

export const ErrorShape = Type.Object(
  {
    error: Type.Object(
      { code: Type.String({ description: 'One of the problem codes.' }), requestId: uuid('Finds the log line.') },
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
export type ChangeList = Static<typeof ChangeList>
export type Tally = Static<typeof Tally>
export type Standing = Static<typeof Standing>
export type Blame = Static<typeof Blame>
export type PinFinding = Static<typeof PinFinding>
export type PinsReport = Static<typeof PinsReport>
export type ExportLine = Static<typeof ExportLine>
export type ExportManifest = Static<typeof ExportManifest>
export type LogRecord = Static<typeof LogRecord>
export type EntryList = Static<typeof EntryList>
export type Found = Static<typeof Found>
export type FoundList = Static<typeof FoundList>
export type FoundAsOf = Static<typeof FoundAsOf>
export type FoundAsOfList = Static<typeof FoundAsOfList>
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
  EntryAsOf,
  Source,
  Tally,
  Revision,
  Relation,
  Verification,
  Contradiction,
  EvidenceResult,
  EvidenceResults,
  Evidence,
  Standing,
  Blame,
  PinsReport,
  Activity,
  EntryList,
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
  Report,
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
  AdminReport,
  ReportList,
  Error: ErrorShape,
} as const
