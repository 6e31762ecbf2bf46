import type { Config } from './config.ts'
import { prepareDataDirectory } from './embedded/data-directory.ts'
import { openEmbeddedLimiter } from './embedded/limiter.ts'
import { openEmbeddedStore } from './embedded/store.ts'
import type { Engine } from './engine.ts'
import { adminTokenFile, digestOf, ensureSecret, originKeyFile, type Secrets } from './secrets.ts'

/** Opens the embedded store in the data directory. Throws OperatorError where the operator can mend it. */
export async function openEmbedded(config: Config, now: () => number): Promise<Engine> {
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
