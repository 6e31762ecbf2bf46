import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { type Engine, NEW_STORE_MADE, reportIndex } from './engine.ts'
import { readHead } from './memory/head-rows.ts'
import { OperatorError } from './operator-error.ts'
import {
  adminTokenFile,
  changeOfOriginKey,
  digestOf,
  digestOfOriginKey,
  ensureSecret,
  logKeyFile,
  originKeyFile,
  type Secrets,
  TokenFile,
} from './secrets.ts'
import {
  assertStoreNotLost,
  indexFile,
  noteOriginKey,
  prepareDataDirectory,
  storeFile,
} from './stores/embedded/directory.ts'
import { openEmbeddedLimiter, openEmbeddedStore } from './stores/embedded/store.ts'
import { applyLedgers, ERASED_BYTES_LEFT, saveErased } from './stores/erasure-ledger.ts'
import { makeLogKey, privateKeysOf } from './tlog/key-files.ts'

/** Opens the embedded store in the data directory. Throws OperatorError for mistakes of the operator. */
export async function openEmbedded(
  config: Config,
  logger: Logger,
  now: () => number,
  lock?: Disposable,
): Promise<Engine> {
  const isNew = !existsSync(storeFile(resolve(config.dataDir)))
  if (isNew && config.newStore === 'refused') {
    throw new OperatorError(
      `There is no store in ${resolve(config.dataDir)}, and NEW_STORE is "refused"; mount or restore the directory, or set NEW_STORE to "allowed" to begin an empty store.`,
    )
  }
  const directory = prepareDataDirectory(config.dataDir)
  const isNewKey = config.originKey === undefined && !existsSync(originKeyFile(directory))
  const secrets = openSecrets(config, directory)
  const store = await openEmbeddedStore(directory, {
    onIndex: reportIndex(logger, indexFile(directory)),
    onAside: sentence => logger.warn(sentence),
    onErased: reader => saveErased(ledgersOf(config, directory), reader),
    lock,
  })
  await applyLedgers(ledgersOf(config, directory), store, now(), fault =>
    logger.error({ err: fault }, ERASED_BYTES_LEFT),
  ).catch(async error => {
    await store.close()
    throw error
  })
  const digest = digestOfOriginKey(secrets.originKey)
  const warning = changeOfOriginKey({ digest, isNewKey, isNewStore: isNew }, noteOriginKey(directory, digest))
  if (warning !== undefined) logger.warn({ file: originKeyFile(directory) }, warning)
  if (isNew) {
    const { store_id: storeId } = await readHead(store.reader)
    logger.info({ file: storeFile(directory), storeId }, NEW_STORE_MADE)
  }
  const limiter = await openEmbeddedLimiter(store, now).catch(async error => {
    await store.close()
    throw error
  })
  return {
    store,
    limiter,
    secrets: () => secrets,
    place: directory,
    adminTokenFile: () => (config.adminToken === undefined ? adminTokenFile(directory) : undefined),
    async close() {
      await limiter.close()
      await store.close()
    },
  }
}

/** The directories with a ledger of erasures. */
const ledgersOf = ({ backupDir }: Config, directory: string): string[] =>
  backupDir === undefined ? [directory] : [directory, backupDir]

/** The secrets of the settings, or of files of the data directory. "palimpsest rotate-admin-token" may replace the admin token. */
function openSecrets({ adminToken, originKey, tlogKey }: Config, directory: string): Secrets {
  // Keys that are made here would not fit a store that is not complete.
  assertStoreNotLost(directory)
  const file = adminToken === undefined ? new TokenFile(adminTokenFile(directory)) : undefined
  const configured = digestOf(adminToken ?? '')
  const logKey = tlogKey ?? ensureSecret(logKeyFile(directory), makeLogKey)
  privateKeysOf(logKey, tlogKey === undefined ? logKeyFile(directory) : 'TLOG_KEY')
  return {
    get adminDigest() {
      return file?.digest() ?? configured
    },
    originKey: originKey ?? ensureSecret(originKeyFile(directory)),
    logKey,
  }
}
