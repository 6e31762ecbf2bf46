import { content, rationale, summary, text, title, uuid, words } from './fields.ts'
import { LIMITS } from './limits.ts'
import { DIGITS_PATTERN, TAG_PATTERN, UUID_PATTERN } from './patterns.ts'
import { type Static, Type } from './schema.ts'
import {
  ACTOR_TYPES,
  CHANGE_ACTIONS,
  CHANGE_TYPES,
  MODERATION_ACTIONS,
  RELATION_TYPES,
  RESULTS,
  SORTS,
  TARGET_TYPES,
} from './words.ts'

/** Request bodies and query strings (interface section 4). All schemas are closed: an unknown member is an error. */
const closed = { additionalProperties: false } as const

const sources = Type.Array(
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
    sources: Type.Optional(sources),
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
    sources: Type.Optional(sources),
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
    targetId: text(LIMITS.targetCharacters, 'Of an entry: id or slug; of an actor: id; of an origin: originId.'),
    action: words(MODERATION_ACTIONS, 'The action of moderation.'),
    reason: text(LIMITS.rationaleCharacters, 'The reason, for the audit.'),
  },
  closed,
)

const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: LIMITS.pageMax, default: LIMITS.pageDefault, description: 'Rows per page.' }),
)

export const NoQuery = Type.Object({}, closed)

export const EntryQuery = Type.Object(
  {
    limit,
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: LIMITS.offsetMax, default: 0, description: 'Rows to skip.' }),
    ),
    q: Type.Optional(
      Type.String({
        maxLength: LIMITS.queryCharacters,
        description:
          'Words that must all occur in title, summary, tags or content. "Quoted words" are a phrase. The last word is a prefix if it has at least 3 characters.',
      }),
    ),
    tag: Type.Optional(
      Type.String({ maxLength: LIMITS.tagCharacters, description: 'Only entries with this tag, in any case.' }),
    ),
    sort: Type.Optional(
      words(
        SORTS,
        'recent: latest change first. evolution: most revisions first. relevance: best match of q first.',
        'recent',
      ),
    ),
  },
  closed,
)

/** A number of the feed, as text: a JSON number cannot represent all 64-bit integers. */
const digits = (description: string) => Type.String({ pattern: DIGITS_PATTERN, description })

export const CursorQuery = Type.Object(
  {
    limit,
    before: Type.Optional(digits('The nextCursor of the previous page; omit it for the first page.')),
  },
  closed,
)

export const StreamQuery = Type.Object(
  {
    after: Type.Optional(
      digits('The id of the last known event; without it the stream begins now. Last-Event-ID takes precedence.'),
    ),
  },
  closed,
)

const listOf = (item: string, most: number): string => `^${item}(?:,${item}){0,${most - 1}}$`
const uuids = UUID_PATTERN.slice(1, -1)
const chosen = {
  entry: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.entriesCharacters,
      pattern: listOf(`[^,]{1,${LIMITS.slugCharacters}}`, LIMITS.pins),
      description: `Ids or slugs of entries, at most ${LIMITS.pins}, separated by commas.`,
    }),
  ),
  actor: Type.Optional(
    Type.String({
      minLength: 36,
      maxLength: LIMITS.followedActors * 37 - 1,
      pattern: listOf(uuids, LIMITS.followedActors),
      description: `Ids of actors, at most ${LIMITS.followedActors}, separated by commas.`,
    }),
  ),
  action: Type.Optional(
    Type.String({
      minLength: Math.min(...CHANGE_ACTIONS.map(({ length }) => length)),
      maxLength: CHANGE_ACTIONS.join().length,
      pattern: listOf(`(?:${CHANGE_ACTIONS.join('|')})`, CHANGE_ACTIONS.length),
      description: `Some of ${CHANGE_ACTIONS.join(', ')}, separated by commas.`,
    }),
  ),
}

export const ChangesQuery = Type.Object(
  {
    limit,
    after: Type.Optional(digits('The sequence of the previous answer; without it the list begins with the oldest.')),
    ...chosen,
  },
  closed,
)

export const ChangesStreamQuery = Type.Object({ ...StreamQuery.properties, ...chosen }, closed)

/** The request field that resumes a stream. EventSource sends it automatically. */
export const StreamHeaders = { 'Last-Event-ID': digits('The id of the last received event.') }
export const ExportQuery = Type.Object(
  {
    from: Type.Optional(
      digits('The first sequence number to return; 1 by default. The answer ends with the segment of that number.'),
    ),
  },
  closed,
)

export const ManifestQuery = Type.Object(
  {
    after: Type.Optional(
      digits('The `change` of an earlier manifest or end line. The answer names what moderation changed after it.'),
    ),
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
export type EntryQuery = Static<typeof EntryQuery>
export type CursorQuery = Static<typeof CursorQuery>
export type ChangesQuery = Static<typeof ChangesQuery>
export type ChangesStreamQuery = Static<typeof ChangesStreamQuery>
export type StreamQuery = Static<typeof StreamQuery>
export type ExportQuery = Static<typeof ExportQuery>
export type ManifestQuery = Static<typeof ManifestQuery>
export type SourcePair = { entryId: string; revisionId: string }
