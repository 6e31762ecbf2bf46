import { existsSync, rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { Problem } from './contract/problem.ts'
import type { Reader, StoreFault } from './engine/database.ts'
import type { PostgresConnection } from './engine/postgres.ts'
import { type Engine, NEW_STORE_MADE, reportIndex } from './engine.ts'
import {
  adminTokenFile,
  changeOfOriginKey,
  digestOf,
  digestOfOriginKey,
  ensureSecret,
  originKeyFile,
  type Secrets,
} from './secrets.ts'
import { lockDataDirectory, nodeIndexFile, prepareDataDirectory } from './stores/embedded/directory.ts'
import { applyLedgers, ERASED_BYTES_LEFT, saveErased } from './stores/erasure-ledger.ts'
import { PostgresLimiter } from './stores/postgres/limiter.ts'
import {
  findTokenDigest,
  hasOriginKey,
  noteOriginKey,
  readTokenDigest,
  shareLogKey,
  shareOriginKey,
  shareTokenDigest,
} from './stores/postgres/secrets.ts'
import { PostgresStore } from './stores/postgres/store.ts'
import { logHeadFile, makeLogKey, privateKeysOf } from './tlog/key-files.ts'

/** How long a start waits for a database that may not be available, in milliseconds: long enough to report most faults at once. */
const FIRST_OPEN_TIMEOUT_MS = 2_000

/** Milliseconds between two reads of the digest of the admin token. */
const TOKEN_INTERVAL_MS = 2_000

/** Opens the store in a PostgreSQL database. Throws OperatorError for mistakes of the operator. */
export async function openPostgres(config: Config, url: string, logger: Logger): Promise<Engine> {
  if (config.tlogKey !== undefined) privateKeysOf(config.tlogKey, 'TLOG_KEY')
  const directory = prepareDataDirectory(config.dataDir)
  const lock = lockDataDirectory(directory)
  const shared = new SharedSecrets(config, logger)
  const store = new PostgresStore({
    url,
    indexFile: nodeIndexFile(directory),
    logHeadFile: logHeadFile(directory),
    onIndex: reportIndex(logger, nodeIndexFile(directory)),
    readUrls: config.databaseReadUrls ?? [],
    groupMax: config.writeGroupMax,
    ...reportsTo(logger, placeOf(url), config.newStore === 'allowed'),
    onOpen: connection => shared.read(connection),
    onErased: reader => saveErased([directory], reader),
  })
  try {
    await eraseFirst(store, directory, logger)
  } catch (error) {
    await store.close()
    lock[Symbol.dispose]()
    throw error
  }
  const limiter = new PostgresLimiter(url, store.heartbeat)
  const refreshing = setInterval(() => shared.refresh(store.reader), TOKEN_INTERVAL_MS).unref()
  return {
    store,
    limiter,
    secrets: () => shared.secrets(),
    place: placeOf(url),
    adminTokenFile: () => shared.tokenFile(),
    async close() {
      clearInterval(refreshing)
      await limiter.close()
      await store.close()
      lock[Symbol.dispose]()
    },
  }
}

/**
 * Applies the ledger of erasures before anything is served. If the database is away, the node starts, serves nothing, and applies the ledger
 * as soon as it opens the store.
 */
async function eraseFirst(store: PostgresStore, directory: string, logger: Logger): Promise<void> {
  const onLeft = (fault: StoreFault): void => logger.error({ err: fault }, ERASED_BYTES_LEFT)
  const applied = store.opened.then(() => applyLedgers([directory], store, Date.now(), onLeft))
  const looked = new AbortController()
  try {
    const late = setTimeout(FIRST_OPEN_TIMEOUT_MS, 'late', { signal: looked.signal })
    const isLate = (await Promise.race([store.opened, late])) === 'late'
    if (!isLate) await applied
    else applied.catch(error => logger.error({ err: error }, 'the ledger of erasures was not applied; start again'))
  } finally {
    looked.abort()
    applied.catch(() => {})
  }
}

/** The secrets that all nodes share, known once the store is open. `tokenFile` is the file with the admin token, if this node made it. */
type KnownSecrets = { secrets: Secrets; tokenFile: string | undefined }

class SharedSecrets {
  readonly #config: Config
  readonly #logger: Logger
  #known: KnownSecrets | undefined

  constructor(config: Config, logger: Logger) {
    this.#config = config
    this.#logger = logger
  }

  async read(connection: PostgresConnection): Promise<void> {
    this.#known = await shareSecrets(connection, this.#config, this.#logger)
  }

  /** Reads the digest of the admin token again, which "palimpsest rotate-admin-token" replaces. */
  async refresh(reader: Reader): Promise<void> {
    if (this.#known === undefined || this.#config.adminToken !== undefined) return
    // While the database is away, no request of an administrator is answered either.
    const adminDigest = await readTokenDigest(reader).catch(() => undefined)
    if (adminDigest === undefined) return
    this.#known = { ...this.#known, secrets: { ...this.#known.secrets, adminDigest } }
  }

  /** Throws NOT_READY until the store is open. */
  secrets(): Secrets {
    if (this.#known === undefined) throw new Problem('NOT_READY', { retryAfter: 1, reason: 'waiting for the database' })
    return this.#known.secrets
  }

  tokenFile(): string | undefined {
    return this.#known?.tokenFile
  }
}

/** Logs the state of the database. */
const reportsTo = (logger: Logger, database: string, mayMake: boolean) => ({
  onReach: (lost: Error | undefined): void => {
    if (lost === undefined) logger.info({ database }, 'the database is there')
    else logger.error({ err: lost }, 'the database is away: see that PostgreSQL runs and that DATABASE_URL names it')
  },
  making: { mayMake, onMade: (storeId: string): void => logger.info({ database, storeId }, NEW_STORE_MADE) },
})

/**
 * The secrets that all nodes share. The database has only the digest of the admin token; the node that makes the token writes it to its
 * data directory. Existing secrets in the data directory are used.
 */
async function shareSecrets(connection: PostgresConnection, config: Config, logger: Logger): Promise<KnownSecrets> {
  const originKey = await shareOrigins(connection, config, logger)
  const logKey = config.tlogKey ?? (await shareLogKey(connection, makeLogKey))
  if (config.adminToken !== undefined) {
    return { secrets: { adminDigest: digestOf(config.adminToken), originKey, logKey }, tokenFile: undefined }
  }
  const known = await findTokenDigest(connection)
  const path = adminTokenFile(config.dataDir)
  if (known !== undefined && !existsSync(path))
    return { secrets: { adminDigest: known, originKey, logKey }, tokenFile: undefined }
  prepareDataDirectory(config.dataDir)
  const made = !existsSync(path)
  const ownDigest = digestOf(ensureSecret(path))
  const adminDigest = known ?? (await shareTokenDigest(connection, ownDigest))
  const ours = adminDigest === ownDigest
  if (made && !ours) rmSync(path)
  return { secrets: { adminDigest, originKey, logKey }, tokenFile: ours ? path : undefined }
}

/** The origin key of all nodes. Warns if it is not the key of the last start of a node. */
async function shareOrigins(connection: PostgresConnection, config: Config, logger: Logger): Promise<string> {
  const file = originKeyFile(config.dataDir)
  const own = config.originKey ?? (existsSync(file) ? ensureSecret(file) : undefined)
  const isNewKey = own === undefined && !(await hasOriginKey(connection))
  const originKey = config.originKey ?? (await shareOriginKey(connection, own))
  const digest = digestOfOriginKey(originKey)
  const before = await noteOriginKey(connection, digest)
  const [head] = await connection.query<{ record: number }>('SELECT record FROM head')
  const warning = changeOfOriginKey({ digest, isNewKey, isNewStore: Number(head?.record ?? 0) === 0 }, before)
  if (warning !== undefined) logger.warn({ database: placeOf(config.databaseUrl ?? '') }, warning)
  return originKey
}

/** The URL of the database without its password. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `PostgreSQL ${hostname || 'local'}${port === '' ? '' : `:${port}`}${pathname}`
}
