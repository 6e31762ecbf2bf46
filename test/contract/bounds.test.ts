import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NAMED_INPUTS, OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { placesOf, type Schema } from './cases.ts'

/** The bounds of every field as the interface states them, written down a second time: all other tests take them from the table. */
const TITLE = 'text 1..180'
const SUMMARY = 'text 1..500'
const CONTENT = 'text 1..20000'
const RATIONALE = 'text 1..1000'
const DECLARED = 'text 1..100'
const SOURCES = {
  sources: 'list ..20',
  'sources.0': 'object',
  'sources.0.entryId': 'uuid required',
  'sources.0.revisionId': 'uuid required',
}
const BODIES: Record<keyof typeof NAMED_INPUTS, Record<string, string>> = {
  ActorInput: {
    actorType: 'AGENT|HUMAN|UNKNOWN',
    declaredName: DECLARED,
    declaredModel: DECLARED,
    declaredProvider: DECLARED,
  },
  RotateInput: {},
  CreateInput: {
    title: `${TITLE} required`,
    content: `${CONTENT} required`,
    summary: `${SUMMARY} required`,
    tags: 'list ..8',
    'tags.0': 'text 1..40',
    ...SOURCES,
  },
  RevisionInput: {
    previousRevisionId: 'uuid required',
    title: `${TITLE} required`,
    summary: `${SUMMARY} required`,
    content: `${CONTENT} required`,
    changeType: 'EXPAND|CORRECT|SYNTHESIZE required',
    rationale: `${RATIONALE} required`,
    ...SOURCES,
  },
  VerifyInput: {
    revisionId: 'uuid required',
    result: 'SUPPORTED|UNSUPPORTED|INCONCLUSIVE required',
    confidence: 'number 0..1 required',
    rationale: `${RATIONALE} required`,
  },
  ContradictInput: { revisionId: 'uuid required', rationale: `${RATIONALE} required`, sourceEntryId: 'uuid' },
  EvidenceInput: {
    items: 'list 1..10 required',
    'items.0': 'object',
    'items.0.entry': 'text 1..120 required',
    'items.0.revisionId': 'uuid required',
    'items.0.kind': 'VERIFY|CONTRADICT required',
    'items.0.result': 'SUPPORTED|UNSUPPORTED|INCONCLUSIVE',
    'items.0.confidence': 'number 0..1',
    'items.0.rationale': `${RATIONALE} required`,
    'items.0.sourceEntryId': 'uuid',
    'items.0.quote': 'text 1..500',
    'items.0.observedOn': 'list 1..8',
    'items.0.observedOn.0': 'object',
    'items.0.observedOn.0.name': 'text 1..60 required',
    'items.0.observedOn.0.version': 'text 1..60 required',
  },
  FeedbackInput: {
    handle: 'text 1..40 required',
    outcome: 'WORKED|FAILED required',
    rationale: RATIONALE,
    observedOn: 'list 1..8',
    'observedOn.0': 'object',
    'observedOn.0.name': 'text 1..60 required',
    'observedOn.0.version': 'text 1..60 required',
  },
  RelationInput: {
    sourceEntryId: 'uuid required',
    targetEntryId: 'uuid required',
    relationType: 'CONNECT|REUSES|SYNTHESIZES|CONTRADICTS required',
    rationale: `${RATIONALE} required`,
  },
  ModerationInput: {
    targetType: 'ENTRY|ACTOR|ORIGIN|RECORD required',
    targetId: 'text 1..100 required',
    action: 'HIDE|QUARANTINE|RESTORE|BLOCK|UNBLOCK|ERASE required',
    ground: 'SPAM|PRIVATE_DATA|ILLEGAL|MALICIOUS|ABUSE|OTHER',
    reason: `${RATIONALE} required`,
    appeal: 'uuid',
  },
  ReportSecret: { secret: 'text 1..100 required' },
  AppealInput: { decision: 'uuid required', rationale: `${RATIONALE} required` },
  ReportInput: {
    targetType: 'ENTRY|REVISION|EVIDENCE required',
    targetId: 'uuid required',
    reason: 'SPAM|PRIVATE_DATA|ILLEGAL|MALICIOUS|ABUSE|OTHER required',
    details: RATIONALE,
  },
  ResolutionInput: { resolution: 'ACTED|DISMISSED required', note: RATIONALE },
  PinsInput: {
    since: 'text 1..19',
    pins: 'list 1..200 required',
    'pins.0': 'object',
    'pins.0.entryId': 'uuid',
    'pins.0.slug': 'text 1..120',
    'pins.0.revisionId': 'uuid required',
  },
}

function boundsOf(schema: Schema) {
  const { type, enum: words, format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  if (words !== undefined) return words.join('|')
  if (format === 'uuid') return 'uuid'
  if (type === 'string') return `text ${minLength ?? ''}..${maxLength ?? ''}`
  if (type === 'array') return `list ${minItems ?? ''}..${maxItems}`
  return type === 'object' ? 'object' : `${type} ${minimum}..${maximum}`
}

test('every field of every body has the bounds of the interface', () => {
  const bodies = Object.fromEntries(
    Object.entries(NAMED_INPUTS).map(([name, schema]) => {
      const fields = placesOf(schema as Schema).filter(({ at }) => at.length > 0)
      const described = fields.map(({ at, schema: own, required }) => [
        at.join('.'),
        boundsOf(own) + (required ? ' required' : ''),
      ])
      return [name, Object.fromEntries(described) as Record<string, string>]
    }),
  )
  assert.deepEqual(bodies, BODIES)
})

const LIST = { limit: 'integer 1..50', before: 'digits 1..19' }
const SEARCH = {
  limit: 'integer 1..50',
  offset: 'integer 0..10000',
  q: 'text ..200',
  tag: 'text ..40',
  sort: 'recent|evolution|relevance',
}

const CHOSEN = { entry: 'text 1..8000', actor: 'text 36..739', action: 'text 6..75' }
const ELSEWHERE: Record<string, Record<string, string>> = {
  '/api/activity/stream': { after: 'digits 1..19' },
  '/api/activity/changes': { limit: 'integer 1..50', after: 'digits 1..19', ...CHOSEN },
  '/api/activity/changes/stream': { after: 'digits 1..19', ...CHOSEN },
  '/api/export': { from: 'digits 1..19' },
  '/api/export/manifest': { after: 'digits 1..19' },
}

/** The parameters that extend the interface document, by operation. */
const ADDED: Record<string, Record<string, string>> = {
  readBatch: { ids: 'text 1..6049' },
  findEntries: {
    q: 'text 1..2000',
    tag: 'text ..40',
    limit: 'integer 1..20',
    state: 'UNCHECKED|SUPPORTED|PARTLY_SUPPORTED|ANSWERED|DISPUTED|CONTRADICTED|INCONCLUSIVE',
    env: 'text ..1000',
    tokens: 'integer 300..8000',
  },
  readOverview: { revisionId: 'uuid' },
  findEntriesAsOf: { q: 'text 1..2000', tag: 'text ..40', limit: 'integer 1..20' },
  listWork: {
    kind: 'DISPUTED|ANSWERED|UNCHECKED|STALE|UNANSWERED|MINE',
    tag: 'text ..40',
    env: 'text ..1000',
    limit: 'integer 1..50',
  },
  listSimilar: { title: 'text 1..180', summary: 'text ..500' },
  readActor: LIST,
  listReports: { ...LIST, state: 'open|all' },
  listAppeals: { ...LIST, state: 'open|all' },
  listDecisions: LIST,
  readModerationCounts: { year: 'integer 2000..9999' },
}

test('every query has the parameters and bounds of the interface, and a slug at most 120 characters', () => {
  for (const [name, { path, method, query, params }] of Object.entries(OPERATIONS) as [string, Operation][]) {
    const { properties = {} } = query as Schema
    const described = Object.entries(properties).map(([parameter, schema]) => [
      parameter,
      schema.pattern === '^[0-9]{1,19}$' ? 'digits 1..19' : boundsOf(schema),
    ])
    const isSearch = method === 'GET' && /^\/api\/(entries|search)$/.test(path)
    const isList = method === 'GET' && /\/(revisions|relations|evidence|timeline|activity)$/.test(path)
    const wanted = ADDED[name] ?? (isSearch ? SEARCH : isList ? LIST : (ELSEWHERE[path] ?? {}))
    assert.deepEqual(Object.fromEntries(described), wanted, name)
    for (const [parameter, schema] of Object.entries(params)) {
      const isId =
        parameter === 'revisionId' || name === 'resolveReport' || name === 'readReport' || name === 'readActor'
      const digits = parameter === 'record' || parameter === 'sequence'
      const wantedOne = isId ? 'uuid' : digits ? '^[0-9]{1,19}$' : 'text 1..120'
      const { pattern = '' } = schema as Schema
      assert.equal(digits ? pattern : boundsOf(schema as Schema), wantedOne, name)
    }
  }
})
