import { hash } from 'node:crypto'
import { Problem } from '../contract/problem.ts'
import type { Missing } from '../contract/resources.ts'
import type { Reader } from '../database/database.ts'
import { isUuid } from '../domain/uuid.ts'
import { findRevisionById, toRevision } from '../store/revision.ts'
import type { ServedEntry } from './entry-cache.ts'
import { octetsOf } from './octets.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** Reads several entries or exact revisions at once: one item for each id or slug, in the order asked, or why there is none. */
export const readBatch: ReadOperation = async (reads, { query }) => {
  const found = await Promise.all((query.ids ?? '').split(',').map(id => readOrMissing(reads, id)))
  const octets = found.map(one => ('octets' in one ? one.octets : octetsOf(JSON.stringify(one))))
  const versions = found.map(one => ('octets' in one ? one.etag : one.problem))
  const read = new Map(found.flatMap(one => ('octets' in one ? [[one.number, one.revision] as const] : [])))
  return {
    octets: `{"items":[${octets.join(',')}],"dataClass":"EXTERNAL"}`,
    etag: hash('sha256', versions.join(), 'base64url').slice(0, 22),
    alsoObserved: [...read].map(([entry, revision]) => ({ action: 'READ', entry, revision, metadata: null })),
  }
}

async function readOrMissing({ entries, reader }: Reads, id: string): Promise<Served | Missing> {
  try {
    return await entries.read(id)
  } catch (error) {
    const code = error instanceof Problem ? error.code : undefined
    const revision = code === 'ENTRY_NOT_FOUND' && isUuid(id) ? await findServedRevision(reader, id) : undefined
    if (revision !== undefined) return revision
    if (code === 'ENTRY_NOT_FOUND' || code === 'ENTRY_WITHDRAWN') return { id, problem: code }
    throw error
  }
}

type Served = Pick<ServedEntry, 'number' | 'revision' | 'etag' | 'octets'>

/** A revision of a public entry by its id, as it is sent; why there is none where its entry was withdrawn. */
async function findServedRevision(reader: Reader, id: string): Promise<Served | Missing | undefined> {
  const row = await findRevisionById(reader, id)
  if (row === undefined) return undefined
  if (row.withdrawn === 1) return { id, problem: 'ENTRY_WITHDRAWN' }
  const revision = toRevision(row)
  const octets = octetsOf(JSON.stringify(revision))
  return { number: row.entry, revision: row.number, etag: revision.evidenceHash, octets }
}
