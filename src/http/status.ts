import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { VERSION } from '../contract/version.ts'
import { type Head, readHead } from '../memory/head-rows.ts'
import { countOpenReports, findOldestOpen } from '../memory/moderation/report-rows.ts'
import type { Readiness } from '../memory/operation.ts'
import type { Store, StoreMetrics } from '../memory/store.ts'
import type { MirrorLag } from '../mirror/lag.ts'
import { sizeText } from '../progress.ts'
import { exposedSentence, listSecretFiles } from '../secrets.ts'
import { findCheckpoint } from '../tlog/rows.ts'
import type { Durations } from './overload.ts'

/** The result of a check. `warn` is optional to fix. With `FAIL` the service does not work or is not safe. */
export type Finding = { mark: 'ok' | 'warn' | 'FAIL'; what: string; finding: string; remedy?: string }

const ok = (what: string, finding: string): Finding => ({ mark: 'ok', what, finding })
const fault = (mark: 'warn' | 'FAIL', what: string, finding: string, remedy: string): Finding => ({
  ...{ mark, what, finding, remedy },
})

/** The section of docs/operating.md about the fault of each row. */
export const PAGES: Readonly<Record<string, string>> = {
  'free space': 'disk-full',
  'synced write': 'disk-slow',
  writes: 'disk-slow',
  database: 'database-gone',
  clock: 'clock-wrong',
  'clock jumps': 'clock-wrong',
  certificate: 'certificate-expired',
  reports: 'a-wave-of-spam',
  keys: 'key-lost',
  'public log': 'log-forked',
  witnesses: 'log-forked',
  'search index': 'index-damaged',
  schema: 'upgrade-failed',
  store: 'machine-lost',
  integrity: 'machine-lost',
  backup: 'backup-failed',
}

/** The finding; if it is a fault that has a page, its remedy names the page. */
export function withPage(finding: Finding): Finding {
  const page = PAGES[finding.what]
  if (finding.mark === 'ok' || page === undefined) return finding
  const see = `see docs/operating.md#${page}`
  return { ...finding, remedy: finding.remedy === undefined ? see : `${finding.remedy}; ${see}` }
}

/** The state of the witnesses of the public log. */
export type WitnessMetrics = { witnesses: number; cosigned: number; quorum: boolean; forked: number }

/** Parts of the process whose state an answer of /metrics or /admin/status shows. */
export type StatusSources = {
  config: Pick<Config, 'dataDir'>
  now: () => number
  readiness: () => Readiness
  droppedLines: () => number
  witnesses: { metrics: WitnessMetrics } | undefined
  lag: MirrorLag | undefined
  origins: { sawUntrustedProxy: boolean }
  clock: { jumps: number }
  streams: { size: number }
  overload: { lag: Durations }
  charges: { refused: ReadonlyMap<string, number> }
  backups: { status(): BackupStatus } | undefined
}

/** The backups that the service makes. Times are milliseconds since 1970; `failure` is the reason why the last run failed. */
export type BackupStatus = {
  directory: string
  files: number
  newest: number | undefined
  restored: number | undefined
  beganAt: number
  failure: string | undefined
  every: number
}

/** What a store reports for the operator. Ages are in milliseconds; `signed` is the number of records of the last signed checkpoint, 0 before the first. */
export type StoreStatus = {
  metrics: StoreMetrics
  head: Head
  reports: { open: number; oldest: number }
  log: { signed: number; lag: number } | undefined
}

/** The status of the store; undefined if it does not answer. */
export async function readStoreStatus(store: Store, now: number): Promise<StoreStatus | undefined> {
  const { reader } = store
  try {
    const reading = [store.metrics(), readHead(reader), countOpenReports(reader), findOldestOpen(reader)] as const
    const [metrics, head, open, oldest] = await Promise.all(reading)
    const reports = { open, oldest: oldest === undefined ? 0 : Math.max(0, now - oldest) }
    const signed = (await findCheckpoint(reader))?.size ?? 0
    // A mirror has a copy of the log of its original.
    const log = store.original ? undefined : { signed, lag: Math.max(0, head.record - signed) }
    return { metrics, head, reports, log }
  } catch {
    return undefined
  }
}

/** The free bytes of the disk of a directory; undefined if they cannot be read. */
export const freeBytes = (directory: string): Promise<number | undefined> =>
  statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  )

/** The status for the administrator: one finding for each part, as "palimpsest doctor" prints them. */
export async function readFindings(store: Store, sources: StatusSources): Promise<Finding[]> {
  const { config, now, droppedLines, witnesses, lag, origins, clock, streams, charges, backups } = sources
  const [status, free] = await Promise.all([readStoreStatus(store, now()), freeBytes(config.dataDir)])
  const dropped = droppedLines()
  const findings: Finding[] = [
    ok('version', `${VERSION} on Node ${process.versions.node}, up ${durationText(process.uptime())}`),
    readyFinding(sources.readiness()),
    ...(status === undefined ? [] : storeFindings(status)),
    ...(free === undefined ? [] : [spaceFinding(free)]),
    ...(backups === undefined ? [] : [backupFinding(backups.status(), now())]),
    ...(witnesses === undefined ? [] : [witnessFinding(witnesses.metrics)]),
    ...(lag === undefined ? [] : [mirrorFinding(lag)]),
    ...listSecretFiles(config.dataDir).flatMap((file): Finding[] =>
      file.isExposed ? [{ mark: 'FAIL', what: 'secrets', finding: exposedSentence(file) }] : [],
    ),
    proxyFinding(origins.sawUntrustedProxy),
    jumpsFinding(clock.jumps),
    ok('streams', `${streams.size} open`),
    limitsFinding(charges.refused),
    dropped === 0
      ? ok('log lines', 'none was dropped')
      : fault('warn', 'log lines', `${dropped} were dropped`, 'free space for the log, or use a faster reader'),
  ]
  return findings.map(withPage)
}

const readyFinding = ({ ready, status }: Readiness): Finding =>
  ready
    ? ok('ready', 'the service takes reads and writes')
    : fault('FAIL', 'ready', `not ready: ${status}`, 'the log of the service has the reason')

/** Records that the search index or the public log may lag before the status warns. */
const LAG_LARGE = 10_000
const WRITE_SLOW_MS = 1_000
const DAY_MS = 86_400_000

function storeFindings({ metrics, head, reports, log }: StoreStatus): Finding[] {
  const { indexLag, bytes, database, oldestWrite, writesWaiting } = metrics
  const lagging = (what: string, lag: number, remedy: string): Finding => {
    const finding = `${lag} of ${head.record} records are not in it yet`
    return lag < LAG_LARGE ? ok(what, finding) : fault('warn', what, finding, remedy)
  }
  const writes = `${writesWaiting} in progress, the oldest for ${Math.round(oldestWrite)} ms`
  const sizes = Object.entries(bytes).map(([part, size]) => `${part} ${sizeText(size)}`)
  return [
    ok('sizes', sizes.join(', ')),
    oldestWrite < WRITE_SLOW_MS
      ? ok('writes', writes)
      : fault('warn', 'writes', writes, 'the disk is slow, or another process has the lock'),
    lagging('search index', indexLag, 'searches wait for it'),
    ...(log === undefined ? [] : [lagging('public log', log.lag, 'the log of the service has the reason')]),
    ...(database === undefined ? [] : databaseFindings(database)),
    reports.oldest < DAY_MS
      ? ok('reports', `${reports.open} open`)
      : fault(
          'warn',
          'reports',
          `${reports.open} open, the oldest for ${durationText(reports.oldest / 1_000)}`,
          'read them with "palimpsest reports" and close them',
        ),
  ]
}

function databaseFindings({
  sessionsOpen,
  statementsWaiting,
  standbys,
  standbysReplaying,
}: NonNullable<StoreMetrics['database']>): Finding[] {
  const sessions = ok('sessions', `${sessionsOpen} open, ${statementsWaiting} statements wait`)
  if (standbys === 0) return [sessions]
  const finding = `${standbysReplaying} of ${standbys} servers for reads replay the primary`
  if (standbysReplaying > 0) return [sessions, ok('standby', finding)]
  return [sessions, fault('warn', 'standby', finding, 'reads go to the primary')]
}

const SPACE_LEAST_BYTES = 100_000_000
const SPACE_WANTED_BYTES = 1_000_000_000

export function spaceFinding(free: number): Finding {
  const finding = `${sizeText(free)} free`
  if (free >= SPACE_WANTED_BYTES) return ok('free space', finding)
  const mark = free < SPACE_LEAST_BYTES ? 'FAIL' : 'warn'
  return fault(mark, 'free space', finding, 'free some space before writes are refused')
}

/** A backup is late after two intervals: a run may take long, and a failed one is repeated after an hour. */
export function backupFinding(
  { directory, files, newest, restored, beganAt, failure, every }: BackupStatus,
  now: number,
): Finding {
  const ago = (time: number): string => `${durationText((now - time) / 1_000)} ago`
  const age = newest === undefined ? 'none yet' : `the newest ${ago(newest)}`
  const finding = `${directory} has ${files}, ${age}, ${restored === undefined ? 'none was restored yet' : `restored ${ago(restored)}`}`
  const remedy = 'the log of the service has the reason'
  if (failure !== undefined) return fault('FAIL', 'backup', `${finding}; the last run failed: ${failure}`, remedy)
  return now - (newest ?? beganAt) <= 2 * every ? ok('backup', finding) : fault('FAIL', 'backup', finding, remedy)
}

function witnessFinding({ witnesses, cosigned, quorum, forked }: WitnessMetrics): Finding {
  const what = 'witnesses'
  const finding = `${cosigned} of ${witnesses} cosigned the last checkpoint`
  const remedy = 'stop the service, and compare the store with its backups'
  if (forked > 0) return fault('FAIL', what, `${forked} know another history of the public log`, remedy)
  return quorum
    ? ok(what, finding)
    : fault('warn', what, finding, 'the policy requires more: see that the witnesses answer')
}

function mirrorFinding(lag: MirrorLag): Finding {
  const { copied, newest, seconds } = lag.metrics()
  const obstacle = lag.obstacle()
  const finding = `at sequence ${copied} of ${newest}, complete ${Math.round(seconds)} s ago`
  if (obstacle === undefined) return ok('mirror', finding)
  return fault('FAIL', 'mirror', `${finding}: ${obstacle}`, 'see that the original answers')
}

function proxyFinding(seen: boolean): Finding {
  if (!seen) return ok('proxy', 'no request came from a proxy that is not trusted')
  const finding =
    'requests have X-Forwarded-For from a loopback or private address that TRUSTED_PROXIES does not name, so their callers share one limit'
  return fault('warn', 'proxy', finding, 'name the network of the proxy in TRUSTED_PROXIES')
}

function jumpsFinding(jumps: number): Finding {
  if (jumps === 0) return ok('clock jumps', 'none of more than a minute since the start')
  const finding = `${jumps} of more than a minute since the start; the log has them`
  return fault('warn', 'clock jumps', finding, 'run a time service that sets the clock in small steps')
}

function limitsFinding(refused: ReadonlyMap<string, number>): Finding {
  const hit = [...refused].filter(([, count]) => count > 0).map(([policy, count]) => `${policy} ${count}`)
  return ok('limits hit', hit.length === 0 ? 'none since the start' : hit.join(', '))
}

/** A duration in its largest whole unit. */
export function durationText(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? (['second', 1] as const)
  const count = Math.floor(seconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
