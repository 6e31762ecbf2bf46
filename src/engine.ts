import { hash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { Problem } from './contract/problems.ts'
import type { PostgresConnection } from './database/postgres.ts'
import { prepareDataDirectory } from './embedded/data-directory.ts'
import { openEmbeddedLimiter } from './embedded/limiter.ts'
import { openEmbeddedStore } from './embedded/store.ts'
import type { Limiter } from './operations/limiter.ts'
import type { Store } from './operations/store.ts'
import { openPostgresLimiter } from './postgres/limiter.ts'
import { findTokenDigest, shareOriginKey, shareTokenDigest } from './postgres/secrets.ts'
import { openPostgresStore } from './postgres/store.ts'
import { adminTokenFile, ensureSecret, originKeyFile, type Secrets } from './secrets.ts'

/** Where everything is kept, as the configuration says. */
export type Engine = {
  store: Store
  limiter: Limiter
  /** Throws Problem NOT_READY while they are not known. */
  secrets(): Secrets
  /** Where the data is, for people. */
  place: string
  /** The file of this machine that holds the admin token, if there is one. */
  adminTokenFile(): string | undefined
}

/** How long a start waits for a database that may not be up, in milliseconds: long enough to tell at once what is wrong with it. */
const FIRST_LOOK = 2_000

/** Opens the store that the configuration names. Throws OperatorError where the operator can mend it. */
export const openEngine = (config: Config, logger: Logger, now: () => number): Promise<Engine> =>
  config.databaseUrl === undefined ? openEmbedded(config, now) : openPostgres(config, config.databaseUrl, logger)

const digestOf = (token: string): string => hash('sha256', token, 'hex')

async function openEmbedded(config: Config, now: () => number): Promise<Engine> {
  const directory = prepareDataDirectory(config.dataDir)
  const token = config.adminToken ?? ensureSecret(adminTokenFile(directory))
  const secrets: Secrets = {
    adminDigest: digestOf(token),
    originKey: config.originKey ?? ensureSecret(originKeyFile(directory)),
  }
  const store = await openEmbeddedStore(directory)
  return {
    store,
    limiter: await openEmbeddedLimiter(store, now),
    secrets: () => secrets,
    place: directory,
    adminTokenFile: () => (config.adminToken === undefined ? adminTokenFile(directory) : undefined),
  }
}

async function openPostgres(config: Config, url: string, logger: Logger): Promise<Engine> {
  const onReach = (lost: Error | undefined): void => {
    if (lost === undefined) logger.info({ database: placeOf(url) }, 'the database is there')
    else logger.error({ err: lost }, 'the database is away: see that PostgreSQL runs and that DATABASE_URL names it')
  }
  let secrets: Secrets | undefined
  let tokenFile: string | undefined
  const store = openPostgresStore({
    url,
    readUrl: config.databaseReadUrl,
    groupMax: config.writeGroupMax,
    onReach,
    async onOpen(connection) {
      ;({ secrets, tokenFile } = await shareSecrets(connection, config))
    },
  })
  const looked = new AbortController()
  try {
    await Promise.race([store.opened, setTimeout(FIRST_LOOK, undefined, { signal: looked.signal })])
  } catch (error) {
    await store.close()
    throw error
  } finally {
    looked.abort()
  }
  return {
    store,
    limiter: openPostgresLimiter(url),
    secrets() {
      if (secrets === undefined) throw new Problem('NOT_READY', { retryAfter: 1 })
      return secrets
    },
    place: placeOf(url),
    adminTokenFile: () => tokenFile,
  }
}

/**
 * The secrets that all nodes share. The database holds the digest of the admin token only: the token itself is written to the data
 * directory of the node that makes it. Secrets that lie in the data directory already are taken along.
 */
async function shareSecrets(
  connection: PostgresConnection,
  config: Config,
): Promise<{ secrets: Secrets; tokenFile: string | undefined }> {
  const ownKey = originKeyFile(config.dataDir)
  const originKey =
    config.originKey ?? (await shareOriginKey(connection, existsSync(ownKey) ? ensureSecret(ownKey) : undefined))
  if (config.adminToken !== undefined) {
    return { secrets: { adminDigest: digestOf(config.adminToken), originKey }, tokenFile: undefined }
  }
  const known = await findTokenDigest(connection)
  const path = adminTokenFile(config.dataDir)
  if (known !== undefined && !existsSync(path))
    return { secrets: { adminDigest: known, originKey }, tokenFile: undefined }
  prepareDataDirectory(config.dataDir)
  const made = !existsSync(path)
  const ownDigest = digestOf(ensureSecret(path))
  const adminDigest = known ?? (await shareTokenDigest(connection, ownDigest))
  const ours = adminDigest === ownDigest
  if (made && !ours) rmSync(path)
  return { secrets: { adminDigest, originKey }, tokenFile: ours ? path : undefined }
}

/** The database without its password. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `PostgreSQL ${hostname || 'local'}${port === '' ? '' : `:${port}`}${pathname}`
}
