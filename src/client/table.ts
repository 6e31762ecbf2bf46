// Made from src/contract by `npm run docs`; do not edit.
import type {
  Activity,
  ActivityList,
  ActorInput,
  ActorIssued,
  ActorProfile,
  Batch,
  BatchQuery,
  Blame,
  Change,
  ChangeList,
  ChangesQuery,
  ContradictInput,
  Contradiction,
  CreateInput,
  CursorQuery,
  Discovery,
  Entry,
  EntryAsOf,
  EntryList,
  EntryOverview,
  EntryQuery,
  Evidence,
  EvidenceInput,
  EvidenceResults,
  ExportManifest,
  FindAsOfQuery,
  FindQuery,
  FoundAsOfList,
  FoundList,
  Health,
  LogRecord,
  ManifestQuery,
  OverviewQuery,
  PinsInput,
  PinsReport,
  Published,
  Relation,
  RelationInput,
  RelationList,
  Report,
  ReportInput,
  Revision,
  RevisionInput,
  RevisionList,
  RotateInput,
  SimilarList,
  SimilarQuery,
  Standing,
  Stats,
  Verification,
  VerifyInput,
  WorkList,
  WorkQuery,
} from './resources.ts'
import type { CallOptions } from './settings.ts'

/** A row of evidence, and which of the two kinds it is. */
export type EvidenceItem = (Verification & { kind: 'verification' }) | (Contradiction & { kind: 'contradiction' })

/** Every public operation of the service, under its name. All of them reject with a ClientError. */
export type Methods = {
  /** Create a pseudonymous actor and get its token, without registration. */
  createActor(input?: ActorInput, options?: CallOptions): Promise<ActorIssued>
  /** Replace the token of an actor. The previous token becomes invalid at once. */
  rotateToken(input?: RotateInput, options?: CallOptions): Promise<ActorIssued>
  /** Read the declaration of an actor, its contributions, newest first, and their outcomes. */
  readActor(id: string, query?: CursorQuery, options?: CallOptions): Promise<ActorProfile>
  /** List entries, latest change first; filter by words or tag. */
  listEntries(query?: EntryQuery, options?: CallOptions): Promise<EntryList>
  /** Publish an entry. */
  createEntry(input: CreateInput, options?: CallOptions): Promise<Published>
  /** Search entries by words, phrase or tag. */
  searchEntries(query?: EntryQuery, options?: CallOptions): Promise<EntryList>
  /** Read up to 50 entries or exact revisions at once. Each has its own result. */
  readBatch(query: BatchQuery, options?: CallOptions): Promise<Batch>
  /** Describe a problem, or paste an error message, and get the entries that answer it, best first. */
  findEntries(query: FindQuery, options?: CallOptions): Promise<FoundList>
  /** Check the exact revisions that you rely on for revisions, judgements and withdrawals. Each 20 pins are charged as one read. */
  checkPins(input: PinsInput, options?: CallOptions): Promise<PinsReport>
  /** List the most valuable checks, without entries that the sent token wrote or judged. */
  listWork(query?: WorkQuery, options?: CallOptions): Promise<WorkList>
  /** Find entries that may already contain the text that you are about to publish. */
  listSimilar(query: SimilarQuery, options?: CallOptions): Promise<SimilarList>
  /** Read the current state of an entry. */
  readEntry(slug: string, options?: CallOptions): Promise<Entry>
  /** Read an entry at once with a revision, its standing, its newest evidence and relations, and its proof in the log. */
  readOverview(slug: string, query?: OverviewQuery, options?: CallOptions): Promise<EntryOverview>
  /** Read an entry as of a sequence. An entry that is withdrawn now stays withdrawn. */
  readEntryAsOf(sequence: string, slug: string, options?: CallOptions): Promise<EntryAsOf>
  /** Find entries by their text as of a sequence, among the 40 that fit best now. A word that an entry no longer contains does not find it. */
  findEntriesAsOf(sequence: string, query: FindAsOfQuery, options?: CallOptions): Promise<FoundAsOfList>
  /** List an entry's revisions, newest first. */
  listRevisions(slug: string, query?: CursorQuery, options?: CallOptions): Promise<RevisionList>
  /** Commit a revision on top of the latest one. */
  reviseEntry(slug: string, input: RevisionInput, options?: CallOptions): Promise<Entry>
  /** Read one revision. It never changes. */
  readRevision(slug: string, revisionId: string, options?: CallOptions): Promise<Revision>
  /** List the relations that start or end at an entry, newest first. */
  listRelations(slug: string, query?: CursorQuery, options?: CallOptions): Promise<RelationList>
  /** List verifications and contradictions of an entry, newest first. */
  listEvidence(slug: string, query?: CursorQuery, options?: CallOptions): Promise<Evidence>
  /** Read the standing of an entry: the result of the evidence about its current text. */
  readStanding(slug: string, options?: CallOptions): Promise<Standing>
  /** Read which revision and actor wrote each sentence of an entry, and the evidence about it. */
  readBlame(slug: string, options?: CallOptions): Promise<Blame>
  /** List the activity of an entry, newest first. The order does not prove a cause. */
  listTimeline(slug: string, query?: CursorQuery, options?: CallOptions): Promise<ActivityList>
  /** Record the result of using an exact revision. */
  verifyRevision(slug: string, input: VerifyInput, options?: CallOptions): Promise<Verification>
  /** Record that an exact revision is wrong, with the reason. */
  contradictRevision(slug: string, input: ContradictInput, options?: CallOptions): Promise<Contradiction>
  /** Record up to 10 verifications or contradictions. Each is charged and has its own result; they share one cooldown. */
  recordEvidence(input: EvidenceInput, options?: CallOptions): Promise<EvidenceResults>
  /** Relate one entry to another. */
  relateEntries(input: RelationInput, options?: CallOptions): Promise<Relation>
  /** List the external activity, in descending sequence. */
  listActivity(query?: CursorQuery, options?: CallOptions): Promise<ActivityList>
  /** List the writes, withdrawals and restorations after a sequence, oldest first; optionally of some entries, actors or actions. */
  listChanges(query?: ChangesQuery, options?: CallOptions): Promise<ChangeList>
  /** Read the external metrics and the topics. */
  readStats(options?: CallOptions): Promise<Stats>
  /** Read the end of the export, and the segments that moderation changed. */
  readExportManifest(query?: ManifestQuery, options?: CallOptions): Promise<ExportManifest>
  /** Read a permanent record of the public log: kind, salt and statement; only the kind if it is withdrawn. */
  readLogRecord(record: string, options?: CallOptions): Promise<LogRecord>
  /** Report abuse to the operator. Only administrators see the report. */
  createReport(input: ReportInput, options?: CallOptions): Promise<Report>
  /** Read the description of the service, where to start, and its limits. */
  readDiscovery(options?: CallOptions): Promise<Discovery>
  /** Check that the process is alive. */
  readHealth(options?: CallOptions): Promise<Health>
  /** Check that the database and its migrations are ready. */
  readReadiness(options?: CallOptions): Promise<Health>
}

/** Every list of the service, row by row over all of its pages. A query's limit is the size of a page (50 if left out). */
export type Iterators = {
  /** Read the declaration of an actor, its contributions, newest first, and their outcomes. */
  readActor(id: string, query?: CursorQuery, options?: CallOptions): AsyncGenerator<Activity, void, undefined>
  /** List entries, latest change first; filter by words or tag. */
  listEntries(query?: EntryQuery, options?: CallOptions): AsyncGenerator<Entry, void, undefined>
  /** Search entries by words, phrase or tag. */
  searchEntries(query?: EntryQuery, options?: CallOptions): AsyncGenerator<Entry, void, undefined>
  /** List an entry's revisions, newest first. */
  listRevisions(slug: string, query?: CursorQuery, options?: CallOptions): AsyncGenerator<Revision, void, undefined>
  /** List the relations that start or end at an entry, newest first. */
  listRelations(slug: string, query?: CursorQuery, options?: CallOptions): AsyncGenerator<Relation, void, undefined>
  /** List verifications and contradictions of an entry, newest first. */
  listEvidence(slug: string, query?: CursorQuery, options?: CallOptions): AsyncGenerator<EvidenceItem, void, undefined>
  /** List the activity of an entry, newest first. The order does not prove a cause. */
  listTimeline(slug: string, query?: CursorQuery, options?: CallOptions): AsyncGenerator<Activity, void, undefined>
  /** List the external activity, in descending sequence. */
  listActivity(query?: CursorQuery, options?: CallOptions): AsyncGenerator<Activity, void, undefined>
  /** List the writes, withdrawals and restorations after a sequence, oldest first; optionally of some entries, actors or actions. */
  listChanges(query?: ChangesQuery, options?: CallOptions): AsyncGenerator<Change, void, undefined>
}

/** How each operation is called. */
export const OPERATIONS = {
  createActor: { method: 'POST', path: '/api/actors', token: false, charged: true, input: 'body' },
  rotateToken: { method: 'POST', path: '/api/actors/rotate', token: true, charged: true, input: 'body' },
  readActor: { method: 'GET', path: '/api/actors/{id}', token: false, charged: true, input: 'query' },
  listEntries: { method: 'GET', path: '/api/entries', token: false, charged: true, input: 'query' },
  createEntry: { method: 'POST', path: '/api/entries', token: true, charged: true, input: 'body' },
  searchEntries: { method: 'GET', path: '/api/search', token: false, charged: true, input: 'query' },
  readBatch: { method: 'GET', path: '/api/batch', token: false, charged: true, input: 'query' },
  findEntries: { method: 'GET', path: '/api/find', token: false, charged: true, input: 'query' },
  checkPins: { method: 'POST', path: '/api/pins/check', token: false, charged: true, input: 'body' },
  listWork: { method: 'GET', path: '/api/work', token: true, charged: true, input: 'query' },
  listSimilar: { method: 'GET', path: '/api/similar', token: false, charged: true, input: 'query' },
  readEntry: { method: 'GET', path: '/api/entries/{slug}', token: false, charged: true, input: 'none' },
  readOverview: { method: 'GET', path: '/api/entries/{slug}/overview', token: false, charged: true, input: 'query' },
  readEntryAsOf: {
    method: 'GET',
    path: '/api/asof/{sequence}/entries/{slug}',
    token: false,
    charged: true,
    input: 'none',
  },
  findEntriesAsOf: { method: 'GET', path: '/api/asof/{sequence}/find', token: false, charged: true, input: 'query' },
  listRevisions: { method: 'GET', path: '/api/entries/{slug}/revisions', token: false, charged: true, input: 'query' },
  reviseEntry: { method: 'POST', path: '/api/entries/{slug}/revisions', token: true, charged: true, input: 'body' },
  readRevision: {
    method: 'GET',
    path: '/api/entries/{slug}/revisions/{revisionId}',
    token: false,
    charged: true,
    input: 'none',
  },
  listRelations: { method: 'GET', path: '/api/entries/{slug}/relations', token: false, charged: true, input: 'query' },
  listEvidence: { method: 'GET', path: '/api/entries/{slug}/evidence', token: false, charged: true, input: 'query' },
  readStanding: { method: 'GET', path: '/api/entries/{slug}/standing', token: false, charged: true, input: 'none' },
  readBlame: { method: 'GET', path: '/api/entries/{slug}/blame', token: false, charged: true, input: 'none' },
  listTimeline: { method: 'GET', path: '/api/entries/{slug}/timeline', token: false, charged: true, input: 'query' },
  verifyRevision: { method: 'POST', path: '/api/entries/{slug}/verify', token: true, charged: true, input: 'body' },
  contradictRevision: {
    method: 'POST',
    path: '/api/entries/{slug}/contradict',
    token: true,
    charged: true,
    input: 'body',
  },
  recordEvidence: { method: 'POST', path: '/api/evidence', token: true, charged: true, input: 'body' },
  relateEntries: { method: 'POST', path: '/api/relations', token: true, charged: true, input: 'body' },
  listActivity: { method: 'GET', path: '/api/activity', token: false, charged: true, input: 'query' },
  listChanges: { method: 'GET', path: '/api/activity/changes', token: false, charged: true, input: 'query' },
  readStats: { method: 'GET', path: '/api/stats', token: false, charged: true, input: 'none' },
  readExportManifest: { method: 'GET', path: '/api/export/manifest', token: false, charged: true, input: 'query' },
  readLogRecord: { method: 'GET', path: '/api/log/records/{record}', token: false, charged: true, input: 'none' },
  createReport: { method: 'POST', path: '/api/reports', token: false, charged: true, input: 'body' },
  readDiscovery: { method: 'GET', path: '/api/discovery', token: false, charged: true, input: 'none' },
  readHealth: { method: 'GET', path: '/health', token: false, charged: false, input: 'none' },
  readReadiness: { method: 'GET', path: '/ready', token: false, charged: false, input: 'none' },
} as const

/** The lists that the client iterates row by row. */
export const LISTS = [
  'readActor',
  'listEntries',
  'searchEntries',
  'listRevisions',
  'listRelations',
  'listEvidence',
  'listTimeline',
  'listActivity',
  'listChanges',
] as const

/** The version of the client, in its User-Agent. */
export const VERSION = '0.1.0'
