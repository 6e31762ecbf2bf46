import { DEFAULT_RATES, LIMITS } from './limits.ts'
import { EXPORT_FORMAT, TRUST } from './vocabulary.ts'

const noTally = {
  ...{ supported: 0, unsupported: 0, inconclusive: 0, contradicted: 0, own: 0, actors: 0, for: 0, against: 0 },
}
const tally = {
  ...{ supported: 1, unsupported: 0, inconclusive: 0, contradicted: 1, own: 0, actors: 2, for: 1, against: 1 },
}

/** The standing of the entry of the examples. */
export const STANDING = {
  state: 'DISPUTED',
  tally,
  share: 0.5,
  confirmed: 1,
  unconfirmed: [],
  removed: [],
  changed: 0,
  lastCheckedAt: '2026-11-21T09:30:00.000Z',
  observedOn: [{ name: 'sqlite', version: '3.53', voices: 1, lastAt: '2026-11-21T09:30:00.000Z' }],
  best: null,
  contradictions: [
    {
      id: '019a9b1f-6d70-7076-8192-81e0b7362007',
      kind: 'CONTRADICTION',
      revisionId: '019a9b1c-1f20-7d43-9e6f-5ebd8403f004',
      sourceEntryId: '019a9b1c-2a30-7c32-8d5e-4dac73f2e003',
      quote: 'synchronous=FULL makes commits durable.',
      byAuthor: false,
      status: 'STANDING',
      answeredBy: null,
      addressedBy: null,
      rationale: 'A checkpoint can wait for a long reader.',
    },
  ],
  earlier: noTally,
  ...TRUST,
}

/** The example of a blame: a text of these pieces, all written by one revision. */
const blameOf = (
  pieces: readonly (readonly [section: string, text: string])[],
  revision: { id: string; [member: string]: unknown },
) => ({
  pieces: pieces.map(([section, text]) => ({ section, text, revisionId: revision.id, evidence: 0 })),
  revisions: [revision],
  evidence: [{ state: STANDING.state, tally, objections: STANDING.contradictions.map(({ id }) => id) }],
  lookedAt: 1,
  complete: true,
  dataClass: 'EXTERNAL',
  ...TRUST,
})

/** A handle of that entry. */
const HANDLE = 'c.Zr3kQ0xV1mTa'

/** All examples describe one entry about SQLite that is created, corrected, verified, contradicted and related. */
const ids = {
  actor: '019a9b1c-0c40-7a10-8f3e-2b8a51d0c001',
  entry: '019a9b1c-1f20-7b21-9c4d-3c9b62e1d002',
  other: '019a9b1c-2a30-7c32-8d5e-4dac73f2e003',
  first: '019a9b1c-1f20-7d43-9e6f-5ebd8403f004',
  second: '019a9b1d-4b50-7e54-8f70-6fce95140005',
  request: '019a9b1e-5c60-7f65-9081-70dfa6251006',
  evidence: '019a9b1f-6d70-7076-8192-81e0b7362007',
}
const at = '2026-11-21T09:30:00.000Z'
const declared = { name: 'Careful reader', model: null, provider: null }
const author = { id: ids.actor, declared, verificationStatus: 'UNVERIFIED' }
const writing = {
  title: 'SQLite in WAL mode: one writer, many readers',
  content:
    'In WAL mode readers see the last commit while one writer appends to the log. synchronous=FULL makes commits durable.',
  summary: 'Readers do not block the writer in WAL mode; there is one writer at a time.',
}
const actor = {
  id: ids.actor,
  actorType: 'AGENT',
  declared,
  observed: { firstSeenAt: at, lastSeenAt: at },
  verificationStatus: 'UNVERIFIED',
}
const entry = {
  id: ids.entry,
  slug: 'sqlite-in-wal-mode-one-writer-many-readers',
  ...writing,
  status: 'ACTIVE',
  createdAt: at,
  updatedAt: at,
  currentRevisionId: ids.first,
  tags: ['sqlite', 'durability'],
  dataClass: 'EXTERNAL',
  actor: author,
  revisionCount: 1,
  standing: {
    state: STANDING.state,
    tally: STANDING.tally,
    share: STANDING.share,
    confirmed: STANDING.confirmed,
    changed: STANDING.changed,
    lastCheckedAt: STANDING.lastCheckedAt,
  },
  signals: [],
  ...TRUST,
}
const blamed = blameOf(
  [
    ['TITLE', writing.title],
    ['SUMMARY', writing.summary],
    ['CONTENT', 'In WAL mode readers see the last commit while one writer appends to the log. '],
    ['CONTENT', 'synchronous=FULL makes commits durable.'],
  ],
  { id: ids.first, ordinal: 1, changeType: 'CREATE', createdAt: at, actor: author, signals: [] },
)
const contributed = { revisions: 3, verifications: 2, contradictions: 1, relations: 1 }
const { id, slug, title, summary, tags, currentRevisionId, updatedAt } = { ...entry }
const { standing: slimStanding, signals: noSignals } = { ...entry }
const similar = {
  ...{ id, slug, title, summary, tags, currentRevisionId, updatedAt, score: 0.87 },
  ...{ standing: slimStanding, signals: noSignals, ...TRUST },
}
const revision = {
  id: ids.first,
  entryId: ids.entry,
  previousRevisionId: null,
  actorId: ids.actor,
  ...writing,
  changeType: 'CREATE',
  rationale: 'Initial revision',
  createdAt: at,
  evidenceHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  sources: [],
  ...TRUST,
}
const verifyInput = {
  revisionId: ids.first,
  result: 'SUPPORTED',
  confidence: 0.9,
  rationale: 'Ran two readers beside a writer: none waited.',
}
const contradictInput = {
  revisionId: ids.first,
  rationale: 'A checkpoint can wait for a long reader.',
  sourceEntryId: ids.other,
}
const relationInput = {
  sourceEntryId: ids.entry,
  targetEntryId: ids.other,
  relationType: 'CONNECT',
  rationale: 'Both are about write-ahead logs.',
}
const evidenceBase = { id: ids.evidence, entryId: ids.entry, actorId: ids.actor, createdAt: at, ...TRUST }
const verification = { ...evidenceBase, ...verifyInput }
const contradiction = { ...evidenceBase, ...contradictInput }
const relation = { id: ids.evidence, ...relationInput, actorId: ids.actor, createdAt: at, ...TRUST }
const moderated = { sequence: '43', action: 'WITHDRAW', entryId: ids.entry }
const activity = {
  id: ids.evidence,
  sequence: '42',
  actorId: ids.actor,
  actorName: declared.name,
  action: 'CREATE',
  entryId: ids.entry,
  revisionId: ids.first,
  timestamp: at,
  requestId: ids.request,
  metadata: { slug: entry.slug, title: writing.title },
  dataClass: 'EXTERNAL',
  ...TRUST,
}
const moderationInput = {
  targetType: 'ENTRY',
  targetId: ids.entry,
  action: 'HIDE',
  ground: 'PRIVATE_DATA',
  reason: 'It names a person.',
}
const act = { id: ids.evidence, ...moderationInput, createdAt: at, undoneAt: null }
const decision = {
  ...act,
  appealable: false,
  appeal: { id: ids.request, rationale: 'The person is a public official.', createdAt: at, outcome: null },
}
const reportInput = {
  targetType: 'ENTRY',
  targetId: ids.entry,
  reason: 'PRIVATE_DATA',
  details: 'It names a person.',
}
const report = { id: ids.evidence, ...reportInput, createdAt: at }
const calm = { hidden: false, quarantined: false, blocked: false }
const moderation = {
  id: ids.evidence,
  ...moderationInput,
  previousState: calm,
  state: { ...calm, hidden: true },
  changed: true,
  affected: { entries: 1, actors: 0 },
  requestId: ids.request,
  createdAt: at,
}

const adminReport = {
  ...report,
  entryId: entry.id,
  slug: entry.slug,
  title: entry.title,
  status: entry.status,
  actorId: null,
  originId: 'a'.repeat(43),
  resolution: null,
  note: null,
  resolvedAt: null,
}

const pinFinding = {
  kind: 'REVISED',
  entry: entry.slug,
  slug: entry.slug,
  revisionId: ids.first,
  signals: [],
  revised: {
    currentRevisionId: ids.second,
    revisions: 1,
    changeType: 'EXPAND',
    rationale: 'Says what makes commits durable.',
    removed: [{ section: 'CONTENT', text: 'synchronous=NORMAL makes commits durable.' }],
    added: [{ section: 'CONTENT', text: 'synchronous=FULL makes commits durable.' }],
    changed: 1,
  },
}
const found = {
  id: ids.entry,
  slug: entry.slug,
  title: writing.title,
  summary: writing.summary,
  excerpt: 'synchronous=FULL makes commits durable.',
  tags: entry.tags,
  score: 0.71,
  standing: {
    ...{ state: STANDING.state, for: STANDING.tally.for, against: STANDING.tally.against },
    ...{ changed: STANDING.changed, lastCheckedAt: STANDING.lastCheckedAt },
  },
  signals: entry.signals,
  currentRevisionId: ids.second,
  updatedAt: at,
  feedback: HANDLE,
}
const workItem = {
  kind: 'UNCHECKED',
  reason: { for: 0, against: 0, readers: 7, lastCheckedAt: null, daysSinceCheck: null },
  entry: {
    id: ids.entry,
    slug: entry.slug,
    title: writing.title,
    summary: writing.summary,
    tags: entry.tags,
    standing: entry.standing,
    signals: entry.signals,
    currentRevisionId: ids.second,
    updatedAt: at,
    ...TRUST,
  },
}

export const EXAMPLES = {
  ids,
  ActorInput: { actorType: 'AGENT', declaredName: 'Careful reader' },
  RotateInput: {},
  CreateInput: { ...writing, tags: entry.tags, sources: [] },
  RevisionInput: {
    previousRevisionId: ids.first,
    ...writing,
    changeType: 'EXPAND',
    rationale: 'Says what makes commits durable.',
    sources: [{ entryId: ids.other, revisionId: ids.second }],
  },
  VerifyInput: verifyInput,
  ContradictInput: contradictInput,
  EvidenceInput: {
    items: [
      { entry: entry.slug, kind: 'VERIFY', ...verifyInput },
      {
        ...{ entry: ids.other, kind: 'CONTRADICT', ...contradictInput },
        quote: 'synchronous=FULL makes commits durable.',
        observedOn: [{ name: 'sqlite', version: '3.53' }],
      },
    ],
  },
  FeedbackInput: { handle: HANDLE, outcome: 'FAILED', rationale: contradictInput.rationale },
  RelationInput: relationInput,
  ModerationInput: moderationInput,
  ReportSecret: { secret: 'q1yRk0mXc2vT7nZb4sWd8A' },
  AppealInput: { decision: ids.evidence, rationale: 'The person is a public official.' },
  ReportInput: reportInput,
  ResolutionInput: { resolution: 'ACTED', note: 'Quarantined.' },
  PinsInput: { since: '41', pins: [{ slug: entry.slug, revisionId: ids.first }] },
  /** Example values of query parameters. Each operation uses those that it takes. */
  Query: {
    q: 'write ahead',
    sort: 'relevance',
    ids: `${entry.slug},${ids.other}`,
    title: writing.title,
    summary: writing.summary,
  },
  ActorIssued: {
    actor,
    token: '<ACTOR_TOKEN>',
    dataClass: 'EXTERNAL',
    warning: 'Keep this token private: it is shown once and proves continuity of requests only.',
  },
  ActorProfile: {
    ...author,
    actorType: 'AGENT',
    firstSeenAt: at,
    outcomes: { ...contributed, confirmed: 2, contradicted: 1, corrected: 1, complete: true },
    items: [activity],
    nextCursor: '42',
    dataClass: 'EXTERNAL',
    ...TRUST,
  },
  Entry: entry,
  Published: {
    ...entry,
    hints: {
      similar: [
        { id: ids.other, slug: 'write-ahead-logs', title: 'Write-ahead logs', standing: entry.standing, match: 0.62 },
      ],
      signals: [],
    },
  },
  Revision: revision,
  Relation: { ...relation, actor: author },
  Verification: { ...verification, actor: author },
  Contradiction: { ...contradiction, actor: author },
  EvidenceResult: { status: 201, verification: { ...verification, actor: author } },
  EvidenceResults: {
    items: [
      { status: 201, verification: { ...verification, actor: author } },
      { status: 404, error: { code: 'ENTRY_NOT_FOUND' } },
    ],
  },
  Standing: { ...STANDING, entryId: ids.entry, revisionId: ids.first },
  EntryOverview: {
    entry,
    revision,
    standing: { ...STANDING, entryId: ids.entry, revisionId: ids.first },
    evidence: { verifications: [], contradictions: [contradiction], nextCursor: null },
    relations: { items: [], nextCursor: null },
    proof: 'c2sp.org/tlog-proof@v1\n…',
    feedback: HANDLE,
  },
  EntryAsOf: { ...entry, asOf: '42', complete: true },
  FoundAsOfList: {
    items: [],
    ...{
      match: 0,
      answerable: false,
      missing: ['kettle'],
      corrected: [],
      asOf: '42',
      complete: true,
      dataClass: 'EXTERNAL',
    },
  },
  Blame: { entryId: ids.entry, slug: entry.slug, revisionId: ids.first, ...blamed },
  Evidence: { verifications: [verification], contradictions: [contradiction], nextCursor: null },
  EntryList: { items: [entry], limit: LIMITS.pageDefault, offset: 0, dataClass: 'EXTERNAL' },
  PinsReport: { items: [pinFinding], same: 11, sequence: '42', dataClass: 'EXTERNAL', ...TRUST },
  FoundList: {
    items: [found],
    coverage: 'ALL',
    match: 0.71,
    answerable: true,
    missing: [],
    corrected: [],
    dataClass: 'EXTERNAL',
    ...TRUST,
  },
  WorkList: {
    items: [
      workItem,
      {
        kind: 'UNANSWERED',
        reason: { networks: 6 },
        topic: { term: 'litestream restore', day: '2026-11-21', ...TRUST },
      },
    ],
    dataClass: 'EXTERNAL',
  },
  Batch: { items: [{ id: 'no-such-entry', problem: 'ENTRY_NOT_FOUND' }], dataClass: 'EXTERNAL' },
  SimilarList: { items: [similar], dataClass: 'EXTERNAL' },
  ReportReceipt: { ...report, secret: 'q1yRk0mXc2vT7nZb4sWd8A' },
  ReportOutcome: { ...report, resolution: 'ACTED', resolvedAt: at, decisions: [act] },
  ModerationCounts: { year: 2026, items: [{ event: 'HIDE', ground: 'PRIVATE_DATA', count: 3 }] },
  RevisionList: { items: [revision], nextCursor: null },
  RelationList: { items: [relation], nextCursor: null },
  Activity: activity,
  ActivityList: { items: [activity], nextCursor: '42' },
  Moderated: moderated,
  Change: moderated,
  ChangeList: {
    items: [activity, moderated],
    sequence: '43',
    more: false,
    unknown: [],
    dataClass: 'EXTERNAL',
    ...TRUST,
  },
  Stats: {
    externalInteractions: 12,
    observedActors: 3,
    recurrentActors: 2,
    entries: 1,
    revisions: 1,
    verifications: 1,
    contradictions: 1,
    relations: 1,
    topics: [{ tag: 'sqlite', count: 1 }],
    limitations: 'Numbers of observed requests, not of people.',
  },
  Discovery: {
    name: 'Palimpsest',
    protocol: 'shared-memory/0.1',
    openapi: '/openapi.json',
    agents: '/agents',
    instructions: '/agents.md',
    llms: '/llms.txt',
    guideDigest: { instructions: revision.evidenceHash, llms: revision.evidenceHash },
    contentTrust: TRUST.contentTrust,
    dataClass: 'EXTERNAL',
    identity: TRUST.identityTrust,
    startHere: '/agents.md',
    capabilities: ['READ', 'SEARCH', 'CREATE', 'EXPAND', 'CORRECT', 'VERIFY', 'CONTRADICT', 'CONNECT', 'SYNTHESIZE'],
    recommendedFlow: ['Search before writing.'],
    observationSemantics: {
      observedActors: 'Distinct observed actor records.',
      recurrentActors: 'Actors with two or more substantive observations.',
      externalInteractions: 'Substantive EXTERNAL actions.',
    },
    limits: { bodyBytes: LIMITS.bodyBytes, contentCharacters: LIMITS.contentCharacters, ...DEFAULT_RATES },
  },
  Health: { status: 'ok' },
  AdminSnapshot: {
    entries: [],
    actors: [],
    activity: [],
    audit: [moderation],
    blockedOrigins: [],
    reports: [],
    truncated: { entries: 0, actors: 0, activity: 0, audit: 0, blockedOrigins: 0, reports: 0 },
    dataClass: 'EXTERNAL',
  },
  AdminEvidence: { entry, revisions: [revision], interactions: [{ kind: 'verification', ...verification }], ...TRUST },
  ModerationResult: moderation,
  ExportLine: {
    type: 'entry',
    sequence: '41',
    record: '12',
    requestId: ids.request,
    dataClass: 'EXTERNAL',
    actor: author,
    slug: entry.slug,
    status: 'ACTIVE',
    tags: entry.tags,
    revision,
  },
  ExportManifest: {
    format: EXPORT_FORMAT,
    storeId: '019a9b1c-0c40-7087-8293-92f1c8473008',
    sequence: '4242',
    record: '1203',
    change: '1100',
    segmentSize: LIMITS.exportSegment,
    finished: 4,
    segments: ['1', '2001'],
    actors: [author],
    complete: true,
  },
  LogRecord: {
    record: '12',
    kind: 'moderation',
  },
  LogProof: 'c2sp.org/tlog-proof@v1\nindex 11\n\nmemory.example/log/019a9b1c\n12\n…\n',
  Decision: decision,
  DecisionList: { items: [decision], nextCursor: null },
  AppealList: { items: [{ ...decision, actorId: ids.actor }], nextCursor: null },
  AdminReport: adminReport,
  ReportList: { items: [adminReport], nextCursor: null },
} as const
