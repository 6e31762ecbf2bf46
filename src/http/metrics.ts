import type { IncomingHttpHeaders, Server } from 'node:http'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { VERSION } from '../contract/version.ts'
import { activeTimes } from '../engine/thread.ts'
import type { Store } from '../memory/store.ts'
import type { MirrorLag } from '../mirror/lag.ts'
import { TEXT_TYPE } from '../web/page.ts'
import { createServer } from './exchange.ts'
import { CLASSES, type Durations } from './overload.ts'
import {
  type BackupStatus,
  type Finding,
  freeBytes,
  readFindings,
  readStoreStatus,
  type StatusSources,
  type StoreStatus,
  type WitnessMetrics,
} from './status.ts'

/** Version 00 of W3C Trace Context, or a later one that begins like it. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The ids of the trace and of the calling span, and whether the caller records the trace. */
type Traceparent = { traceId: string; spanId: string; isSampled: boolean }

/** Reads a `traceparent` field; undefined if it is missing, malformed or longer than 512 characters. */
export function readTraceparent(field: unknown): Traceparent | undefined {
  if (typeof field !== 'string' || field.length > 512) return undefined
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(field) ?? []
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined
  return { traceId, spanId, isSampled: Number.parseInt(flags as string, 16) % 2 === 1 }
}

/** The trace id of a request, as a member of its log lines. */
function traceOf({ traceparent }: IncomingHttpHeaders): { traceId?: string } {
  const parent = traceparent === undefined ? undefined : readTraceparent(traceparent)
  return parent === undefined ? {} : { traceId: parent.traceId }
}

type Outcome = { requestId: string; operation: string | null; status: number; ms: number }

/** Logs a request. */
export function logRequest(
  logger: Logger,
  level: 'debug' | 'info',
  { ms, ...outcome }: Outcome,
  headers: IncomingHttpHeaders,
): void {
  logger[level]({ ...outcome, ms: Math.round(ms * 10) / 10, ...traceOf(headers) }, 'request')
}

/** Logs a request that failed because of the service, with the error. The stack is omitted for refusals of the service. */
export function logFailure(
  logger: Logger,
  error: unknown,
  code: ProblemCode,
  { id, headers }: { id: string; headers: IncomingHttpHeaders },
): void {
  const level = code === 'UNEXPECTED_FAULT' ? 'error' : 'warn'
  const cause = error instanceof Problem ? reasonOf(error) : { err: error }
  logger[level]({ requestId: id, code, ...cause, ...traceOf(headers) }, 'a request failed')
}

/** The reason of a refusal, as a member of its log line. */
const reasonOf = ({ detail: { reason } }: Problem): { reason?: string } => (reason === undefined ? {} : { reason })

/** A number with its labels; `metricName` if it differs from the name of its family. */
type Sample = { metricName?: string; labels: Record<string, string>; value: number }
/** A metric family: one name, one sentence of help, one type. */
type Family = { name: string; help: string; type: 'counter' | 'gauge' | 'histogram'; values: Sample[] }

/**
 * The metrics of the process: memory, processor, garbage collection, event loop. The first request for metrics loads them, so that they do
 * not delay the start.
 */
let ofProcess: Promise<{ Registry: new () => Registry; standard: Registry }> | undefined

/** The lag of the event loop is measured while there are requests. A timer of the library would wake an idle service all day. */
const NEVER_MS = 86_400_000

const load = async () => {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const standard = new Registry()
  collectDefaultMetrics({ register: standard, eventLoopMonitoringPrecision: NEVER_MS })
  for (const { name } of standard.getMetricsAsArray())
    if (name.startsWith('nodejs_eventloop_lag')) standard.removeSingleMetric(name)
  return { Registry, standard }
}

/** The given families, and those of the process, in the text format of Prometheus. */
async function exposition(families: readonly Family[]): Promise<{ type: string; body: string }> {
  ofProcess ??= load()
  const { Registry, standard } = await ofProcess
  const own = new Registry()
  // The registry only reads the values. `Metrics` counts them, because that costs less for each request.
  for (const family of families) own.registerMetric({ ...family, get: async () => family } as never)
  return { type: own.contentType, body: `${await own.metrics()}\n${await standard.metrics()}` }
}

/** The counters of the answers of one operation. */
type Counted = Durations & { statuses: Map<number, number> }

/** The metrics of one server. Their labels are names of the tables, statuses and codes: never a path, an actor or an address. */
export class Metrics {
  readonly #store: Store
  readonly #sources: StatusSources
  /** The answered requests by name: an operation, guide or page of the tables, otherwise `none`. The dispatcher counts them. */
  readonly answered = new Map<string, Counted>()
  /** Every code begins at 0: a rate exists only between two values, so the first fault would raise no alert otherwise. */
  readonly #problems = new Map(Object.keys(PROBLEMS).map(code => [code as ProblemCode, 0]))
  #exposing: Promise<{ type: string; body: string }> | undefined

  constructor(store: Store, sources: StatusSources) {
    this.#store = store
    this.#sources = sources
  }

  /** Counts a refusal or a fault. */
  failed(code: ProblemCode): void {
    this.#problems.set(code, (this.#problems.get(code) ?? 0) + 1)
  }

  /** All metrics in the text format of Prometheus. Simultaneous callers share one exposition. */
  expose(): Promise<{ type: string; body: string }> {
    this.#exposing ??= this.#families()
      .then(exposition)
      .finally(() => {
        this.#exposing = undefined
      })
    return this.#exposing
  }

  async #families(): Promise<Family[]> {
    const { readiness, droppedLines, witnesses, lag, origins, clock, config, now, backups } = this.#sources
    const [status, free] = await Promise.all([readStoreStatus(this.#store, now()), freeBytes(config.dataDir)])
    const problems = [...this.#problems].map(([code, value]) => ({ labels: { code }, value }))
    return [
      ...requestFamilies(this.answered),
      counter('problems_total', 'Refusals and faults by problem code.', problems),
      counter('log_lines_dropped_total', 'Lines of the log that could not be written.', droppedLines()),
      counter('clock_jumps_total', 'Jumps of the clock by more than a minute.', clock.jumps),
      gauge('ready', 'Whether the service is ready, as /ready says.', readiness().ready ? 1 : 0),
      gauge(
        'untrusted_proxy',
        'Whether a request had X-Forwarded-For from a loopback or private address that TRUSTED_PROXIES does not name.',
        origins.sawUntrustedProxy ? 1 : 0,
      ),
      ...witnessFamilies(witnesses?.metrics),
      ...(lag === undefined ? [] : mirrorFamilies(lag.metrics())),
      ...processFamilies(this.#sources),
      ...(backups === undefined ? [] : backupFamilies(backups.status(), now())),
      ...(free === undefined ? [] : [gauge('disk_free_bytes', 'Free bytes on the disk of DATA_DIR.', free)]),
      ...(status === undefined ? [] : storeFamilies(status)),
    ]
  }

  /** The status of the service for its administrator. */
  readonly findings = (): Promise<Finding[]> => readFindings(this.#store, this.#sources)
}

/** A number without labels, or the numbers by their labels. */
type Values = number | Sample[]
const family = (type: Family['type'], name: string, help: string, values: Values): Family => ({
  ...{ type, help, values: typeof values === 'number' ? [{ labels: {}, value: values }] : values },
  name: `palimpsest_${name}`,
})
const counter = (name: string, help: string, values: Values): Family => family('counter', name, help, values)
const gauge = (name: string, help: string, values: Values): Family => family('gauge', name, help, values)

function histogramOf(name: string, labels: Sample['labels'], { classes, sum, count }: Durations): Sample[] {
  let below = 0
  const buckets = CLASSES.map((end, place) => {
    below += classes[place] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...labels, le: String(end) }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum / 1_000 },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

function requestFamilies(operations: ReadonlyMap<string, Counted>): Family[] {
  const requests: Sample[] = []
  const seconds: Sample[] = []
  for (const [operation, { statuses, ...durations }] of operations) {
    for (const [status, value] of statuses) requests.push({ labels: { operation, status: String(status) }, value })
    seconds.push(...histogramOf('palimpsest_request_seconds', { operation }, durations))
  }
  return [
    counter('requests_total', 'Answered requests by operation and status.', requests),
    family('histogram', 'request_seconds', 'Seconds from a request to the end of its answer, by operation.', seconds),
  ]
}

function witnessFamilies(metrics: WitnessMetrics | undefined): Family[] {
  if (metrics === undefined) return []
  const { witnesses, cosigned, quorum, forked } = metrics
  return [
    gauge('log_witnesses', 'Configured witnesses of the public log.', witnesses),
    gauge('log_cosigned', 'Witnesses that cosigned the last checkpoint of the public log.', cosigned),
    gauge('log_quorum', 'Whether the last checkpoint has as many cosignatures as the policy requires.', quorum ? 1 : 0),
    gauge('log_forked_witnesses', 'Witnesses that know another history of the public log.', forked),
  ]
}

const mirrorFamilies = ({ copied, newest, seconds }: ReturnType<MirrorLag['metrics']>): Family[] => [
  gauge('mirror_sequence', 'The newest sequence number of the original that this mirror has copied.', copied),
  gauge('mirror_original_sequence', 'The newest sequence number in the last answer of the original.', newest),
  gauge(
    'mirror_lag_seconds',
    'Seconds since the copy last had everything that the original had; before the first complete copy, since the start.',
    seconds,
  ),
]

function backupFamilies({ newest, restored, beganAt, failure, files }: BackupStatus, now: number): Family[] {
  const age = (time = beganAt): number => Math.max(0, now - time) / 1_000
  return [
    gauge('backup_age_seconds', 'Age of the last good backup; without one, since the start.', age(newest)),
    gauge(
      'backup_restore_age_seconds',
      'Seconds since a backup was last restored, for proof; without one, since the start.',
      age(restored),
    ),
    gauge('backup_failing', 'Whether the last run of the backup failed.', failure === undefined ? 0 : 1),
    gauge('backups', 'Backups in BACKUP_DIR.', files),
  ]
}

function processFamilies({ streams, charges, overload }: StatusSources): Family[] {
  const refused = [...charges.refused].map(([policy, value]) => ({ labels: { policy }, value }))
  const active = [...activeTimes()].map(([thread, time]) => ({ labels: { thread }, value: time / 1_000 }))
  const build = [{ labels: { version: VERSION, node: process.versions.node }, value: 1 }]
  return [
    gauge('build_info', 'The version of the service and of Node, as labels; always 1.', build),
    family(
      'histogram',
      'event_loop_lag_seconds',
      'Seconds by which a timer of 50 ms was late, measured while requests arrive.',
      histogramOf('palimpsest_event_loop_lag_seconds', {}, overload.lag),
    ),
    counter(
      'thread_active_seconds_total',
      'Seconds that each thread has worked: its rate is the share of the time, 1 if the thread is saturated.',
      active,
    ),
    gauge('open_streams', 'Open streams of events of this node.', streams.size),
    counter('limits_refused_total', 'Requests that a limit refused, by its policy as in RateLimit-Policy.', refused),
  ]
}

const by = (label: string, values: Record<string, number>): Sample[] =>
  Object.entries(values).map(([one, value]) => ({ labels: { [label]: one }, value }))

function storeFamilies({ metrics, head, reports, log }: StoreStatus): Family[] {
  const { entries, revisions, verifications, contradictions, relations, record } = head
  return [
    counter('commits_total', 'Durable commits of this node.', metrics.commits),
    counter('committed_writes_total', 'Writes of this node in those commits.', metrics.committedWrites),
    gauge('writes_waiting', 'Writes of this node in progress.', metrics.writesWaiting),
    gauge('oldest_write_seconds', 'Age of the oldest of them in seconds.', metrics.oldestWrite / 1_000),
    gauge('searches_waiting', 'Searches of this node in progress.', metrics.searchesWaiting),
    gauge('search_index_lag_records', 'Permanent records that the search index has not reached.', metrics.indexLag),
    gauge('store_bytes', 'Bytes on disk, by part of the store.', by('part', metrics.bytes)),
    gauge(
      'public_records',
      'Public counts, as in /api/stats.',
      by('kind', { entries, revisions, verifications, contradictions, relations }),
    ),
    gauge('records', 'Permanent records, moderation included.', record),
    gauge('open_reports', 'Open reports of abuse.', reports.open),
    gauge(
      'oldest_report_seconds',
      'Age of the oldest open report in seconds; 0 if none is open.',
      reports.oldest / 1_000,
    ),
    ...(log === undefined ? [] : logFamilies(log)),
    ...(metrics.database === undefined ? [] : databaseFamilies(metrics.database)),
  ]
}

const logFamilies = ({ signed, lag }: NonNullable<StoreStatus['log']>): Family[] => [
  gauge('log_records', 'Records of the last signed checkpoint of the public log.', signed),
  gauge('log_lag_records', 'Permanent records that no signed checkpoint has yet.', lag),
]

const databaseFamilies = (database: NonNullable<StoreStatus['metrics']['database']>): Family[] => [
  gauge(
    'database_sessions',
    'Open sessions of this node with PostgreSQL for its writes and reads.',
    database.sessionsOpen,
  ),
  gauge('database_statements_waiting', 'Statements in these sessions without an answer.', database.statementsWaiting),
  gauge('standbys', 'Servers that DATABASE_READ_URL names.', database.standbys),
  gauge('standbys_replaying', 'Those of them that replay the log of a primary.', database.standbysReplaying),
]

/** The maximum number of connections. A scraper needs one. */
const CONNECTIONS_MAX = 16

/** A server that answers only GET /metrics, for a port that only the operator can reach. The caller makes it listen. */
export function createMetricsServer(metrics: Metrics): Server {
  const server = createServer(
    { requestTimeout: 5_000, headersTimeout: 5_000, keepAliveTimeout: 90_000 },
    (request, response) => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404, { 'content-type': TEXT_TYPE }).end('This port has only GET /metrics.\n')
        return
      }
      metrics.expose().then(
        ({ type, body }) => response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
        () => response.writeHead(503).end(),
      )
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  return server
}

/** The interval between two comparisons of the clocks, and the difference that is a jump; both in milliseconds. */
const INTERVAL_MS = 1_000
const JUMP_MS = 60_000

/**
 * Compares the clock with a monotonic one, and logs and counts its jumps. A machine that was suspended looks like one whose clock was set
 * forward.
 */
export class ClockWatch {
  /** The number of jumps of more than a minute since the start. */
  jumps = 0
  readonly #timer: NodeJS.Timeout

  /** `now` is the clock, in milliseconds since 1970. */
  constructor(now: () => number, logger: Logger) {
    let offset = now() - performance.now()
    this.#timer = setInterval(() => {
      const jumped = now() - performance.now() - offset
      offset += jumped
      if (Math.abs(jumped) <= JUMP_MS) return
      this.jumps++
      const seconds = Math.round(jumped / 1_000)
      logger.warn({ seconds }, 'the clock jumped by more than a minute; run a time service that sets it in small steps')
    }, INTERVAL_MS).unref()
  }

  end(): void {
    clearInterval(this.#timer)
  }
}
