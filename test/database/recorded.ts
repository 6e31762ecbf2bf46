import { Problem } from '../../src/contract/problem.ts'
import type { Decision, ReportReceipt } from '../../src/contract/resources.ts'
import { type Loadable, type Sql, sql, type Transaction } from '../../src/engine/database.ts'
import type { Loaded } from '../../src/engine/group-commit.ts'
import { migrate } from '../../src/engine/migrate.ts'
import { openSqlite, type SqliteConnection } from '../../src/engine/sqlite.ts'
import { openIndex, putEntries, removeEntries } from '../../src/find/index/file.ts'
import { searchIndex } from '../../src/find/query/query.ts'
import { findActorByToken } from '../../src/memory/actors/rows.ts'
import { readAges } from '../../src/memory/entries/blame.ts'
import { EntryCache } from '../../src/memory/entries/cache.ts'
import { changedEntries, currentEntry, listTitled } from '../../src/memory/entries/rows.ts'
import { searchFaceted } from '../../src/memory/entries/search.ts'
import { listSupporters, pagesOfEntry } from '../../src/memory/entries/view-rows.ts'
import * as views from '../../src/memory/entries/views.ts'
import { readObjection } from '../../src/memory/evidence/weights.ts'
import { insertHead, readHead, renewHead } from '../../src/memory/head-rows.ts'
import * as homeViews from '../../src/memory/home.ts'
import { listContested } from '../../src/memory/home.ts'
import { type Idempotency, idempotencyKeyOf } from '../../src/memory/idempotency/rules.ts'
import { listAdmissions } from '../../src/memory/limits/rows.ts'
import { findOldestOpen } from '../../src/memory/moderation/report-rows.ts'
import { findWithdrawingAct } from '../../src/memory/moderation/rows.ts'
import type { Context, ReadName, Reads, StreamOperation, WriteName } from '../../src/memory/operation.ts'
import { MAINTENANCE, READS, READS_BY_NAME, STREAMS, WRITES } from '../../src/memory/run.ts'
import type { SearchResult } from '../../src/memory/searching.ts'
import { updateSignals } from '../../src/mirror/rows.ts'
import { recordErasures, recordLog, recordLogEnd } from './recorded-log.ts'
import { recordMirror } from './recorded-mirror.ts'
import { recordPurges } from './recorded-purges.ts'
import { recordStandings } from './recorded-standing.ts'

const HOUR = 3_600_000
const FOUND = {
  ...{ matches: [{ entry: 1, score: 1, whole: true }], more: false, coverage: 'ALL', match: 1 },
  ...{ answerableFrom: 1, weights: [], unknown: 1, missing: [], corrected: [] },
} satisfies SearchResult
const ORIGIN = { id: 'origin', day: '2026-11-21', networkKey: 'network', voice: 'origin' }

/** Records every statement of a connection. */
function recorder(connection: SqliteConnection): { connection: SqliteConnection; statements: Map<string, Sql> } {
  const statements = new Map<string, Sql>()
  const keep = (statement: Sql): Sql => {
    statements.set(statement.text, statement)
    return statement
  }
  return {
    statements,
    connection: {
      ...connection,
      one: statement => connection.one(keep(statement)),
      all: statement => connection.all(keep(statement)),
      run: statement => connection.run(keep(statement)),
      each: statement => connection.each(keep(statement)),
    },
  }
}

export type Recorded = { connection: SqliteConnection; statements: Map<string, Sql> }

/** Runs every operation on a small store, in every shape. Returns the statements that ran. */
export async function recordOperations(path: string): Promise<Recorded> {
  const store = openSqlite(path, 'write')
  migrate(store, 1)
  await insertHead(store, '01990000-0000-7000-8000-000000000000')
  store.exec('BEGIN')
  const recorded = recorder(store)
  const loaded: Loaded = new Map()
  const load = async <T>(loadable: Loadable<T>): Promise<T> => {
    const value = loaded.get(loadable as Loadable<unknown>) ?? Promise.resolve(loadable.load(recorded.connection))
    loaded.set(loadable as Loadable<unknown>, value)
    return value as Promise<T>
  }
  const tx: Transaction = { ...recorded.connection, load, lock: () => false }
  let made = 0
  const context = (): Context => ({
    at: ++made * 1_000,
    now: made * 1_000,
    newId: () => `01990000-0000-7000-8000-${String(++made).padStart(12, '0')}`,
    randomBytes: size => new Uint8Array(size).fill(++made % 256),
    cooldown: 1,
    dataClass: 'EXTERNAL',
  })
  let actor = 0
  const write = async (
    name: WriteName,
    body: object,
    params: Record<string, string> = {},
    idempotency?: Idempotency,
  ) => {
    const caller = { requestId: `request-${++made}`, actor: actor === 0 ? null : actor, origin: ORIGIN }
    const run = WRITES[name] as unknown as (
      tx: Transaction,
      context: Context,
      request: object,
    ) => Promise<{ body: object }>
    return (await run(tx, context(), { params, body, caller, idempotency })).body as Record<string, string>
  }
  const issued = (await write('createActor', { declaredName: 'Fox' })) as unknown as {
    actor: { id: string }
    token: string
  }
  actor = store.one<{ number: number }>(sql`SELECT number FROM actor`)?.number ?? 0
  await findActorByToken(tx, 'hash')
  const idempotency = { ...idempotencyKeyOf('secret', 'caller', 'key'), request: 'request' }
  await write('rotateToken', {}, {}, idempotency)

  const text = { title: 'Fox', summary: 'A fox', content: 'Foxes run.' }
  const one = await write('createEntry', { ...text, tags: ['sea'] })
  const two = await write('createEntry', {
    ...text,
    tags: ['Sea'],
    sources: [{ entryId: one.id, revisionId: one.currentRevisionId }],
  })
  const at = { slug: String(one.slug) }
  const revised = await write(
    'reviseEntry',
    { ...text, previousRevisionId: one.currentRevisionId, changeType: 'EXPAND', rationale: 'More' },
    at,
  )
  await write(
    'reviseEntry',
    {
      ...{ ...text, content: 'rm -rf /' },
      previousRevisionId: two.currentRevisionId,
      changeType: 'EXPAND',
      rationale: 'A signal',
    },
    { slug: String(two.slug) },
  )
  const revisionId = revised.currentRevisionId
  const verified = await write(
    'verifyRevision',
    { revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Yes' },
    at,
  )
  await write('contradictRevision', { revisionId, rationale: 'No', sourceEntryId: two.id }, at)
  await write('relateEntries', {
    sourceEntryId: one.id,
    targetEntryId: two.id,
    relationType: 'CONNECT',
    rationale: 'So',
  })

  await write('createActor', {})
  const numbers = { author: actor, judge: store.one<{ n: number }>(sql`SELECT max(number) AS n FROM actor`)?.n ?? 0 }
  await updateSignals(tx, -1, 0)
  const judged = await recordStandings(tx, async (who, name, body, params = {}) => {
    actor = numbers[who]
    const made = await write(name, body, params)
    actor = numbers.author
    return made
  })

  const reports = [
    { targetType: 'ENTRY', targetId: one.id, reason: 'SPAM' },
    { targetType: 'ENTRY', targetId: one.id, reason: 'ABUSE' },
    { targetType: 'REVISION', targetId: revisionId, reason: 'SPAM' },
    { targetType: 'EVIDENCE', targetId: verified.id, reason: 'SPAM' },
  ]
  const reported: ReportReceipt[] = []
  for (const body of reports) reported.push((await write('createReport', body)) as unknown as ReportReceipt)
  await write('resolveReport', { resolution: 'ACTED' }, { id: String(reported[0]?.id) })
  await findOldestOpen(tx)

  const observed = { origin: ORIGIN, requestId: 'request', times: 2, at: HOUR, lastAt: HOUR, counted: false }
  const read = { ...observed, action: 'READ', entry: 1, revision: 1, metadata: null } as const
  const search = {
    ...observed,
    action: 'SEARCH',
    entry: null,
    revision: null,
    metadata: { resultCount: 0, tag: null, sort: 'recent' },
  } as const
  const visitors = Array.from({ length: 67 }, (_, n) => ({ ...read, actor: null, userAgent: `agent-${n}` }))
  await MAINTENANCE.recordObservations(tx, context(), [
    { ...read, actor, userAgent: '' },
    { ...search, actor, userAgent: '' },
    ...visitors,
  ])
  const topic = { origin: ORIGIN, digest: 'digest', voices: ['voice'], words: 'fox' }
  await MAINTENANCE.recordUnansweredTopics(tx, context(), [topic])
  await MAINTENANCE.recordUnansweredTopics(tx, context(), [{ ...topic, voices: ['other'] }])
  await MAINTENANCE.saveAdmissions(tx, context(), { admissions: [{ bin: 1, key: 'key', count: 1 }], beforeBin: 0 })
  await renewHead(tx, '01990000-0000-7000-8000-000000000001', 1)
  await MAINTENANCE.openDay(tx, context(), ORIGIN.day)
  await MAINTENANCE.proveWritable(tx, context(), null)

  const reason = 'A reason'
  for (const [targetType, targetId] of [
    ['ENTRY', one.id],
    ['ENTRY', two.id],
    ['ACTOR', issued.actor.id],
    ['ORIGIN', ORIGIN.id],
  ]) {
    for (const action of ['QUARANTINE', 'RESTORE', 'BLOCK', 'UNBLOCK']) {
      const { id } = await write('moderate', { targetType, targetId, action, reason })
      if (action === 'BLOCK' && targetType === 'ACTOR') {
        const appealed = (await write('createAppeal', { decision: id, rationale: 'No' })) as unknown as Decision
        await write('moderate', { targetType, targetId, action, reason, appeal: appealed.appeal?.id })
      }
    }
  }

  for (const [loadable, value] of loaded) await loadable.save(tx, await value)
  await recordLog(tx, context)
  let records = 0
  const latestRecord = () => ({ record: records++, storeEpoch: 0 })
  const reads: Reads = {
    reader: tx,
    actor,
    at: 1e15,
    entries: new EntryCache({ reader: tx, latestRecord, knownRecord: () => undefined }, () => undefined),
    search: async () => FOUND,
    yieldToRequests: async () => {},
    yieldIfOverBudget: () => undefined,
    readiness: () => ({ ready: true, status: 'ok' }),
    flushObservations: async () => {},
    persistCheckpoint: async () => {},
    guideDigest: { instructions: '', llms: '' },
    contentLicense: undefined,
    rates: { readPerMinute: 1, writePerMinute: 1, cooldownSeconds: 1 },
  }
  const shapes = [
    {},
    { sort: 'evolution' as const },
    { q: 'fox' },
    { before: '5', limit: 2, ids: `${one.id},${revisionId}`, title: 'Fox' },
    { state: 'all' as const },
    { tag: 'sea' },
  ]
  for (const name of (Object.keys(READS) as ReadName[]).filter(one => !one.endsWith('AsOf'))) {
    for (const shape of shapes) {
      for (const slug of [String(one.slug), String(one.id)]) {
        const { id: report = '', secret = '' } = reported.at(-1) ?? {}
        const id = name === 'readReport' ? report : name === 'readActor' ? issued.actor.id : slug
        const body = { since: '1', pins: [{ slug, revisionId: String(revisionId) }], secret }
        const query = { q: '', ids: slug, title: '', ...shape }
        await READS_BY_NAME[name](reads, {
          params: { slug, id, revisionId: String(revisionId), record: '1' },
          query,
          body,
        })
      }
    }
  }
  for (const slug of judged) {
    await READS.readStanding(reads, { params: { slug }, query: {} })
    await READS.readBlame(reads, { params: { slug }, query: {} })
  }
  for (const { newest, filter, after } of Object.values<StreamOperation>(STREAMS)) {
    for (const query of [{}, { entry: `${one.id},${two.slug}`, action: 'VERIFY' }, { actor: issued.actor.id }]) {
      await after(tx, 0, 2, await newest(tx), await filter?.(tx, query))
    }
  }
  await recordViews(reads, String(one.slug), String(one.id), String(revisionId), issued.actor.id)
  for (const [loadable, value] of loaded) await loadable.save(tx, await value)
  await findWithdrawingAct(tx, 1)
  await recordLogEnd(tx, context)
  await recordPast(reads, [String(one.slug), ...judged])
  await recordPurges(reads.reader, tx, context())
  await recordMirror(reads, tx, context)
  await recordErasures(tx, context, write, String(one.id))
  await listAdmissions(tx, 0)
  await listTitled(tx, [1])
  await readHead(tx)
  await tx.all(changedEntries(0, 0, 10))
  await tx.one(currentEntry(1))
  await tx.one(pagesOfEntry(1))
  store.exec('UPDATE retry SET served = -1e12')
  await MAINTENANCE.sweep(tx, context(), { today: '2099-01-01', retentionDays: -1e6, served: 1 })
  for (const [loadable, value] of loaded) await loadable.save(tx, await value)
  store.exec('COMMIT')
  return { connection: store, statements: recorded.statements }
}

/** Reads entries as of every sequence. */
async function recordPast(reads: Reads, slugs: readonly string[]): Promise<void> {
  const { sequence } = await readHead(reads.reader)
  for (let at = 0; at <= sequence; at++) {
    for (const slug of slugs) {
      const request = { params: { sequence: String(at), slug }, query: { q: 'fox' } }
      await READS.findEntriesAsOf(reads, request)
      try {
        await READS.readEntryAsOf(reads, request)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
      }
    }
  }
}

async function recordViews(reads: Reads, slug: string, id: string, revisionId: string, actorId: string): Promise<void> {
  await searchFaceted(reads, {}, {})
  await views.readRevisionState(reads, slug, revisionId)
  await views.readSteps(reads, slug, 10)
  await readAges(reads, { slug, ordinal: 1 })
  await views.readCounts(reads, slug)
  await views.readWithdrawal(reads, slug)
  await views.readVerdicts(reads, slug)
  await readObjection(reads, slug, id)
  await views.readAuthors(reads, [{ actorId: actorId }])
  await views.readReviewedEntries(reads, actorId)
  await views.readHeadings(reads, [{ entryId: id }])
  await listContested(reads, 5)
  await listSupporters(reads.reader, 1, 5)
  await homeViews.listRecentlyChanged(reads, 5)
  await homeViews.listNewlyConfirmed(reads, 5)
  await homeViews.listUnchecked(reads, 5)
  await homeViews.listWrites(reads, 5)
  await views.listChanges(reads, 5)
  await views.readTrend(reads)
  for (const kind of ['written', 'read'] as const)
    await views.readActivityOf(reads, kind, { before: undefined, limit: 9 })
  await views.readGrowth(reads, 3)
  await views.listSlice(reads, 0)
}

/** Fills a search index, and searches it in every shape. Returns the statements that ran. */
export function recordSearches(path: string): Recorded {
  const index = openIndex(path, { storeId: 'store', record: 0, storeEpoch: 0 })
  const recorded = recorder(index)
  const entry = {
    number: 1,
    id: 'a',
    revision: 1,
    change: 1,
    updated_at: 1,
    revisions: 1,
    title: 'Fox',
    summary: 'Fox',
    content: 'Fox',
  }
  putEntries(recorded.connection, [{ ...entry, withdrawn: 0, tags: '["sea"]' }])
  putEntries(recorded.connection, [{ ...entry, withdrawn: 0, change: 2, revision: 2, tags: '["sea"]' }])
  for (const sort of ['recent', 'evolution', 'relevance', 'fit'] as const) {
    for (const q of ['fox "a fox"', 'fax', 'antfox']) {
      searchIndex(recorded.connection, { q, tag: 'sea', sort, limit: 5, offset: 0 })
    }
  }
  removeEntries(recorded.connection, [1])
  return { connection: index, statements: recorded.statements }
}
