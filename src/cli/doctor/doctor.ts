import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from 'node:tls'
import { type Config, misspeltVariables, readConfig } from '../../config.ts'
import { openSqlite } from '../../engine/sqlite.ts'
import { durationText, type Finding, spaceFinding, withPage } from '../../http/status.ts'
import { assertNamed } from '../../listen.ts'
import { LOCAL_URL, LocalTransport, socketPath } from '../../local-socket.ts'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { adminTokenFile, exposedSentence, listSecretFiles } from '../../secrets.ts'
import { isServed, storeFile } from '../../stores/embedded/directory.ts'
import { OWNER_ONLY_FILE } from '../../sync-path.ts'
import { EXIT, type Invocation, UsageError } from '../command.ts'
import { visibleLine } from '../people/output.ts'
import { readIfExists } from '../read.ts'
import { databaseUrlOf, dataDirOf, readUrlsOf } from '../stores/snapshot.ts'
import { databaseChecks } from './database.ts'
import { engineChecks } from './engine.ts'
import {
  type Check,
  type CheckResult,
  checkClock,
  checkDurability,
  checkIntegrity,
  checkKeys,
  checkMissing,
  checkPublicLog,
  checkSchema,
  checkSearchIndex,
  checkServed,
  checkSizes,
  foreignLog,
  type NamedCheck,
} from './store.ts'

/** Runs all checks and prints one line for each finding. A check that throws is a finding. */
export async function doctor(invocation: Invocation): Promise<number> {
  let failed = false
  const fine = new Set<string>()
  for (const [what, check, needs] of checksFor(invocation)) {
    if (needs !== undefined && !fine.has(needs)) continue
    const findings = await findingsOf(what, check)
    if (findings.every(({ mark }) => mark === 'ok')) fine.add(what)
    failed ||= findings.some(({ mark }) => mark === 'FAIL')
    invocation.stdout.write(findings.map(finding => `${visibleLine(lineOf(finding))}\n`).join(''))
  }
  return failed ? EXIT.failed : EXIT.ok
}

function checksFor(invocation: Invocation): NamedCheck[] {
  const { env, flags, switches } = invocation
  if (switches.has('engine')) return engineChecks(namedDatabase(invocation))
  let config: Config | undefined
  const readSettings = async (): Promise<CheckResult[]> => {
    config = readConfig(env, flags)
    await assertNamed(config)
    const misspelt = misspeltVariables(env).map(finding => ({ mark: 'warn' as const, finding }))
    return [{ mark: 'ok', finding: 'all settings are valid' }, ...misspelt]
  }
  const directory = resolve(dataDirOf(invocation))
  const machine: NamedCheck[] = [
    ['Node', checkNode],
    ['SQLite', checkSqlite],
    ['full-text search', checkFts5],
    ['file descriptors', checkDescriptors],
    ['configuration', readSettings],
    ['web pages', () => (config === undefined ? [] : checkWebPages(config))],
    ['data directory', () => checkDirectory(directory)],
    ['secrets', () => checkSecrets(directory)],
    ['public service', () => (config === undefined ? [] : checkPublicService(config))],
    ['certificate', () => (config === undefined ? [] : checkCertificate(config))],
    ['synced write', () => checkSyncedWrite(directory)],
    ['status', () => checkLive(directory, config)],
  ]
  const url = databaseOfValid(invocation)
  if (url !== undefined) return [...machine, ...databaseChecks(url, readUrlsOf(invocation), directory)]
  if (!existsSync(storeFile(directory))) {
    return [...machine, ['store', () => checkMissing(directory)]]
  }
  const foreign = foreignLog(directory)
  if (foreign !== undefined) return [...machine, ['store', () => foreign]]
  return [
    ...machine,
    ['served', () => checkServed(directory, config)],
    ['keys', () => checkKeys(directory, config)],
    ['schema', () => checkSchema(directory)],
    ['durability', () => checkDurability(directory), 'schema'],
    ['integrity', () => checkIntegrity(directory), 'schema'],
    ['search index', () => checkSearchIndex(directory), 'schema'],
    ['public log', () => checkPublicLog(directory, config), 'schema'],
    ['sizes', () => checkSizes(directory)],
    ['clock', () => checkClock(directory), 'schema'],
  ]
}

/** The database of the settings; undefined if they are invalid, which the check of the configuration finds. */
function databaseOfValid(invocation: Invocation): string | undefined {
  try {
    return databaseUrlOf(invocation)
  } catch (error) {
    if (error instanceof OperatorError) return undefined
    throw error
  }
}

function namedDatabase(invocation: Invocation): string {
  const url = databaseUrlOf(invocation)
  if (url === undefined) throw new UsageError('--engine probes a server; set DATABASE_URL to one of its databases.')
  return url
}

async function findingsOf(what: string, check: Check): Promise<Finding[]> {
  try {
    const findings = [await check()].flat().map(result => ({ what, ...result }))
    return what === 'status' ? findings : findings.map(withPage)
  } catch (error) {
    return [withPage({ mark: 'FAIL', what, finding: (error as Error).message.replace(/\.$/, '') })]
  }
}

export const lineOf = ({ mark, what, finding, remedy }: Finding): string =>
  `${mark.padEnd(4)} ${what}: ${finding}${remedy === undefined ? '' : `; ${remedy}`}`

const NETWORK_TIMEOUT_MS = 5_000
const OLDEST_NODE = '24.15'
const DESCRIPTORS_WANTED = 4_096

function checkNode(): CheckResult {
  const version = process.versions.node
  if (version.localeCompare(OLDEST_NODE, 'en', { numeric: true }) >= 0) {
    return { mark: 'ok', finding: version }
  }
  return { mark: 'FAIL', finding: `${version} is too old`, remedy: `run Node ${OLDEST_NODE} or newer` }
}

/** Opening a database asserts the version. */
function checkSqlite(): CheckResult {
  openSqlite(':memory:', 'derived').close()
  return { mark: 'ok', finding: process.versions.sqlite ?? 'unknown version' }
}

function checkFts5(): CheckResult {
  using database = new DatabaseSync(':memory:')
  database.exec("CREATE VIRTUAL TABLE probe USING fts5(text, content='', contentless_delete=1)")
  return { mark: 'ok', finding: 'FTS5 works' }
}

function checkDescriptors(): CheckResult {
  if (!existsSync('/proc/self/limits')) return { mark: 'ok', finding: 'the limit is unknown on this system' }
  const limit = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 'unlimited'
  if (limit === 'unlimited' || Number(limit) >= DESCRIPTORS_WANTED)
    return { mark: 'ok', finding: `${limit} may be open` }
  const remedy = `raise it to ${DESCRIPTORS_WANTED} or more (ulimit -n, or LimitNOFILE of the unit)`
  return { mark: 'warn', finding: `only ${limit} may be open; each connection needs one`, remedy }
}

function checkDirectory(directory: string): CheckResult[] {
  if (!existsSync(directory)) {
    const remedy = 'the first start creates it; or set DATA_DIR'
    return [{ mark: 'warn', finding: `${directory} does not exist`, remedy }]
  }
  if (!statSync(directory).isDirectory()) {
    return [{ mark: 'FAIL', finding: `${directory} is a file`, remedy: 'set DATA_DIR to a directory' }]
  }
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [{ mark: 'FAIL', finding: `${directory} cannot be written`, remedy: 'make it writable for this user' }]
  }
  const { bavail, bsize, type } = statfsSync(directory)
  return [
    { mark: 'ok', finding: `${directory} is writable` },
    fileSystemFinding(directory, type),
    spaceFinding(bavail * bsize),
  ]
}

const SYNCS = 5
const SYNC_SLOW_MS = 100

/** How long the disk takes to sync a small write, as each commit does: the median of a few. */
function checkSyncedWrite(directory: string): CheckResult[] {
  const path = join(directory, `.probe-${process.pid}`)
  const times: number[] = []
  try {
    const file = openSync(path, 'w', OWNER_ONLY_FILE)
    for (let n = 0; n < SYNCS; n++) {
      const began = performance.now()
      writeSync(file, 'probe')
      fsyncSync(file)
      times.push(performance.now() - began)
    }
    closeSync(file)
  } catch {
    // The check of the directory and that of the free space have the reason.
    return []
  } finally {
    rmSync(path, { force: true })
  }
  const median = times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] as number
  const finding = `${median.toFixed(1)} ms, and each commit needs one`
  if (median < SYNC_SLOW_MS) return [{ mark: 'ok', finding }]
  return [{ mark: 'warn', finding, remedy: 'use a faster disk, or end the other programs that write to it' }]
}

/** File systems on which a store is not safe, by their number in Linux, with the reason. */
const UNSAFE: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs, which is in memory: all data is lost when the machine stops'],
  [0x858458f6, 'ramfs, which is in memory: all data is lost when the machine stops'],
  [0x794c7630, 'overlay, which belongs to a container: all data is lost when it is removed'],
  [0x6969, 'NFS, which is on another machine: its locks and syncs are not reliable'],
  [0xff534d42, 'CIFS, which is on another machine: its locks and syncs are not reliable'],
  [0xfe534d42, 'SMB, which is on another machine: its locks and syncs are not reliable'],
])

/** Synced data must be on a disk. No program can detect a disk that falsely confirms a sync. */
function fileSystemFinding(directory: string, type: number): CheckResult {
  const what = 'file system'
  const unsafe = UNSAFE.get(type >>> 0)
  if (unsafe === undefined)
    return { mark: 'ok', what, finding: `0x${(type >>> 0).toString(16)}, not known to lose synced data` }
  const remedy = 'set DATA_DIR to a local disk or a volume'
  return { mark: 'warn', what, finding: `${directory} is on ${unsafe}`, remedy }
}

/** The rows of the status of a running service that the doctor cannot find out itself. */
const LIVE = new Set([
  ...['writes', 'public log', 'reports', 'backup', 'witnesses', 'mirror'],
  ...['proxy', 'clock jumps', 'log lines'],
])

/**
 * The findings of /admin/status of the process that has locked the directory. They are asked for over the socket of the directory, because
 * any process may listen at the address of the settings, and would read the token.
 */
async function checkLive(directory: string, config: Config | undefined): Promise<CheckResult[]> {
  if (config === undefined || !isServed(directory)) return []
  const token =
    config.adminToken ?? readIfExists(adminTokenFile(directory), 'run doctor as the user of the service')?.trim()
  const transport = new LocalTransport(socketPath(directory))
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const signal = AbortSignal.timeout(NETWORK_TIMEOUT_MS)
  const answer = await transport
    .fetch(`${LOCAL_URL}/admin/status`, { headers, signal })
    .catch(() => undefined)
    .finally(() => transport.close())
  if (answer === undefined) return []
  if (answer.status !== 200) {
    const finding = `unknown, because the service answers ${answer.status}`
    return [{ mark: 'warn', finding, remedy: 'run doctor with the ADMIN_TOKEN of the service' }]
  }
  const { findings } = (await answer.json()) as { findings: Finding[] }
  return findings.filter(({ what }) => LIVE.has(what))
}

function checkSecrets(directory: string): CheckResult[] {
  const files = listSecretFiles(directory)
  if (files.length === 0) return [{ mark: 'ok', finding: 'no files with secrets yet' }]
  return files.map(file =>
    file.isExposed
      ? { mark: 'FAIL', finding: exposedSentence(file) }
      : { mark: 'ok', finding: `${file.path} has mode ${file.mode}` },
  )
}

/** Settings that a service with a public address should have, each with the effect of its absence. */
function checkPublicService({ publicUrl, trustedProxies, securityContact, contentLicense }: Config): CheckResult[] {
  if (publicUrl === undefined || !publicUrl.startsWith('https:')) return []
  const missing = [
    ...(trustedProxies.length === 0 ? ['TRUSTED_PROXIES: all callers of the proxy share one limit'] : []),
    ...(securityContact === undefined ? ['SECURITY_CONTACT: readers do not know where to report a fault'] : []),
    ...(contentLicense === undefined ? ['CONTENT_LICENSE: readers may not use the content'] : []),
  ]
  if (missing.length === 0) return [{ mark: 'ok', finding: 'its proxy, its contact and its licence are set' }]
  return [{ mark: 'warn', finding: `unset are ${missing.join('; ')}`, remedy: 'set them before the first entry' }]
}

/** A certificate should be renewed before this share of its lifetime is left. */
const RENEWED_LATEST = 1 / 5

/** Whether the certificate of an https PUBLIC_URL is valid, and is renewed in time. */
async function checkCertificate({ publicUrl }: Pick<Config, 'publicUrl'>): Promise<CheckResult[]> {
  if (publicUrl === undefined || !publicUrl.startsWith('https:')) return []
  const { hostname, port } = new URL(publicUrl)
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(NETWORK_TIMEOUT_MS) })
    const { valid_from: from, valid_to: to } = socket.getPeerCertificate()
    const left = Date.parse(to) - Date.now()
    const remedy = 'renew it and reload the proxy'
    if (left <= 0) return [{ mark: 'FAIL', finding: `that of ${hostname} expired on ${to}`, remedy }]
    const finding = `that of ${hostname} is valid for ${durationText(left / 1_000)}`
    if (left < (Date.parse(to) - Date.parse(from)) * RENEWED_LATEST)
      return [{ mark: 'warn', finding: `${finding}, and was not renewed`, remedy }]
    if (socket.authorized) return [{ mark: 'ok', finding }]
    return [{ mark: 'warn', finding: `${finding}, and not trusted here: ${socket.authorizationError}` }]
  } catch (error) {
    const finding = `unknown, because ${publicUrl} cannot be reached over TLS (${systemFault(error)})`
    return [{ mark: 'warn', finding, remedy: 'see that the proxy runs' }]
  } finally {
    socket.destroy()
  }
}

/** Web pages reach a loopback address through the browser of a person on this machine. */
function checkWebPages({ host, port, allowedHosts, allowedOrigins, publicUrl }: Config): CheckResult {
  const isRestricted = allowedHosts.length > 0 && allowedOrigins.length > 0 && !allowedOrigins.includes('*')
  if (isRestricted) return { mark: 'ok', finding: 'only allowed pages may use the service' }
  if (publicUrl !== undefined || !/^(?:localhost|127\.[\d.]+|::1)$/.test(host))
    return { mark: 'ok', finding: 'all pages may use the service, as a public service allows' }
  const remedy = `if it is private, set ALLOWED_HOSTS=127.0.0.1,localhost and ALLOWED_ORIGINS=http://127.0.0.1:${port}`
  const finding = `every page that a browser on this machine opens may read and write at ${host}`
  return { mark: 'warn', finding, remedy }
}
