import { hash } from 'node:crypto'
import { Problem } from '../contract/problems.ts'
import type { Batch, Missing } from '../contract/resources.ts'
import { octetsOf, type ServedEntry } from './entry-cache.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** Reads several entries at once: one item for each id or slug, in the order asked, an entry or why there is none. */
export const readBatch: ReadOperation = async ({ entries }, { query }) => {
  const found = await Promise.all((query.ids ?? '').split(',').map(id => readOrMissing(entries, id)))
  const items = found.map(one => ('entry' in one ? one.entry : one))
  const octets = found.map(one => ('entry' in one ? one.octets : octetsOf(JSON.stringify(one))))
  const versions = found.map(one => ('entry' in one ? one.etag : one.problem))
  const read = new Map(found.flatMap(one => ('entry' in one ? [[one.number, one.revision] as const] : [])))
  const body: Batch = { items, dataClass: 'EXTERNAL' }
  return {
    body,
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
