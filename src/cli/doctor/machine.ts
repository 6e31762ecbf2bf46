import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config.ts'
import { openSqlite } from '../../database/sqlite.ts'
import { isServed } from '../../embedded/data-directory.ts'
import { adminTokenFile, exposedSentence, listSecretFiles } from '../../secrets.ts'
import { metricsUrl } from '../address.ts'
import { sizeText } from '../progress.ts'
import type { Finding } from './check.ts'

const METRICS_TIMEOUT_MS = 5_000
const OLDEST_NODE = '24.15'
const SPACE_LEAST_BYTES = 100_000_000
const SPACE_WANTED_BYTES = 1_000_000_000
const DESCRIPTORS_WANTED = 4_096

export function checkNode(): Finding {
  const version = process.versions.node
  if (version.localeCompare(OLDEST_NODE, 'en', { numeric: true }) >= 0) {
    return { mark: 'ok', what: 'Node', finding: version }
  }
  return { mark: 'FAIL', what: 'Node', finding: `${version} is too old`, remedy: `run Node ${OLDEST_NODE} or newer` }
}

/** Opening a database asserts the version. */
export function checkSqlite(): Finding {
  openSqlite(':memory:', 'derived').close()
  return { mark: 'ok', what: 'SQLite', finding: process.versions.sqlite ?? 'unknown version' }
}

export function checkFts5(): Finding {
  const database = new DatabaseSync(':memory:')
  try {
    database.exec("CREATE VIRTUAL TABLE probe USING fts5(text, content='', contentless_delete=1)")
    return { mark: 'ok', what: 'full-text search', finding: 'FTS5 works' }
  } finally {
    database.close()
  }
}

export function checkDescriptors(): Finding {
  const what = 'file descriptors'
  if (!existsSync('/proc/self/limits')) return { mark: 'ok', what, finding: 'the limit is unknown on this system' }
  const limit = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 'unlimited'
  if (limit === 'unlimited' || Number(limit) >= DESCRIPTORS_WANTED)
    return { mark: 'ok', what, finding: `${limit} may be open` }
  const remedy = `raise it to ${DESCRIPTORS_WANTED} or more (ulimit -n, or LimitNOFILE of the unit)`
  return { mark: 'warn', what, finding: `only ${limit} may be open; each connection needs one`, remedy }
}

export function checkDirectory(directory: string): Finding[] {
  const what = 'data directory'
  if (!existsSync(directory)) {
    return [
      {
        mark: 'warn',
        what,
        finding: `${directory} does not exist`,
        remedy: 'the first start creates it; or set DATA_DIR',
      },
    ]
  }
  if (!statSync(directory).isDirectory()) {
    return [{ mark: 'FAIL', what, finding: `${directory} is a file`, remedy: 'set DATA_DIR to a directory' }]
  }
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [{ mark: 'FAIL', what, finding: `${directory} cannot be written`, remedy: 'make it writable for this user' }]
  }
  const { bavail, bsize, type } = statfsSync(directory)
  return [
    { mark: 'ok', what, finding: `${directory} is writable` },
    fileSystemFinding(directory, type),
    spaceFinding(bavail * bsize),
  ]
}

/** File systems on which a store is not safe, by their number in Linux, with the reason and the remedy. */
const UNSAFE: Record<number, { name: string; finding: string; remedy: string }> = Object.fromEntries(
  [
    [0x01021994, 'tmpfs', 'is in memory: all data is lost when the machine stops'],
    [0x858458f6, 'ramfs', 'is in memory: all data is lost when the machine stops'],
    [0x794c7630, 'overlay', 'belongs to a container: all data is lost when it is removed'],
    [0x6969, 'NFS', 'is on another machine: its locks and syncs are not reliable'],
    [0xff534d42, 'CIFS', 'is on another machine: its locks and syncs are not reliable'],
    [0xfe534d42, 'SMB', 'is on another machine: its locks and syncs are not reliable'],
  ].map(([type, name, finding]) => [type, { name, finding, remedy: 'set DATA_DIR to a local disk or a volume' }]),
)

/** Synced data must be on a disk. No program can detect a disk that falsely confirms a sync. */
function fileSystemFinding(directory: string, type: number): Finding {
  const what = 'file system'
  const unsafe = UNSAFE[type >>> 0]
  if (unsafe === undefined)
    return { mark: 'ok', what, finding: `0x${(type >>> 0).toString(16)}, not known to lose synced data` }
  return {
    mark: 'warn',
    what,
    finding: `${directory} is on ${unsafe.name}, which ${unsafe.finding}`,
    remedy: unsafe.remedy,
  }
}

function spaceFinding(free: number): Finding {
  const what = 'free space'
  const finding = `${sizeText(free)} free`
  if (free >= SPACE_WANTED_BYTES) return { mark: 'ok', what, finding }
  return {
    mark: free < SPACE_LEAST_BYTES ? 'FAIL' : 'warn',
    what,
    finding,
    remedy: 'free some space before writes are refused',
  }
}

/** What the process that has locked the directory noticed: a proxy that it does not trust, and jumps of its clock. */
export async function checkNoticed(directory: string, config: Config | undefined): Promise<Finding[]> {
  if (config === undefined || !isServed(directory)) return []
  const { adminToken, metricsPort, metricsHost } = config
  const token = adminToken ?? readIfExists(adminTokenFile(directory))
  const isOpen = metricsPort !== undefined && metricsPort !== 0
  const url = metricsUrl(isOpen ? { host: metricsHost, port: metricsPort } : config)
  const answer = await fetch(url, {
    headers: isOpen || token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(METRICS_TIMEOUT_MS),
  }).catch(() => undefined)
  if (answer === undefined) return []
  const text = await answer.text()
  const [, seen] = /^palimpsest_untrusted_proxy (\d)$/m.exec(text) ?? []
  if (seen === undefined) {
    const finding = `unknown, because ${url} answers ${answer.status}`
    return [{ mark: 'warn', what: 'proxy', finding, remedy: 'run doctor with the ADMIN_TOKEN of the service' }]
  }
  return [proxyFinding(seen), jumpsFinding(/^palimpsest_clock_jumps_total (\d+)$/m.exec(text)?.[1] ?? '0')]
}

function proxyFinding(seen: string): Finding {
  const what = 'proxy'
  if (seen === '0') return { mark: 'ok', what, finding: 'no request came from a proxy that is not trusted' }
  const finding =
    'requests have X-Forwarded-For from a loopback or private address that TRUSTED_PROXIES does not name, so their callers share one limit'
  return { mark: 'warn', what, finding, remedy: 'name the network of the proxy in TRUSTED_PROXIES' }
}

function jumpsFinding(jumps: string): Finding {
  const what = 'clock jumps'
  if (jumps === '0') return { mark: 'ok', what, finding: 'none of more than a minute since the start' }
  const finding = `${jumps} of more than a minute since the start; the log has them`
  return { mark: 'warn', what, finding, remedy: 'run a time service that sets the clock in small steps' }
}

const readIfExists = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined

export function checkSecrets(directory: string): Finding[] {
  const what = 'secrets'
  const files = listSecretFiles(directory)
  if (files.length === 0) return [{ mark: 'ok', what, finding: 'no files with secrets yet' }]
  return files.map(file =>
    file.isExposed
      ? { mark: 'FAIL', what, finding: exposedSentence(file) }
      : { mark: 'ok', what, finding: `${file.path} has mode ${file.mode}` },
  )
}

/** Web pages reach a loopback address through the browser of a person on this machine. */
export function checkWebPages({ host, port, allowedHosts, allowedOrigins, publicUrl }: Config): Finding {
  const what = 'web pages'
  const isRestricted = allowedHosts.length > 0 && allowedOrigins.length > 0 && !allowedOrigins.includes('*')
  if (isRestricted) return { mark: 'ok', what, finding: 'only allowed pages may use the service' }
  if (publicUrl !== undefined || !/^(?:localhost|127\.[\d.]+|::1)$/.test(host))
    return { mark: 'ok', what, finding: 'all pages may use the service, as a public service allows' }
  const remedy = `if it is private, set ALLOWED_HOSTS=127.0.0.1,localhost and ALLOWED_ORIGINS=http://127.0.0.1:${port}`
  const finding = `every page that a browser on this machine opens may read and write at ${host}`
  return { mark: 'warn', what, finding, remedy }
}
