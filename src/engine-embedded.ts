import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { prepareDataDirectory } from './embedded/data-directory.ts'
import { indexFile } from './embedded/files.ts'
import { openEmbeddedLimiter } from './embedded/limiter.ts'
import { openEmbeddedStore } from './embedded/store.ts'
import type { Engine } from './engine.ts'
import { makeLogKey, privateKeysOf } from './log/log-key.ts'
import { reportIndex } from './report-index.ts'
import { adminTokenFile, digestOf, ensureSecret, logKeyFile, originKeyFile, type Secrets } from './secrets.ts'

/** Opens the embedded store in the data directory. Throws OperatorError where the operator can mend it. */
export async function openEmbedded(config: Config, logger: Logger, now: () => number): Promise<Engine> {
  const directory = prepareDataDirectory(config.dataDir)
  const token = config.adminToken ?? ensureSecret(adminTokenFile(directory))
  const secrets: Secrets = {
    adminDigest: digestOf(token),
    originKey: config.originKey ?? ensureSecret(originKeyFile(directory)),
    logKey: config.logKey ?? ensureSecret(logKeyFile(directory), makeLogKey),
  }
  privateKeysOf(secrets.logKey, config.logKey === undefined ? logKeyFile(directory) : 'LOG_KEY')
  const store = await openEmbeddedStore(directory, reportIndex(logger, indexFile(directory)))
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
  }
}
