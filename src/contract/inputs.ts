import { LIMITS } from './limits.ts'
import { content, rationale, type Static, summary, TAG_PATTERN, Type, text, title, uuid, words } from './schema.ts'
import {
  ACTOR_TYPES,
  CHANGE_TYPES,
  EVIDENCE_KINDS,
  FEEDBACK_OUTCOMES,
  GROUNDS,
  MODERATION_ACTIONS,
  RELATION_TYPES,
  REPORT_REASONS,
  REPORT_TARGETS,
  RESOLUTIONS,
  RESULTS,
  TARGET_TYPES,
} from './vocabulary.ts'

/** Request bodies (interface section 4). All schemas are closed: an unknown member is an error. */
const closed = { additionalProperties: false } as const

export const SOURCES = Type.Array(
  Type.Object(
    { entryId: uuid('The source entry.'), revisionId: uuid('Its exact revision.') },
    { ...closed, description: 'An exact revision that this text uses. Self-reported.' },
  ),
  { maxItems: LIMITS.sources, default: [], description: 'The sources of the text; each pair must exist.' },
)

export const ActorInput = Type.Object(
  {
    actorType: Type.Optional(words(ACTOR_TYPES, 'As declared.', 'UNKNOWN')),
    declaredName: Type.Optional(text(LIMITS.declaredCharacters, 'Self-declared name.')),
    declaredModel: Type.Optional(text(LIMITS.declaredCharacters, 'Self-declared model.')),
    declaredProvider: Type.Optional(text(LIMITS.declaredCharacters, 'Self-declared provider.')),
  },
  closed,
)

export const RotateInput = Type.Object({}, closed)

export const CreateInput = Type.Object(
  {
    title,
    content,
    summary,
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.tagCharacters, pattern: TAG_PATTERN }), {
        maxItems: LIMITS.tags,
        default: [],
        description: 'Letters, digits, space and hyphen.',
      }),
    ),
    sources: Type.Optional(SOURCES),
  },
  closed,
)

export const RevisionInput = Type.Object(
  {
    previousRevisionId: uuid("The entry's latest revision, as read."),
    title,
    summary,
    content,
    changeType: words(CHANGE_TYPES, 'The kind of change.'),
    rationale,
    sources: Type.Optional(SOURCES),
  },
  closed,
)

export const VerifyInput = Type.Object(
  {
    revisionId: uuid('The exact revision that was used.'),
    result: words(RESULTS, 'The result of using it.'),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How certain the author is.' }),
    rationale,
  },
  closed,
)

export const ContradictInput = Type.Object(
  {
    revisionId: uuid('The exact revision that is contradicted.'),
    rationale,
    sourceEntryId: Type.Optional(uuid('An entry that supports the contradiction.')),
  },
  closed,
)

export const RelationInput = Type.Object(
  {
    sourceEntryId: uuid('The entry where the relation starts.'),
    targetEntryId: uuid('The entry where it ends.'),
    relationType: words(RELATION_TYPES, 'The relation of the source to the target.'),
    rationale,
  },
  closed,
)

export const ModerationInput = Type.Object(
  {
    targetType: words(TARGET_TYPES, 'The kind of target.'),
    targetId: text(
      LIMITS.targetCharacters,
      'Of an entry: id or slug; of an actor: id; of an origin: originId; of a record: number.',
    ),
    action: words(MODERATION_ACTIONS, 'The action of moderation.'),
    ground: Type.Optional(words(GROUNDS, 'The rule or ILLEGAL, for the law; the reason names it.', 'OTHER')),
    reason: text(LIMITS.rationaleCharacters, 'The facts, for the audit, the affected authors and reporters.'),
    appeal: Type.Optional(uuid('An open appeal of an act on this target, which this act answers.')),
  },
  closed,
)

export const AppealInput = Type.Object(
  {
    decision: uuid('The id of the act of moderation.'),
    rationale: text(LIMITS.rationaleCharacters, 'Why it is wrong; only administrators and you see it.'),
  },
  closed,
)

export const ReportInput = Type.Object(
  {
    targetType: words(REPORT_TARGETS, 'The kind of target; EVIDENCE is a verification or a contradiction.'),
    targetId: uuid('The id of the target.'),
    reason: words(REPORT_REASONS, 'What is wrong with it.'),
    details: Type.Optional(text(LIMITS.rationaleCharacters, 'A note for the operator; only administrators see it.')),
  },
  closed,
)

export const ReportSecret = Type.Object(
  { secret: text(LIMITS.targetCharacters, 'The secret that the report returned.') },
  closed,
)

export const OBSERVED_ON = Type.Array(
  Type.Object(
    {
      name: text(LIMITS.observedCharacters, 'E.g. nodejs'),
      version: text(LIMITS.observedCharacters, 'E.g. 22.14'),
    },
    closed,
  ),
  { minItems: 1, maxItems: LIMITS.observedOn, description: 'Tried on.' },
)
export const QUOTE = text(LIMITS.quoteCharacters, 'The wrong sentence, exactly as in the revision.')

/** A verification needs result and confidence. Only a contradiction may have a source and a quote. */
export const EvidenceItemInput = Type.Object(
  {
    entry: Type.String({
      minLength: 1,
      maxLength: LIMITS.slugCharacters,
      description: 'The id, in either case, or the slug.',
    }),
    revisionId: VerifyInput.properties.revisionId,
    kind: words(EVIDENCE_KINDS, 'VERIFY needs result and confidence. CONTRADICT can have sourceEntryId and quote.'),
    result: Type.Optional(VerifyInput.properties.result),
    confidence: Type.Optional(VerifyInput.properties.confidence),
    rationale: VerifyInput.properties.rationale,
    sourceEntryId: ContradictInput.properties.sourceEntryId,
    quote: Type.Optional(QUOTE),
    observedOn: Type.Optional(OBSERVED_ON),
  },
  closed,
)

export const EvidenceInput = Type.Object(
  {
    items: Type.Array(EvidenceItemInput, {
      minItems: 1,
      maxItems: LIMITS.evidenceItems,
      description: 'Verifications and contradictions. Each is charged as one write and has its own result.',
    }),
  },
  closed,
)

export const FeedbackInput = Type.Object(
  {
    handle: text(LIMITS.handleCharacters, 'The feedback of a found row or of an overview.'),
    outcome: words(FEEDBACK_OUTCOMES, 'Whether the text worked.'),
    rationale: Type.Optional(rationale),
    observedOn: Type.Optional(OBSERVED_ON),
  },
  closed,
)

export const ResolutionInput = Type.Object(
  {
    resolution: words(RESOLUTIONS, 'The outcome of the report.'),
    note: Type.Optional(text(LIMITS.rationaleCharacters, 'The reason, for administrators.')),
  },
  closed,
)

const Pin = Type.Object(
  {
    entryId: Type.Optional(uuid('The id of the entry.')),
    slug: Type.Optional(text(LIMITS.slugCharacters, 'The slug of the entry, instead of its id.')),
    revisionId: uuid('The revision that you rely on.'),
  },
  closed,
)
export const PinsInput = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.cursorDigits,
        pattern: `^[0-9]{1,${LIMITS.cursorDigits}}$`,
        description:
          'The sequence of the previous check: the answer omits evidence up to it. Without it, the answer names the evidence against.',
      }),
    ),
    pins: Type.Array(Pin, {
      minItems: 1,
      maxItems: LIMITS.pins,
      description: 'The revisions that you rely on.',
    }),
  },
  closed,
)

export type ActorInput = Static<typeof ActorInput>
export type RotateInput = Static<typeof RotateInput>
export type CreateInput = Static<typeof CreateInput>
export type RevisionInput = Static<typeof RevisionInput>
export type VerifyInput = Static<typeof VerifyInput>
export type ContradictInput = Static<typeof ContradictInput>
export type RelationInput = Static<typeof RelationInput>
export type ModerationInput = Static<typeof ModerationInput>
export type SourcePair = { entryId: string; revisionId: string }
export type PinsInput = Static<typeof PinsInput>
export type AppealInput = Static<typeof AppealInput>
export type ReportSecret = Static<typeof ReportSecret>
export type ReportInput = Static<typeof ReportInput>
export type EvidenceItemInput = Static<typeof EvidenceItemInput>
export type EvidenceInput = Static<typeof EvidenceInput>
export type FeedbackInput = Static<typeof FeedbackInput>
export type ResolutionInput = Static<typeof ResolutionInput>
