import { type LogReads, readCheckpoint, readLogKeys, readTile } from '../../operations/log/read-log.ts'
import { TEXT_TYPE } from '../../web/content-types.ts'
import type { createAdmission } from '../pipeline/admission.ts'
import { admitted } from '../pipeline/admission.ts'
import { READING, type Router } from '../router.ts'

type LogDocument = { type: string; cache: string; read(log: LogReads, path: string): Promise<string | Buffer> }

/** The files of the public log by route (c2sp.org/tlog-tiles). Tiles and bundles contain only hashes, so moderation never changes them. */
const logDocuments = (witnessKeys: string): Readonly<Record<string, LogDocument>> => ({
  '/log/checkpoint': { type: TEXT_TYPE, cache: 'public, max-age=1', read: readCheckpoint },
  '/log/keys': {
    type: TEXT_TYPE,
    cache: 'public, max-age=60',
    read: async log => (await readLogKeys(log)) + witnessKeys,
  },
  '/log/tile/*': {
    type: 'application/octet-stream',
    cache: 'public, max-age=31536000, immutable',
    read: (log, path) => readTile(log, path.replace(/^\/log\//, '')),
  },
})

/** Serves the files of the public log, charged as reads. `witnessKeys` are served after the keys of the log. */
export function routeLog(
  router: Router,
  admit: ReturnType<typeof createAdmission>,
  log: LogReads,
  witnessKeys = '',
): void {
  for (const [path, { type, cache, read }] of Object.entries(logDocuments(witnessKeys))) {
    const answer = admitted(
      exchange => admit('readDiscovery', exchange, ''),
      async (_admitted, exchange) => {
        const bytes = Buffer.from(await read(log, exchange.path))
        exchange.set({ 'cache-control': cache, 'content-type': type }).send(200, bytes)
      },
    )
    router.add({ name: path, methods: READING, path, answer })
  }
}
