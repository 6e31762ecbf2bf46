import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { prepareDataDirectory } from './embedded/data-directory.ts'
import { indexFile } from './embedded/files.ts'
import { openEmbeddedLimiter } from './embedded/limiter.ts'
import type { IndexNotice } from './embedded/protocol.ts'
import { openEmbeddedStore } from './embedded/store.ts'
import type { Engine } from './engine.ts'
import { adminTokenFile, digestOf, ensureSecret, originKeyFile, type Secrets } from './secrets.ts'

/** Opens the embedded store in the data directory. Throws OperatorError where the operator can mend it. */
export async function openEmbedded(config: Config, logger: Logger, now: () => number): Promise<Engine> {
  const directory = prepareDataDirectory(config.dataDir)
  const token = config.adminToken ?? ensureSecret(adminTokenFile(directory))
  const secrets: Secrets = {
    adminDigest: digestOf(token),
    originKey: config.originKey ?? ensureSecret(originKeyFile(directory)),
  }
  const store = await openEmbeddedStore(directory, sayIndex(logger, indexFile(directory)))
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

const HELD = {
  full: 'the search index cannot be written and searches are refused: the disk is full; free some space',
  locked: 'the search index cannot be written and searches are refused: another process has it locked; end that one',
}

/** Says what keeps the search index from being written; it is tried again by itself. */
const sayIndex =
  (logger: Logger, file: string) =>
  ({ held }: IndexNotice): void => {
    if (held === undefined) logger.info({ file }, 'the search index is written again')
    else logger.error({ file }, HELD[held])
  }
