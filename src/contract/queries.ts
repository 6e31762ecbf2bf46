import { FIND, FIRST_YEAR, LIMITS, WORK } from './limits.ts'
import { digits, type Static, Type, UUID_PATTERN, uuid, words } from './schema.ts'
import { CHANGE_ACTIONS, REPORT_STATES, SORTS, STATES, WORK_KINDS } from './vocabulary.ts'

/** Query strings, and the request fields of streams. All schemas are closed: an unknown parameter is an error. */
const closed = { additionalProperties: false } as const

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
          'Words of title, summary, tags or content: all, else the best partial matches. "Quoted words" are a phrase. A last word from 3 characters is a prefix.',
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

export const CursorQuery = Type.Object(
  {
    limit,
    before: Type.Optional(digits('The nextCursor of the previous page; omit it for the first page.')),
  },
  closed,
)

export const OverviewQuery = Type.Object(
  { revisionId: Type.Optional(uuid('An earlier revision, instead of the current one.')) },
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
const address = `[^,]{1,${LIMITS.slugCharacters}}`
const uuids = UUID_PATTERN.slice(1, -1)
const chosen = {
  entry: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.entriesCharacters,
      pattern: listOf(address, LIMITS.pins),
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

export const BatchQuery = Type.Object(
  {
    ids: Type.String({
      minLength: 1,
      maxLength: LIMITS.batch * (LIMITS.slugCharacters + 1) - 1,
      pattern: listOf(address, LIMITS.batch),
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
      Type.Integer({
        minimum: 1,
        maximum: FIND.max,
        description: 'Rows at most, also poor ones. Without it, only those that fit.',
      }),
    ),
    state: Type.Optional(words(STATES, 'Only entries whose standing has this state.')),
    env: Type.Optional(
      Type.String({
        maxLength: LIMITS.envCharacters,
        description: 'Your products, as nodejs@22.14,debian@12: rows say whether the text was confirmed on them.',
      }),
    ),
    tokens: Type.Optional(
      Type.Integer({
        minimum: FIND.tokensMin,
        maximum: FIND.tokensMax,
        description: `The size of the answer, in tokens of 4 bytes; ${FIND.tokens} without limit.`,
      }),
    ),
  },
  closed,
)

export const WorkQuery = Type.Object(
  {
    kind: Type.Optional(
      words(
        WORK_KINDS,
        'Only checks of this kind; without it, the kinds take turns. MINE, with a token: what happened to your own texts and judgements.',
      ),
    ),
    tag: FindQuery.properties.tag,
    env: Type.Optional(
      Type.String({
        maxLength: LIMITS.envCharacters,
        description: 'Only entries about these products: with their tag, or confirmed on any of their versions.',
      }),
    ),
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
    state: Type.Optional(words(REPORT_STATES, 'open: open ones only. all: closed ones too.', 'open')),
  },
  closed,
)

export const YearQuery = Type.Object(
  {
    year: Type.Optional(
      Type.Integer({ minimum: FIRST_YEAR, maximum: 9999, description: 'The year, in UTC; by default this one.' }),
    ),
  },
  closed,
)

export type EntryQuery = Static<typeof EntryQuery>
export type CursorQuery = Static<typeof CursorQuery>
export type ChangesQuery = Static<typeof ChangesQuery>
export type ChangesStreamQuery = Static<typeof ChangesStreamQuery>
export type StreamQuery = Static<typeof StreamQuery>
export type ExportQuery = Static<typeof ExportQuery>
export type ManifestQuery = Static<typeof ManifestQuery>
export type BatchQuery = Static<typeof BatchQuery>
export type FindQuery = Static<typeof FindQuery>
export type WorkQuery = Static<typeof WorkQuery>
export type FindAsOfQuery = Static<typeof FindAsOfQuery>
export type SimilarQuery = Static<typeof SimilarQuery>
export type ReportQuery = Static<typeof ReportQuery>
