import type { GeneralCode } from './general-problems.ts'
import * as inputs from './inputs.ts'
import { LIMITS } from './limits.ts'
import * as queries from './queries.ts'
import type * as resources from './resources.ts'
import { digits, type Static, Type, uuid } from './schema.ts'
import { CHANGE_TYPES, type CooldownAction } from './vocabulary.ts'

/** Required credential: none, an actor token (X-Actor-Token), or the admin token (Authorization: Bearer). */
export type Access = 'anyone' | 'actor' | 'admin'
/** A read, a write in one transaction, or a stream that follows a list. */
export type Kind = 'read' | 'write' | 'stream'
/** How the limiter charges a call: as a read, as a write, or not at all. */
export type Cost = 'read' | 'write' | 'free'
/**
 * The changes that make a stored answer stale: changes of the entry that it shows, of any entry of a batch, of the actor that the path
 * names, or of any record; for a finished segment of the export, only moderation.
 */
export type Cached = 'entry' | 'batch' | 'actor' | 'list' | 'segment'
/** Media types other than JSON: server-sent events, one JSON text per line, or a text file. */
export type Media = 'text/event-stream' | 'application/x-ndjson' | 'text/plain'

export type Operation = {
  kind: Kind
  method: 'GET' | 'POST'
  path: string
  tag: 'Actors' | 'Entries' | 'Evidence' | 'Relations' | 'Observation' | 'Service' | 'Administration'
  summary: string
  access: Access
  /** The answer depends on the actor. Clients send their token with this read. */
  personal?: true
  /** A mirror has not what this read is about, such as tokens and reports; it answers with the address at the original. */
  atOriginal?: true
  cost: Cost
  params: Record<string, Schema>
  query: Schema
  /** Request fields that only this operation has. */
  headers?: Record<string, Schema>
  body?: InputName
  /**
   * The actions that begin a cooldown of the actor, or of the network if the operation needs no token. If there are several, the body
   * determines the action.
   */
  cooldown?: readonly CooldownAction[]
  /** The list in the body whose length is charged: one call for each `perCall` items or part of them. */
  chargedItems?: { member: 'items' | 'pins'; perCall: number }
  status: 200 | 201
  /** Omitted if the answer is JSON. */
  media?: Media
  /** The shape of the answer; of one event or one line if `media` is set. */
  response: keyof typeof resources.NAMED_RESOURCES
  /** The answer contains texts of entries or of judgements, and therefore names the licence of the content. */
  licensed?: true
  /** The changes until which shared caches may store the answer; omitted if it shows reads, depends on the caller or is private. */
  cached?: Cached
  /** Problems specific to the operation. `problemsOf` (problems.ts) adds those that follow from its shape. */
  problems: readonly GeneralCode[]
}
type Schema = ReturnType<typeof Type.Object> | ReturnType<typeof Type.String>
type InputName = keyof typeof NAMED_INPUTS

const slug = Type.String({
  minLength: 1,
  maxLength: LIMITS.slugCharacters,
  description: 'The id, in either case, or the slug.',
})
const record = digits('The number of the record.')
const sequence = digits('A sequence of the feed. The answer includes commits up to and including it.')
const none = {}
/** Problems of several operations: of all that need an entry, of writes of an actor, and of writes of an actor to an entry. */
const NO_ENTRY = ['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN'] as const
const BLOCKED = ['ACTOR_BLOCKED', 'ORIGIN_BLOCKED'] as const
const UNWRITABLE = [...BLOCKED, ...NO_ENTRY, 'ENTRY_LOCKED'] as const
/** What operations on the entry of the path have in common. */
const ofEntry = { params: { slug }, problems: NO_ENTRY } as const

/** What most reads have in common. */
const READ = {
  kind: 'read',
  method: 'GET',
  access: 'anyone',
  cost: 'read',
  status: 200,
  params: none,
  query: queries.NoQuery,
  problems: [],
} as const
/** What most writes have in common. */
const WRITE = {
  kind: 'write',
  method: 'POST',
  access: 'actor',
  cost: 'write',
  status: 201,
  params: none,
  query: queries.NoQuery,
  problems: [],
} as const
/** A row: the members that it names, and the others of `READ` or `WRITE`. */
type Filled<D, O> = { readonly [K in keyof D | keyof O]: K extends keyof O ? O[K] : K extends keyof D ? D[K] : never }
type Row<D> = Omit<Operation, keyof D> & Partial<Operation>
const read = <const O extends Row<typeof READ>>(row: O) => ({ ...READ, ...row }) as Filled<typeof READ, O>
const write = <const O extends Row<typeof WRITE>>(row: O) => ({ ...WRITE, ...row }) as Filled<typeof WRITE, O>

/** All operations (interface section 4). Routes, checks, documents, guides and tests are made from this table. */
export const OPERATIONS = {
  createActor: write({
    path: '/api/actors',
    tag: 'Actors',
    summary: 'Create a pseudonymous actor and get its token, without registration.',
    access: 'anyone',
    cooldown: ['ACTOR'],
    body: 'ActorInput',
    response: 'ActorIssued',
    problems: [...BLOCKED, 'SECRET_IN_TEXT'],
  }),
  rotateToken: write({
    path: '/api/actors/rotate',
    tag: 'Actors',
    summary: 'Replace the token of an actor. The previous token becomes invalid at once.',
    body: 'RotateInput',
    status: 200,
    response: 'ActorIssued',
    problems: BLOCKED,
  }),
  readActor: read({
    path: '/api/actors/{id}',
    tag: 'Actors',
    summary: 'Read the declaration of an actor, its contributions, newest first, and their outcomes.',
    params: { id: uuid('The actor.') },
    query: queries.CursorQuery,
    response: 'ActorProfile',
    cached: 'actor',
    problems: ['ACTOR_NOT_FOUND'],
  }),
  listEntries: read({
    path: '/api/entries',
    tag: 'Entries',
    summary: 'List entries, latest change first; filter by words or tag.',
    query: queries.EntryQuery,
    response: 'EntryList',
    licensed: true,
    cached: 'list',
  }),
  createEntry: write({
    path: '/api/entries',
    tag: 'Entries',
    summary: 'Publish an entry.',
    cooldown: ['CREATE'],
    body: 'CreateInput',
    response: 'Published',
    problems: [...BLOCKED, 'SOURCE_NOT_FOUND', 'SECRET_IN_TEXT'],
  }),
  searchEntries: read({
    path: '/api/search',
    tag: 'Entries',
    summary: 'Search entries by words, phrase or tag.',
    query: queries.EntryQuery,
    response: 'EntryList',
    licensed: true,
    cached: 'list',
  }),
  readBatch: read({
    path: '/api/batch',
    tag: 'Entries',
    summary: 'Read up to 50 entries or exact revisions at once. Each has its own result.',
    query: queries.BatchQuery,
    response: 'Batch',
    licensed: true,
    cached: 'batch',
  }),
  findEntries: read({
    path: '/api/find',
    tag: 'Entries',
    summary: 'Describe a problem, or paste an error message, and get the entries that answer it, best first.',
    query: queries.FindQuery,
    response: 'FoundList',
    licensed: true,
    cached: 'list',
  }),
  checkPins: read({
    method: 'POST',
    path: '/api/pins/check',
    tag: 'Entries',
    summary: `Check the exact revisions that you rely on for revisions, judgements and withdrawals. Each ${LIMITS.pinsPerRead} pins are charged as one read.`,
    chargedItems: { member: 'pins', perCall: LIMITS.pinsPerRead },
    body: 'PinsInput',
    response: 'PinsReport',
    licensed: true,
  }),
  listWork: read({
    path: '/api/work',
    tag: 'Evidence',
    summary: 'List the most valuable checks, without entries that the sent token wrote or judged.',
    personal: true,
    query: queries.WorkQuery,
    response: 'WorkList',
    licensed: true,
  }),
  listSimilar: read({
    path: '/api/similar',
    tag: 'Entries',
    summary: 'Find entries that may already contain the text that you are about to publish.',
    query: queries.SimilarQuery,
    response: 'SimilarList',
    licensed: true,
  }),
  readEntry: read({
    path: '/api/entries/{slug}',
    tag: 'Entries',
    summary: 'Read the current state of an entry.',
    ...ofEntry,
    response: 'Entry',
    licensed: true,
    cached: 'entry',
  }),
  readOverview: read({
    path: '/api/entries/{slug}/overview',
    tag: 'Entries',
    summary:
      'Read an entry at once with a revision, its standing, its newest evidence and relations, and its proof in the log.',
    params: { slug },
    query: queries.OverviewQuery,
    response: 'EntryOverview',
    licensed: true,
    problems: [...NO_ENTRY, 'REVISION_NOT_FOUND'],
  }),
  readEntryAsOf: read({
    path: '/api/asof/{sequence}/entries/{slug}',
    tag: 'Entries',
    summary: 'Read an entry as of a sequence. An entry that is withdrawn now stays withdrawn.',
    params: { sequence, slug },
    response: 'EntryAsOf',
    licensed: true,
    cached: 'entry',
    problems: ['ENTRY_NOT_FOUND', 'ENTRY_NOT_YET_CREATED', 'ENTRY_WITHDRAWN', 'SEQUENCE_NOT_REACHED'],
  }),
  findEntriesAsOf: read({
    path: '/api/asof/{sequence}/find',
    tag: 'Entries',
    summary:
      'Find entries by their text as of a sequence, among the 40 that fit best now. A word that an entry no longer contains does not find it.',
    params: { sequence },
    query: queries.FindAsOfQuery,
    response: 'FoundAsOfList',
    licensed: true,
    problems: ['SEQUENCE_NOT_REACHED'],
  }),
  listRevisions: read({
    path: '/api/entries/{slug}/revisions',
    tag: 'Entries',
    summary: "List an entry's revisions, newest first.",
    ...ofEntry,
    query: queries.CursorQuery,
    response: 'RevisionList',
    licensed: true,
    cached: 'entry',
  }),
  reviseEntry: write({
    path: '/api/entries/{slug}/revisions',
    tag: 'Entries',
    summary: 'Commit a revision on top of the latest one.',
    cooldown: CHANGE_TYPES,
    params: { slug },
    body: 'RevisionInput',
    response: 'Entry',
    problems: [...UNWRITABLE, 'STALE_REVISION', 'SOURCE_NOT_FOUND', 'SECRET_IN_TEXT'],
  }),
  readRevision: read({
    path: '/api/entries/{slug}/revisions/{revisionId}',
    tag: 'Entries',
    summary: 'Read one revision. It never changes.',
    params: { slug, revisionId: uuid('The revision.') },
    response: 'Revision',
    licensed: true,
    cached: 'entry',
    problems: [...NO_ENTRY, 'REVISION_NOT_FOUND'],
  }),
  listRelations: read({
    path: '/api/entries/{slug}/relations',
    tag: 'Relations',
    summary: 'List the relations that start or end at an entry, newest first.',
    ...ofEntry,
    query: queries.CursorQuery,
    response: 'RelationList',
    licensed: true,
    cached: 'entry',
  }),
  listEvidence: read({
    path: '/api/entries/{slug}/evidence',
    tag: 'Evidence',
    summary: 'List verifications and contradictions of an entry, newest first.',
    ...ofEntry,
    query: queries.CursorQuery,
    response: 'Evidence',
    licensed: true,
    cached: 'entry',
  }),
  readStanding: read({
    path: '/api/entries/{slug}/standing',
    tag: 'Evidence',
    summary: 'Read the standing of an entry: the result of the evidence about its current text.',
    ...ofEntry,
    response: 'Standing',
    licensed: true,
    cached: 'entry',
  }),
  readBlame: read({
    path: '/api/entries/{slug}/blame',
    tag: 'Evidence',
    summary: 'Read which revision and actor wrote each sentence of an entry, and the evidence about it.',
    ...ofEntry,
    response: 'Blame',
    licensed: true,
    cached: 'entry',
  }),
  listTimeline: read({
    path: '/api/entries/{slug}/timeline',
    tag: 'Observation',
    summary: 'List the activity of an entry, newest first. The order does not prove a cause.',
    ...ofEntry,
    query: queries.CursorQuery,
    response: 'ActivityList',
  }),
  verifyRevision: write({
    path: '/api/entries/{slug}/verify',
    tag: 'Evidence',
    summary: 'Record the result of using an exact revision.',
    cooldown: ['VERIFY'],
    params: { slug },
    body: 'VerifyInput',
    response: 'Verification',
    problems: [...UNWRITABLE, 'REVISION_NOT_FOUND', 'SECRET_IN_TEXT'],
  }),
  contradictRevision: write({
    path: '/api/entries/{slug}/contradict',
    tag: 'Evidence',
    summary: 'Record that an exact revision is wrong, with the reason.',
    cooldown: ['CONTRADICT'],
    params: { slug },
    body: 'ContradictInput',
    response: 'Contradiction',
    problems: [...UNWRITABLE, 'REVISION_NOT_FOUND', 'SOURCE_NOT_FOUND', 'SECRET_IN_TEXT'],
  }),
  recordEvidence: write({
    path: '/api/evidence',
    tag: 'Evidence',
    summary:
      'Record up to 10 verifications or contradictions. Each is charged and has its own result; they share one cooldown.',
    cooldown: ['VERIFY', 'CONTRADICT'],
    chargedItems: { member: 'items', perCall: 1 },
    body: 'EvidenceInput',
    status: 200,
    response: 'EvidenceResults',
    problems: [...BLOCKED, 'QUOTE_NOT_FOUND'],
  }),
  sendFeedback: write({
    path: '/api/feedback',
    tag: 'Evidence',
    summary: 'Report whether a text that you read worked, by its handle: a verification or a contradiction.',
    cooldown: ['VERIFY', 'CONTRADICT'],
    body: 'FeedbackInput',
    response: 'EvidenceResult',
    problems: [...BLOCKED, 'HANDLE_REFUSED', 'ENTRY_WITHDRAWN', 'ENTRY_LOCKED', 'SECRET_IN_TEXT'],
  }),
  relateEntries: write({
    path: '/api/relations',
    tag: 'Relations',
    summary: 'Relate one entry to another.',
    cooldown: ['CONNECT'],
    body: 'RelationInput',
    response: 'Relation',
    problems: [...UNWRITABLE, 'SELF_RELATION', 'SECRET_IN_TEXT'],
  }),
  listActivity: read({
    path: '/api/activity',
    tag: 'Observation',
    summary: 'List the external activity, in descending sequence.',
    query: queries.CursorQuery,
    response: 'ActivityList',
  }),
  streamActivity: read({
    kind: 'stream',
    path: '/api/activity/stream',
    tag: 'Observation',
    summary: 'Follow the external activity as server-sent events, in ascending sequence, without loss or repetition.',
    query: queries.StreamQuery,
    headers: queries.StreamHeaders,
    media: 'text/event-stream',
    response: 'Activity',
    problems: ['INVALID_EVENT_ID', 'TOO_MANY_STREAMS'],
  }),
  listChanges: read({
    path: '/api/activity/changes',
    tag: 'Observation',
    summary:
      'List the writes, withdrawals and restorations after a sequence, oldest first; optionally of some entries, actors or actions.',
    query: queries.ChangesQuery,
    response: 'ChangeList',
  }),
  streamChanges: read({
    kind: 'stream',
    path: '/api/activity/changes/stream',
    tag: 'Observation',
    summary: 'Follow the changes as server-sent events, without loss or repetition.',
    query: queries.ChangesStreamQuery,
    headers: queries.StreamHeaders,
    media: 'text/event-stream',
    response: 'Change',
    problems: ['INVALID_EVENT_ID', 'TOO_MANY_STREAMS', 'ENTRY_NOT_FOUND', 'ACTOR_NOT_FOUND'],
  }),
  readStats: read({
    path: '/api/stats',
    tag: 'Observation',
    summary: 'Read the external metrics and the topics.',
    response: 'Stats',
    cached: 'list',
  }),
  exportRecords: read({
    path: '/api/export',
    tag: 'Observation',
    summary:
      'Read all public rows in the order of their sequence, one JSON text per line, up to the end of a segment or the newest row.',
    query: queries.ExportQuery,
    media: 'application/x-ndjson',
    response: 'ExportLine',
    licensed: true,
    cached: 'segment',
  }),
  readExportManifest: read({
    path: '/api/export/manifest',
    tag: 'Observation',
    summary: 'Read the end of the export, and the segments that moderation changed.',
    query: queries.ManifestQuery,
    response: 'ExportManifest',
  }),
  readLogRecord: read({
    path: '/api/log/records/{record}',
    tag: 'Observation',
    summary: 'Read a permanent record of the public log: kind, salt and statement; only the kind if it is withdrawn.',
    params: { record },
    response: 'LogRecord',
    problems: ['NOT_IN_LOG'],
  }),
  readLogProof: read({
    path: '/api/log/records/{record}/proof',
    tag: 'Observation',
    summary:
      'Get a proof, under the newest signed checkpoint, that a record is in the public log (c2sp.org/tlog-proof).',
    params: { record },
    media: 'text/plain',
    response: 'LogProof',
    problems: ['NOT_IN_LOG'],
  }),
  createReport: write({
    path: '/api/reports',
    tag: 'Service',
    summary: 'Report abuse to the operator. Only administrators see the report.',
    access: 'anyone',
    cooldown: ['REPORT'],
    body: 'ReportInput',
    response: 'ReportReceipt',
    problems: [...BLOCKED, 'TARGET_NOT_FOUND', 'ENTRY_WITHDRAWN', 'ALREADY_REPORTED', 'SECRET_IN_TEXT'],
  }),
  readReport: read({
    method: 'POST',
    path: '/api/reports/{id}',
    tag: 'Service',
    summary: 'Read the outcome of a report, with the acts of moderation since, by its secret.',
    params: { id: uuid('The report.') },
    body: 'ReportSecret',
    response: 'ReportOutcome',
    atOriginal: true,
    problems: ['REPORT_NOT_FOUND'],
  }),
  readModerationCounts: read({
    path: '/api/moderation',
    tag: 'Service',
    summary: 'Count the acts of moderation, the reports and the appeals of a year.',
    query: queries.YearQuery,
    response: 'ModerationCounts',
    atOriginal: true,
  }),
  listDecisions: read({
    path: '/api/me/decisions',
    tag: 'Service',
    summary:
      'List the acts of moderation on the actor of the token and its texts, newest first, with ground and reason.',
    access: 'actor',
    query: queries.CursorQuery,
    response: 'DecisionList',
    atOriginal: true,
  }),
  createAppeal: write({
    path: '/api/appeals',
    tag: 'Service',
    summary: 'Appeal an act of moderation on you or your texts, once. A blocked actor may appeal too.',
    body: 'AppealInput',
    response: 'Decision',
    problems: ['DECISION_NOT_FOUND', 'NOT_APPEALABLE', 'SECRET_IN_TEXT'],
  }),
  readDiscovery: read({
    path: '/api/discovery',
    tag: 'Service',
    summary: 'Read the description of the service, where to start, and its limits.',
    response: 'Discovery',
  }),
  readHealth: read({
    path: '/health',
    tag: 'Service',
    summary: 'Check that the process is alive.',
    cost: 'free',
    response: 'Health',
  }),
  readReadiness: read({
    path: '/ready',
    tag: 'Service',
    summary: 'Check that the database and its migrations are ready.',
    cost: 'free',
    response: 'Health',
  }),
  readAdminSnapshot: read({
    path: '/api/admin/snapshot',
    tag: 'Administration',
    summary: 'Read the newest entries, actors, activity, audit and blocked origins, quarantined ones included.',
    access: 'admin',
    response: 'AdminSnapshot',
  }),
  readAdminEvidence: read({
    path: '/api/admin/entries/{id}',
    tag: 'Administration',
    summary: 'Read an entry with all of its evidence, withdrawn evidence included.',
    access: 'admin',
    params: { id: slug },
    response: 'AdminEvidence',
    problems: ['ENTRY_NOT_FOUND'],
  }),
  moderate: write({
    path: '/api/admin/moderate',
    tag: 'Administration',
    summary: 'Hide, quarantine, restore, block or unblock an entry, an actor or an origin. The action is audited.',
    access: 'admin',
    body: 'ModerationInput',
    status: 200,
    response: 'ModerationResult',
    problems: ['TARGET_NOT_FOUND', 'ACTION_NOT_APPLICABLE', 'APPEAL_NOT_FOUND', 'SECRET_IN_TEXT'],
  }),
  listAppeals: read({
    path: '/api/admin/appeals',
    tag: 'Administration',
    summary: 'List appeals with the decisions that they are about, newest first.',
    access: 'admin',
    query: queries.ReportQuery,
    response: 'AppealList',
  }),
  listReports: read({
    path: '/api/admin/reports',
    tag: 'Administration',
    summary: 'List reports of abuse, newest first.',
    access: 'admin',
    query: queries.ReportQuery,
    response: 'ReportList',
  }),
  resolveReport: write({
    path: '/api/admin/reports/{id}',
    tag: 'Administration',
    summary: 'Close a report with its outcome. A closed report cannot be changed.',
    access: 'admin',
    params: { id: uuid('The report.') },
    body: 'ResolutionInput',
    status: 200,
    response: 'AdminReport',
    problems: ['REPORT_NOT_FOUND', 'SECRET_IN_TEXT'],
  }),
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS
/** The names of all operations of a kind. */
export type NameOf<K extends Kind> = {
  [N in OperationName]: (typeof OPERATIONS)[N]['kind'] extends K ? N : never
}[OperationName]

/** The request bodies that the OpenAPI document names. */
export const NAMED_INPUTS = {
  ActorInput: inputs.ActorInput,
  RotateInput: inputs.RotateInput,
  CreateInput: inputs.CreateInput,
  RevisionInput: inputs.RevisionInput,
  VerifyInput: inputs.VerifyInput,
  ContradictInput: inputs.ContradictInput,
  EvidenceInput: inputs.EvidenceInput,
  FeedbackInput: inputs.FeedbackInput,
  RelationInput: inputs.RelationInput,
  ModerationInput: inputs.ModerationInput,
  AppealInput: inputs.AppealInput,
  ReportInput: inputs.ReportInput,
  ReportSecret: inputs.ReportSecret,
  ResolutionInput: inputs.ResolutionInput,
  PinsInput: inputs.PinsInput,
} as const

/** The path parameters, the query and the body of an operation, from its row. An operation without a body has `undefined`. */
export type ParamsOf<N extends OperationName> = { [P in keyof (typeof OPERATIONS)[N]['params']]: string }
export type QueryOf<N extends OperationName> = Static<(typeof OPERATIONS)[N]['query']>
export type BodyOf<N extends OperationName> = (typeof OPERATIONS)[N] extends { body: infer B extends InputName }
  ? Static<(typeof NAMED_INPUTS)[B]>
  : undefined

/** The media type of an operation's answer. */
export const mediaOf = ({ media }: Pick<Operation, 'media'>): Media | 'application/json' => media ?? 'application/json'

/** Whether a request of an operation may name the least sequence of the store that answers it (Min-Sequence). */
export const takesMinSequence = ({ kind, cost, access }: Pick<Operation, 'kind' | 'cost' | 'access'>): boolean =>
  kind === 'read' && cost !== 'free' && access !== 'admin'

/** Whether the answer of an operation contains a token. */
export const issuesToken = ({ response }: Pick<Operation, 'response'>): boolean => response === 'ActorIssued'
