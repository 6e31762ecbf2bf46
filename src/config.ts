import { readFileSync } from 'node:fs'
import { closestMatch } from 'leven'
import {
  collector,
  contact,
  credential,
  decimal,
  duration,
  filled,
  headerField,
  headerList,
  hosts,
  license,
  type Network,
  networks,
  oneOf,
  origin,
  origins,
  postgresUrl,
  postgresUrls,
  secret,
  urls,
  whole,
} from './config-values.ts'
import { DEFAULT_RATES } from './contract/limits.ts'
import { OperatorError, settingFileFault } from './operator-error.ts'

export type { Network }

/** All settings. docs/configuration.md is generated from SETTINGS. */
export type Config = {
  host: string
  port: number
  dataDir: string
  databaseUrl: string | undefined
  databaseReadUrls: readonly string[] | undefined
  writeGroupMax: number
  adminToken: string | undefined
  originKey: string | undefined
  tlogKey: string | undefined
  tlogIntervalSeconds: number
  tlogWitnesses: string | undefined
  readPerMinute: number
  writePerMinute: number
  cooldownSeconds: number
  trustedProxies: Network[]
  publicUrl: string | undefined
  contentLicense: string | undefined
  allowedHosts: string[]
  allowedOrigins: string[]
  sharedCacheSeconds: number
  purgeUrls: string[]
  purgeHeader: readonly [name: string, value: string] | undefined
  activityRetentionDays: number
  mirrorLagSeconds: number
  newStore: string
  backupDir: string | undefined
  backupEvery: number
  backupKeep: number
  logLevel: string
  metricsPort: number | undefined
  metricsHost: string
  otlpEndpoint: string | undefined
  otlpHeaders: Record<string, string>
  securityContact: string | undefined
}

type Setting<T> = {
  name: string
  byDefault: string | undefined
  secret?: boolean
  /** All possible values. */
  values?: readonly string[]
  description: string
  /** Returns the value or throws what is expected, as in "must be …". */
  parse(text: string): T
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export const SETTINGS: { [K in keyof Config]: Setting<Config[K]> } = {
  host: { name: 'HOST', byDefault: '127.0.0.1', description: 'The address to listen on.', parse: filled },
  port: {
    name: 'PORT',
    byDefault: '8080',
    description: 'The port to listen on; 0 takes a free one.',
    parse: whole(0, 65_535),
  },
  dataDir: {
    name: 'DATA_DIR',
    byDefault: './data',
    description:
      'The directory of the embedded store. With DATABASE_URL it has the files of this node: its search index, the last checkpoint of the public log, and the admin token if this node made it.',
    parse: filled,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    byDefault: undefined,
    secret: true,
    description:
      'A PostgreSQL (15 or newer) that any number of nodes share, as postgres://user:password@host:5432/database. Unset: the embedded store in DATA_DIR.',
    parse: postgresUrl,
  },
  databaseReadUrls: {
    name: 'DATABASE_READ_URL',
    byDefault: undefined,
    secret: true,
    description:
      'Streaming standbys of that PostgreSQL to read from, separated by commas. A read goes to the standby that lags least and has replayed all commits of earlier answers, otherwise to the primary. An address may lead to the primary for a time, so that all members of a cluster can be listed.',
    parse: postgresUrls,
  },
  writeGroupMax: {
    name: 'WRITE_GROUP_MAX',
    byDefault: '256',
    description:
      'The maximum number of writes of a node that share one commit on PostgreSQL; 1 commits each write separately.',
    parse: whole(1, 2_000),
  },
  adminToken: {
    name: 'ADMIN_TOKEN',
    byDefault: undefined,
    secret: true,
    description:
      'The bearer credential of administrators, at least 16 characters. Unset: made once into DATA_DIR/admin-token, mode 0600.',
    parse: credential,
  },
  originKey: {
    name: 'ORIGIN_KEY',
    byDefault: undefined,
    secret: true,
    description:
      'The key under which networks are recognised for as long as they are blocked. Unset: made once into DATA_DIR/origin-key, mode 0600. No backup contains it: store it separately. If it is lost, blocks of origins lapse.',
    parse: secret,
  },
  tlogKey: {
    name: 'TLOG_KEY',
    byDefault: undefined,
    secret: true,
    description:
      'The private key that signs the public log: Ed25519, and ML-DSA-44 if there is one, as PEM (PKCS#8). Unset: made once into DATA_DIR/log-key, mode 0600, or into the database. No backup contains it: store it separately. If it is lost, another log begins, which names the previous one.',
    parse: filled,
  },
  tlogIntervalSeconds: {
    name: 'TLOG_INTERVAL_SECONDS',
    byDefault: '1',
    description:
      'Seconds between two signed checkpoints of the public log, while there are new records. Mirrors store a record once a checkpoint has it; with 0.05, usually a tenth of a second after its commit.',
    parse: decimal(0.05, 3_600),
  },
  tlogWitnesses: {
    name: 'TLOG_WITNESSES',
    byDefault: undefined,
    description:
      'A file that names the witnesses of the public log and how many must cosign it (c2sp.org/tlog-policy). Each checkpoint is sent to those with an address before it is published.',
    parse: filled,
  },
  readPerMinute: {
    name: 'READ_LIMIT_PER_MINUTE',
    byDefault: String(DEFAULT_RATES.readPerMinute),
    description: 'Reads in any 60 seconds, per origin and per token.',
    parse: whole(1, 1_000_000_000),
  },
  writePerMinute: {
    name: 'WRITE_LIMIT_PER_MINUTE',
    byDefault: String(DEFAULT_RATES.writePerMinute),
    description: 'Writes in any 60 seconds, per origin and per token.',
    parse: whole(1, 1_000_000_000),
  },
  cooldownSeconds: {
    name: 'COOLDOWN_SECONDS',
    byDefault: String(DEFAULT_RATES.cooldownSeconds),
    description: 'Seconds between two writes of one action by one token; 0 switches it off.',
    parse: whole(0, 3_600),
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    byDefault: '',
    description: 'Networks of proxies whose X-Forwarded-For the service accepts, separated by commas.',
    parse: networks,
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    byDefault: undefined,
    description: 'The public address of the service, without a path, for absolute links.',
    parse: origin,
  },
  contentLicense: {
    name: 'CONTENT_LICENSE',
    byDefault: undefined,
    description:
      'The licence of the content, as https address or SPDX identifier (CC-BY-4.0): a Link with rel="license" on every answer with content, in /api/discovery, at the foot of pages, and in the last line of an export.',
    parse: license,
  },
  allowedHosts: {
    name: 'ALLOWED_HOSTS',
    byDefault: '',
    description:
      'Names, separated by commas and without ports, that a request may have in Host besides the name in PUBLIC_URL; empty: all. A list keeps web pages from reaching a private service by DNS rebinding. /health and /ready answer for any name.',
    parse: hosts,
  },
  allowedOrigins: {
    name: 'ALLOWED_ORIGINS',
    byDefault: '',
    description:
      'Web origins, separated by commas, whose pages may use the service besides its own pages (those of PUBLIC_URL, and of the same Host if it is a loopback name or in ALLOWED_HOSTS). Empty: all pages may use the API, and pages of this machine may also call /mcp; *: all pages may use both. Programs that send no Origin are not restricted.',
    parse: origins,
  },
  sharedCacheSeconds: {
    name: 'SHARED_CACHE_SECONDS',
    byDefault: '0',
    description:
      'Seconds for which caches of the operator may serve a public answer without revalidation (CDN-Cache-Control, Surrogate-Control); 0: caches revalidate before each use. Set PURGE_URL too, so that moderation removes what they store.',
    parse: whole(0, 86_400),
  },
  purgeUrls: {
    name: 'PURGE_URL',
    byDefault: '',
    description:
      'Addresses of caches, separated by commas. Each gets a POST with the tags of what each write and each act of moderation changed.',
    parse: urls,
  },
  purgeHeader: {
    name: 'PURGE_HEADER',
    byDefault: undefined,
    secret: true,
    description: 'A field of these requests, as "Name: value". It authenticates the service to the caches.',
    parse: headerField,
  },
  activityRetentionDays: {
    name: 'ACTIVITY_RETENTION_DAYS',
    byDefault: '90',
    description: 'Days that READ and SEARCH rows are kept. Writes are never deleted.',
    parse: whole(1, 36_500),
  },
  mirrorLagSeconds: {
    name: 'MIRROR_LAG_SECONDS',
    byDefault: '300',
    description:
      'Seconds that "mirror --serve" may lag behind its original and still be ready. Past that, /ready returns 503, also if the original does not answer.',
    parse: whole(10, 31_536_000),
  },
  newStore: {
    name: 'NEW_STORE',
    byDefault: 'allowed',
    values: ['allowed', 'refused'],
    description:
      'Whether a start without a store makes an empty one. Set "refused" after the first start: a data directory that was deleted or is not mounted is then reported, and not replaced by an empty store.',
    parse: oneOf('allowed', 'refused'),
  },
  backupDir: {
    name: 'BACKUP_DIR',
    byDefault: undefined,
    description:
      'A directory, on another disk if possible, into which the service copies its embedded store: each copy is checked and has a checksum, and once a day the newest one is restored into a scratch directory there. Unset: no copies.',
    parse: filled,
  },
  backupEvery: {
    name: 'BACKUP_EVERY',
    byDefault: '1d',
    description: 'The time between two copies, as a number with m, h or d.',
    parse: duration,
  },
  backupKeep: {
    name: 'BACKUP_KEEP',
    byDefault: '7',
    description: 'The number of copies in BACKUP_DIR; older ones, named palimpsest-YYYYMMDD-HHMMSS.db, are deleted.',
    parse: whole(1, 10_000),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    byDefault: 'info',
    values: LOG_LEVELS,
    description: 'How much is logged to standard error.',
    parse: oneOf(...LOG_LEVELS),
  },
  metricsPort: {
    name: 'METRICS_PORT',
    byDefault: undefined,
    description:
      'A separate port that serves only /metrics, without a token; 0 takes a free one. Unset: /metrics only at PORT, with the admin token.',
    parse: whole(0, 65_535),
  },
  metricsHost: {
    name: 'METRICS_HOST',
    byDefault: '127.0.0.1',
    description: 'The address that METRICS_PORT listens on; only the operator should reach it.',
    parse: filled,
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    byDefault: undefined,
    description:
      'The http or https address of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318: it gets a span for each request, with its method, route and status. Unset: nothing of OpenTelemetry is loaded.',
    parse: collector,
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    byDefault: '',
    secret: true,
    description:
      'Fields of the requests to the collector, as name=value with commas between them, the values percent-encoded.',
    parse: headerList,
  },
  securityContact: {
    name: 'SECURITY_CONTACT',
    byDefault: undefined,
    description: 'Where to report security faults: a mailto: or https: address, for /.well-known/security.txt.',
    parse: contact,
  },
}

/**
 * The command-line flag of a setting: DATA_DIR is --data-dir. Secrets have none, because other users of the machine can read command lines.
 */
export const flagOf = ({ name, secret: hidden }: { name: string; secret?: boolean }): string | undefined =>
  hidden ? undefined : name.toLowerCase().replaceAll('_', '-')

/** The URL of a service, without a path. An IPv6 address is written in brackets. */
export const httpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/**
 * Reads the configuration. Precedence: the flag, the variable or the file named by NAME_FILE (secrets only), the default. Throws an
 * OperatorError that names the setting and the expected value.
 */
export function readConfig(env: NodeJS.ProcessEnv, flags: Record<string, string | undefined> = {}): Config {
  const config: Partial<Record<keyof Config, unknown>> = {}
  for (const [key, setting] of Object.entries(SETTINGS) as [keyof Config, Setting<unknown>][]) {
    const flag = flagOf(setting)
    const typed = flag === undefined ? undefined : flags[flag]
    const text = typed ?? fromFile(setting, env) ?? env[setting.name] ?? setting.byDefault
    try {
      config[key] = text === undefined ? undefined : setting.parse(text)
    } catch (error) {
      // A wrong value may be an address with a password.
      const shown = setting.secret || text?.includes('@') ? '' : `, not "${text}"`
      const name = typed === undefined ? setting.name : `--${flag}`
      throw new OperatorError(`${name} must be ${(error as Error).message}${shown}.`)
    }
  }
  if (config.databaseReadUrls !== undefined && config.databaseUrl === undefined) {
    throw new OperatorError(
      'DATABASE_READ_URL needs DATABASE_URL, the primary of its standbys; set DATABASE_URL too, or unset DATABASE_READ_URL.',
    )
  }
  return config as Config
}

function fromFile(setting: Setting<unknown>, env: NodeJS.ProcessEnv): string | undefined {
  const name = `${setting.name}_FILE`
  const path = setting.secret ? env[name] : undefined
  if (path === undefined) return undefined
  if (env[setting.name] !== undefined)
    throw new OperatorError(`${setting.name} and ${name} are both set; unset one of them.`)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new OperatorError(`${name} names ${path}, which cannot be read (${settingFileFault(error)}).`)
  }
}

/** The variables that this program reads. The commands for people read the last three. */
const VARIABLES: ReadonlySet<string> = new Set([
  ...(Object.values(SETTINGS) as Setting<unknown>[]).flatMap(({ name, secret: hidden }) =>
    hidden ? [name, `${name}_FILE`] : [name],
  ),
  ...['PALIMPSEST_URL', 'PALIMPSEST_READ_URL', 'PALIMPSEST_TOKEN'],
])
/** A shorter name can belong to another program. */
const NAME_LEAST = 8
/** One edit is allowed for each group of this many characters. */
const CHARACTERS_PER_EDIT = 4

/** One sentence, without a full stop, for each variable that nearly has the name of a setting. */
export const misspeltVariables = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env).flatMap(name => {
    const meant = VARIABLES.has(name) ? undefined : settingMeantBy(name)
    return meant === undefined ? [] : [`${name} is no setting and has no effect; did you mean ${meant}?`]
  })

function settingMeantBy(name: string): string | undefined {
  if (name.length < NAME_LEAST || !name.includes('_')) return undefined
  const bare = name.replace(/^PALIMPSEST_/, '').replace(/_FILE$/, '')
  if (bare.includes('_') && VARIABLES.has(bare)) return bare
  const longer = [...VARIABLES].find(one => one.startsWith(`${name}_`))
  return longer ?? closestMatch(name, [...VARIABLES], { maxDistance: Math.floor(name.length / CHARACTERS_PER_EDIT) })
}
