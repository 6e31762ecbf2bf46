import { text, uuid, words } from './fields.ts'
import { ContradictInput, CursorQuery, VerifyInput } from './inputs.ts'
import { FIND, LIMITS, WORK } from './limits.ts'
import { type Static, Type } from './schema.ts'
import {
  EVIDENCE_KINDS,
  REPORT_REASONS,
  REPORT_STATES,
  REPORT_TARGETS,
  RESOLUTIONS,
  STATES,
  WORK_KINDS,
} from './words.ts'

/** Request bodies and query strings that the interface specification does not have. All schemas are closed. */
const closed = { additionalProperties: false } as const

export const ReportInput = Type.Object(
  {
    targetType: words(REPORT_TARGETS, 'The kind of target; EVIDENCE is a verification or a contradiction.'),
    targetId: uuid('The id of the target.'),
    reason: words(REPORT_REASONS, 'What is wrong with it.'),
    details: Type.Optional(text(LIMITS.rationaleCharacters, 'A note for the operator; only administrators see it.')),
  },
  closed,
)

/** A verification needs result and confidence. Only a contradiction may name a source. */
export const EvidenceItemInput = Type.Object(
  {
    entry: Type.String({
      minLength: 1,
      maxLength: LIMITS.slugCharacters,
      description: 'The id (in either case) or the slug of the entry.',
    }),
    revisionId: VerifyInput.properties.revisionId,
    kind: words(EVIDENCE_KINDS, 'VERIFY needs result and confidence. CONTRADICT can have sourceEntryId.'),
    result: Type.Optional(VerifyInput.properties.result),
    confidence: Type.Optional(VerifyInput.properties.confidence),
    rationale: VerifyInput.properties.rationale,
    sourceEntryId: ContradictInput.properties.sourceEntryId,
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
    revisionId: uuid('The revision that the caller relies on.'),
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
    pins: Type.Array(Pin, { maxItems: LIMITS.pins, description: 'The revisions that the caller relies on.' }),
  },
  closed,
)

const address = `[^,]{1,${LIMITS.slugCharacters}}`
export const BatchQuery = Type.Object(
  {
    ids: Type.String({
      minLength: 1,
      maxLength: LIMITS.batch * (LIMITS.slugCharacters + 1) - 1,
      pattern: `^${address}(?:,${address}){0,${LIMITS.batch - 1}}$`,
      description: `Ids or slugs of entries, or ids of revisions, at most ${LIMITS.batch}, separated by commas.`,
    }),
  },
  closed,
)

export const FindQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: FIND.queryCharacters,
      description: 'The problem in your own words, or the printed message: a question, an error, a stack trace.',
    }),
    tag: Type.Optional(
      Type.String({ maxLength: LIMITS.tagCharacters, description: 'Only entries with this tag, in any case.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: FIND.max, default: FIND.default, description: 'Rows at most.' }),
    ),
    state: Type.Optional(words(STATES, 'Only entries whose standing has this state.')),
    tokens: Type.Optional(
      Type.Integer({
        minimum: FIND.tokensMin,
        maximum: FIND.tokensMax,
        description: 'Asks for a brief: as many rows, passages and objections as fit into this many tokens of 4 bytes.',
      }),
    ),
  },
  closed,
)

export const WorkQuery = Type.Object(
  {
    kind: Type.Optional(words(WORK_KINDS, 'Only checks of this kind; without it, the kinds take turns.')),
    tag: FindQuery.properties.tag,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: WORK.max, default: WORK.default, description: 'Rows at most.' }),
    ),
  },
  closed,
)

export const FindAsOfQuery = Type.Object(
  { q: FindQuery.properties.q, tag: FindQuery.properties.tag, limit: FindQuery.properties.limit },
  closed,
)

export const SimilarQuery = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: LIMITS.titleCharacters, description: 'The title to publish.' }),
    summary: Type.Optional(
      Type.String({ maxLength: LIMITS.summaryCharacters, description: 'The summary to publish.' }),
    ),
  },
  closed,
)

export const ReportQuery = Type.Object(
  {
    ...CursorQuery.properties,
    state: Type.Optional(words(REPORT_STATES, 'open: open reports only. all: resolved reports too.', 'open')),
  },
  closed,
)

export type PinsInput = Static<typeof PinsInput>
export type ReportInput = Static<typeof ReportInput>
export type EvidenceItemInput = Static<typeof EvidenceItemInput>
export type EvidenceInput = Static<typeof EvidenceInput>
export type ResolutionInput = Static<typeof ResolutionInput>
export type BatchQuery = Static<typeof BatchQuery>
export type FindQuery = Static<typeof FindQuery>
export type WorkQuery = Static<typeof WorkQuery>
export type FindAsOfQuery = Static<typeof FindAsOfQuery>
export type SimilarQuery = Static<typeof SimilarQuery>
export type ReportQuery = Static<typeof ReportQuery>
