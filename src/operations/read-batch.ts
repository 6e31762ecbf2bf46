import { hash } from 'node:crypto'
import { Problem } from '../contract/problems.ts'
import type { Missing } from '../contract/resources.ts'
import type { ServedEntry } from './entry-cache.ts'
import { octetsOf } from './octets.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** Reads several entries at once: one item for each id or slug, in the order asked, an entry or why there is none. */
export const readBatch: ReadOperation = async ({ entries }, { query }) => {
  const found = await Promise.all((query.ids ?? '').split(',').map(id => readOrMissing(entries, id)))
  const octets = found.map(one => ('octets' in one ? one.octets : octetsOf(JSON.stringify(one))))
  const versions = found.map(one => ('octets' in one ? one.etag : one.problem))
  const read = new Map(found.flatMap(one => ('octets' in one ? [[one.number, one.revision] as const] : [])))
  return {
    octets: `{"items":[${octets.join(',')}],"dataClass":"EXTERNAL"}`,
    etag: hash('sha256', versions.join(), 'base64url').slice(0, 22),
    alsoObserved: [...read].map(([entry, revision]) => ({ action: 'READ', entry, revision, metadata: null })),
  }
}

async function readOrMissing(entries: Reads['entries'], id: string): Promise<ServedEntry | Missing> {
  try {
    return await entries.read(id)
  } catch (error) {
    const code = error instanceof Problem ? error.code : undefined
    if (code === 'ENTRY_NOT_FOUND' || code === 'ENTRY_WITHDRAWN') return { id, problem: code }
    throw error
  }
}
