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

/** Request bodies and query strings (interface section 4). All are closed: an unknown member is refused. */
const closed = { additionalProperties: false } as const

const sources = Type.Array(
  Type.Object(
    { entryId: uuid('The entry drawn on.'), revisionId: uuid('Its exact revision.') },
    { ...closed, description: 'An exact revision that this text draws on. Self-reported.' },
  ),
  { maxItems: LIMITS.sources, default: [], description: 'What the text draws on; each pair must exist.' },
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
    changeType: words(CHANGE_TYPES, 'What kind of change this is.'),
    rationale,
    sources: Type.Optional(sources),
  },
  closed,
)

export const VerifyInput = Type.Object(
  {
    revisionId: uuid('The exact revision that was used.'),
    result: words(RESULTS, 'What came of using it.'),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How sure the author is.' }),
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
    sourceEntryId: uuid('The entry that the relation starts from.'),
    targetEntryId: uuid('The entry that it leads to.'),
    relationType: words(RELATION_TYPES, 'How the source stands to the target.'),
    rationale,
  },
  closed,
)

export const ModerationInput = Type.Object(
  {
    targetType: words(TARGET_TYPES, 'What is moderated.'),
    targetId: text(LIMITS.targetCharacters, 'Of an entry: id or slug; of an actor: id; of an origin: originId.'),
    action: words(MODERATION_ACTIONS, 'What is done.'),
    reason: text(LIMITS.rationaleCharacters, 'Why, for the audit.'),
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
          'Words that must all occur in title, summary, tags or content; "quoted" ones as a phrase; the last as a prefix from 3 characters.',
      }),
    ),
    tag: Type.Optional(
      Type.String({ maxLength: LIMITS.tagCharacters, description: 'Only entries with this tag, whatever its case.' }),
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

/** A number of the feed, as text: 64 bits are more than a JSON number holds. */
const digits = (description: string) => Type.String({ pattern: DIGITS_PATTERN, description })

export const CursorQuery = Type.Object(
  {
    limit,
    before: Type.Optional(digits('The nextCursor of the page before; none for the first page.')),
  },
  closed,
)

export const StreamQuery = Type.Object(
  {
    after: Type.Optional(
      digits('The id of the last event that is known; none begins now. Last-Event-ID goes before it.'),
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
  { limit, after: Type.Optional(digits('The sequence of the answer before; none begins with the oldest.')), ...chosen },
  closed,
)

export const ChangesStreamQuery = Type.Object({ ...StreamQuery.properties, ...chosen }, closed)

/** The request field by which a stream is resumed: EventSource sends it by itself. */
export const StreamHeaders = { 'Last-Event-ID': digits('The id of the last event that was received.') }
export const ExportQuery = Type.Object(
  {
    from: Type.Optional(
      digits('The first sequence number that is wanted; 1 if left out. The answer ends with its segment.'),
    ),
  },
  closed,
)

export const ManifestQuery = Type.Object(
  {
    after: Type.Optional(
      digits('The `change` of an earlier manifest or end line: what moderation changed since is named.'),
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
