import { uuid } from './fields.ts'
import type { GeneralCode } from './general-problems.ts'
import * as inputs from './inputs.ts'
import { LIMITS } from './limits.ts'
import * as more from './more-inputs.ts'
import type * as resources from './resources.ts'
import { Type } from './schema.ts'

/** Who may call: anyone, the bearer of an actor token (X-Actor-Token), or the administrator (Authorization: Bearer). */
export type Access = 'anyone' | 'actor' | 'admin'
/** What a call is charged as: a read, a write, or nothing. */
export type Cost = 'read' | 'write' | 'free'
/** What an answer is that is not one JSON text: server-sent events, or a JSON text per line. */
export type Media = 'text/event-stream' | 'application/x-ndjson'

export type Operation = {
  method: 'GET' | 'POST'
  path: string
  tag: 'Actors' | 'Entries' | 'Evidence' | 'Relations' | 'Observation' | 'Service' | 'Administration'
  summary: string
  access: Access
  cost: Cost
  params: Record<string, Schema>
  query: Schema
  /** Fields of the request that are its own. */
  headers?: Record<string, Schema>
  body?: InputName
  status: 200 | 201
  /** Left out where the answer is JSON. */
  media?: Media
  /** The shape of the answer; where it has a media, of one event or line. */
  response: keyof typeof resources.NAMED_RESOURCES
  /** The problems that are the operation's own; problemsOf (problems.ts) adds those that come with its shape. */
  problems: readonly GeneralCode[]
}
type Schema = ReturnType<typeof Type.Object> | ReturnType<typeof Type.String>
type InputName =
  | 'ActorInput'
  | 'RotateInput'
  | 'CreateInput'
  | 'RevisionInput'
  | 'VerifyInput'
  | 'ContradictInput'
  | 'RelationInput'
  | 'ModerationInput'
  | 'ReportInput'
  | 'ResolutionInput'

const slug = Type.String({
  minLength: 1,
  maxLength: LIMITS.slugCharacters,
  description: 'The id (in either case) or the slug of the entry.',
})
const none = {}
const ofEntry = { slug }

const row = <const O extends Operation>(operation: O): O => operation

/** Every operation once (interface section 4): routes, checks, documents, guides and tests are made from this table. */
export const OPERATIONS = {
  createActor: row({
    method: 'POST',
    path: '/api/actors',
    tag: 'Actors',
    summary: 'Create a pseudonymous actor and get its token, without registration.',
    access: 'anyone',
    cost: 'write',
    params: none,
    query: inputs.NoQuery,
    body: 'ActorInput',
    status: 201,
    response: 'ActorIssued',
    problems: ['ACTOR_BLOCKED', 'ORIGIN_BLOCKED', 'COOLDOWN'],
  }),
  rotateToken: row({
    method: 'POST',
    path: '/api/actors/rotate',
    tag: 'Actors',
    summary: 'Get a new token for the same actor; the old one is worth nothing from then on.',
    access: 'actor',
    cost: 'write',
    params: none,
    query: inputs.NoQuery,
    body: 'RotateInput',
    status: 200,
    response: 'ActorIssued',
    problems: ['ACTOR_BLOCKED', 'ORIGIN_BLOCKED'],
  }),
  listEntries: row({
    method: 'GET',
    path: '/api/entries',
    tag: 'Entries',
    summary: 'List entries, latest change first; filter by words or tag.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.EntryQuery,
    status: 200,
    response: 'EntryList',
    problems: [],
  }),
  createEntry: row({
    method: 'POST',
    path: '/api/entries',
    tag: 'Entries',
    summary: 'Publish an entry.',
    access: 'actor',
    cost: 'write',
    params: none,
    query: inputs.NoQuery,
    body: 'CreateInput',
    status: 201,
    response: 'Entry',
    problems: ['ACTOR_BLOCKED', 'ORIGIN_BLOCKED', 'COOLDOWN', 'SOURCE_NOT_FOUND'],
  }),
  searchEntries: row({
    method: 'GET',
    path: '/api/search',
    tag: 'Entries',
    summary: 'Search entries by words, phrase or tag.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.EntryQuery,
    status: 200,
    response: 'EntryList',
    problems: [],
  }),
  readBatch: row({
    method: 'GET',
    path: '/api/batch',
    tag: 'Entries',
    summary: 'Read up to 50 entries at once, each answered by itself.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: more.BatchQuery,
    status: 200,
    response: 'Batch',
    problems: [],
  }),
  listSimilar: row({
    method: 'GET',
    path: '/api/similar',
    tag: 'Entries',
    summary: 'Find entries that may say already what you are about to publish.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: more.SimilarQuery,
    status: 200,
    response: 'SimilarList',
    problems: [],
  }),
  readEntry: row({
    method: 'GET',
    path: '/api/entries/{slug}',
    tag: 'Entries',
    summary: 'Read an entry as it stands.',
    access: 'anyone',
    cost: 'read',
    params: ofEntry,
    query: inputs.NoQuery,
    status: 200,
    response: 'Entry',
    problems: ['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN'],
  }),
  listRevisions: row({
    method: 'GET',
    path: '/api/entries/{slug}/revisions',
    tag: 'Entries',
    summary: "List an entry's revisions, newest first.",
    access: 'anyone',
    cost: 'read',
    params: ofEntry,
    query: inputs.CursorQuery,
    status: 200,
    response: 'RevisionList',
    problems: ['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN'],
  }),
  reviseEntry: row({
    method: 'POST',
    path: '/api/entries/{slug}/revisions',
    tag: 'Entries',
    summary: 'Commit a revision on top of the latest one.',
    access: 'actor',
    cost: 'write',
    params: ofEntry,
    query: inputs.NoQuery,
    body: 'RevisionInput',
    status: 201,
    response: 'Entry',
    problems: [
      'ACTOR_BLOCKED',
      'ORIGIN_BLOCKED',
      'COOLDOWN',
      'ENTRY_NOT_FOUND',
      'ENTRY_WITHDRAWN',
      'ENTRY_LOCKED',
      'STALE_REVISION',
      'SOURCE_NOT_FOUND',
    ],
  }),
  readRevision: row({
    method: 'GET',
    path: '/api/entries/{slug}/revisions/{revisionId}',
    tag: 'Entries',
    summary: 'Read one revision; it never changes.',
    access: 'anyone',
    cost: 'read',
    params: { slug, revisionId: uuid('The revision.') },
    query: inputs.NoQuery,
    status: 200,
    response: 'Revision',
    problems: ['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN', 'REVISION_NOT_FOUND'],
  }),
  listRelations: row({
    method: 'GET',
    path: '/api/entries/{slug}/relations',
    tag: 'Relations',
    summary: 'List the relations that start or end at an entry, newest first.',
    access: 'anyone',
    cost: 'read',
    params: ofEntry,
    query: inputs.CursorQuery,
    status: 200,
    response: 'RelationList',
    problems: ['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN'],
  }),
  listEvidence: row({
    method: 'GET',
    path: '/api/entries/{slug}/evidence',
    tag: 'Evidence',
    summary: 'List verifications and contradictions of an entry, newest first.',
    access: 'anyone',
    cost: 'read',
    params: ofEntry,
    query: inputs.CursorQuery,
    status: 200,
    response: 'Evidence',
    problems: ['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN'],
  }),
  listTimeline: row({
    method: 'GET',
    path: '/api/entries/{slug}/timeline',
    tag: 'Observation',
    summary: 'List what was observed about an entry, newest first. Order does not prove a cause.',
    access: 'anyone',
    cost: 'read',
    params: ofEntry,
    query: inputs.CursorQuery,
    status: 200,
    response: 'ActivityList',
    problems: ['ENTRY_NOT_FOUND', 'ENTRY_WITHDRAWN'],
  }),
  verifyRevision: row({
    method: 'POST',
    path: '/api/entries/{slug}/verify',
    tag: 'Evidence',
    summary: 'Record what came of using an exact revision.',
    access: 'actor',
    cost: 'write',
    params: ofEntry,
    query: inputs.NoQuery,
    body: 'VerifyInput',
    status: 201,
    response: 'Verification',
    problems: [
      'ACTOR_BLOCKED',
      'ORIGIN_BLOCKED',
      'COOLDOWN',
      'ENTRY_NOT_FOUND',
      'ENTRY_WITHDRAWN',
      'ENTRY_LOCKED',
      'REVISION_NOT_FOUND',
    ],
  }),
  contradictRevision: row({
    method: 'POST',
    path: '/api/entries/{slug}/contradict',
    tag: 'Evidence',
    summary: 'Record that an exact revision is wrong, and why.',
    access: 'actor',
    cost: 'write',
    params: ofEntry,
    query: inputs.NoQuery,
    body: 'ContradictInput',
    status: 201,
    response: 'Contradiction',
    problems: [
      'ACTOR_BLOCKED',
      'ORIGIN_BLOCKED',
      'COOLDOWN',
      'ENTRY_NOT_FOUND',
      'ENTRY_WITHDRAWN',
      'ENTRY_LOCKED',
      'REVISION_NOT_FOUND',
      'SOURCE_NOT_FOUND',
    ],
  }),
  relateEntries: row({
    method: 'POST',
    path: '/api/relations',
    tag: 'Relations',
    summary: 'Relate one entry to another.',
    access: 'actor',
    cost: 'write',
    params: none,
    query: inputs.NoQuery,
    body: 'RelationInput',
    status: 201,
    response: 'Relation',
    problems: [
      'ACTOR_BLOCKED',
      'ORIGIN_BLOCKED',
      'COOLDOWN',
      'ENTRY_NOT_FOUND',
      'ENTRY_WITHDRAWN',
      'ENTRY_LOCKED',
      'SELF_RELATION',
    ],
  }),
  listActivity: row({
    method: 'GET',
    path: '/api/activity',
    tag: 'Observation',
    summary: 'The external activity feed, in descending sequence.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.CursorQuery,
    status: 200,
    response: 'ActivityList',
    problems: [],
  }),
  streamActivity: row({
    method: 'GET',
    path: '/api/activity/stream',
    tag: 'Observation',
    summary:
      'Follow the external activity feed as server-sent events, in ascending sequence, without loss or repetition.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.StreamQuery,
    headers: inputs.StreamHeaders,
    status: 200,
    media: 'text/event-stream',
    response: 'Activity',
    problems: ['INVALID_EVENT_ID', 'TOO_MANY_STREAMS'],
  }),
  readStats: row({
    method: 'GET',
    path: '/api/stats',
    tag: 'Observation',
    summary: 'External metrics and topics.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.NoQuery,
    status: 200,
    response: 'Stats',
    problems: [],
  }),
  exportRecords: row({
    method: 'GET',
    path: '/api/export',
    tag: 'Observation',
    summary:
      'Everything public in the order of its sequence, a line of JSON each, up to the end of a segment or the newest row.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.ExportQuery,
    status: 200,
    media: 'application/x-ndjson',
    response: 'ExportLine',
    problems: [],
  }),
  readExportManifest: row({
    method: 'GET',
    path: '/api/export/manifest',
    tag: 'Observation',
    summary: 'How far the export is, and which of its segments moderation changed.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.ManifestQuery,
    status: 200,
    response: 'ExportManifest',
    problems: [],
  }),
  createReport: row({
    method: 'POST',
    path: '/api/reports',
    tag: 'Service',
    summary: 'Report abuse to the operator; only administrators see it.',
    access: 'anyone',
    cost: 'write',
    params: none,
    query: inputs.NoQuery,
    body: 'ReportInput',
    status: 201,
    response: 'Report',
    problems: [
      'ACTOR_BLOCKED',
      'ORIGIN_BLOCKED',
      'COOLDOWN',
      'TARGET_NOT_FOUND',
      'ENTRY_WITHDRAWN',
      'ALREADY_REPORTED',
    ],
  }),
  readDiscovery: row({
    method: 'GET',
    path: '/api/discovery',
    tag: 'Service',
    summary: 'What this service is, where to start, and its limits.',
    access: 'anyone',
    cost: 'read',
    params: none,
    query: inputs.NoQuery,
    status: 200,
    response: 'Discovery',
    problems: [],
  }),
  readHealth: row({
    method: 'GET',
    path: '/health',
    tag: 'Service',
    summary: 'Whether the process lives.',
    access: 'anyone',
    cost: 'free',
    params: none,
    query: inputs.NoQuery,
    status: 200,
    response: 'Health',
    problems: [],
  }),
  readReadiness: row({
    method: 'GET',
    path: '/ready',
    tag: 'Service',
    summary: 'Whether database and migrations are ready for work.',
    access: 'anyone',
    cost: 'free',
    params: none,
    query: inputs.NoQuery,
    status: 200,
    response: 'Health',
    problems: [],
  }),
  readAdminSnapshot: row({
    method: 'GET',
    path: '/api/admin/snapshot',
    tag: 'Administration',
    summary: 'Newest entries, actors, activity, audit and blocked origins, quarantined included.',
    access: 'admin',
    cost: 'read',
    params: none,
    query: inputs.NoQuery,
    status: 200,
    response: 'AdminSnapshot',
    problems: [],
  }),
  readAdminEvidence: row({
    method: 'GET',
    path: '/api/admin/entries/{id}',
    tag: 'Administration',
    summary: 'One entry with all of its evidence, withdrawn or not.',
    access: 'admin',
    cost: 'read',
    params: { id: slug },
    query: inputs.NoQuery,
    status: 200,
    response: 'AdminEvidence',
    problems: ['ENTRY_NOT_FOUND'],
  }),
  moderate: row({
    method: 'POST',
    path: '/api/admin/moderate',
    tag: 'Administration',
    summary: 'Hide, quarantine, restore, block or unblock an entry, an actor or an origin; audited.',
    access: 'admin',
    cost: 'write',
    params: none,
    query: inputs.NoQuery,
    body: 'ModerationInput',
    status: 200,
    response: 'ModerationResult',
    problems: ['TARGET_NOT_FOUND', 'ACTION_NOT_APPLICABLE'],
  }),
  listReports: row({
    method: 'GET',
    path: '/api/admin/reports',
    tag: 'Administration',
    summary: 'Reports of abuse, newest first.',
    access: 'admin',
    cost: 'read',
    params: none,
    query: more.ReportQuery,
    status: 200,
    response: 'ReportList',
    problems: [],
  }),
  resolveReport: row({
    method: 'POST',
    path: '/api/admin/reports/{id}',
    tag: 'Administration',
    summary: 'Close a report with what came of it; a closed one stays as it is.',
    access: 'admin',
    cost: 'write',
    params: { id: uuid('The report.') },
    query: inputs.NoQuery,
    body: 'ResolutionInput',
    status: 200,
    response: 'AdminReport',
    problems: ['REPORT_NOT_FOUND'],
  }),
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS

/** The request bodies that the OpenAPI document names. */
export const NAMED_INPUTS = {
  ActorInput: inputs.ActorInput,
  RotateInput: inputs.RotateInput,
  CreateInput: inputs.CreateInput,
  RevisionInput: inputs.RevisionInput,
  VerifyInput: inputs.VerifyInput,
  ContradictInput: inputs.ContradictInput,
  RelationInput: inputs.RelationInput,
  ModerationInput: inputs.ModerationInput,
  ReportInput: more.ReportInput,
  ResolutionInput: more.ResolutionInput,
} as const

/** The media type of an operation's answer. */
export const mediaOf = ({ media }: Pick<Operation, 'media'>): Media | 'application/json' => media ?? 'application/json'

/** Whether the answer of an operation holds a token. */
export const issuesToken = ({ response }: Pick<Operation, 'response'>): boolean => response === 'ActorIssued'
