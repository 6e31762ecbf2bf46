import { Problem } from '../../contract/problem.ts'
import type { Missing } from '../../contract/resources.ts'
import type { Reader } from '../../database/database.ts'
import { shortDigest } from '../../domain/short-digest.ts'
import { isUuid } from '../../domain/uuid.ts'
import { findRevisionById, toRevision } from '../../store/revision.ts'
import { encodeJson } from '../encoded-json.ts'
import type { ReadOperation, Reads } from '../operation.ts'
import type { ServedEntry } from './entry-cache.ts'

/** Reads entries or exact revisions: one item per id or slug, in the requested order. A missing one is an item with its problem. */
export const readBatch: ReadOperation<'readBatch'> = async (reads, { query }) => {
  const found = await Promise.all(query.ids.split(',').map(id => readOrMissing(reads, id)))
  await reads.yieldIfOverBudget()
  const json = found.map(one => ('json' in one ? one.json : encodeJson(JSON.stringify(one))))
  const versions = found.map(one => ('json' in one ? one.etag : one.problem))
  const read = new Map(found.flatMap(one => ('json' in one ? [[one.number, one.revision] as const] : [])))
  return {
    json: `{"items":[${json.join(',')}],"dataClass":"EXTERNAL"}`,
    etag: shortDigest(versions.join()),
    alsoObserved: [...read].map(([entry, revision]) => ({ action: 'READ', entry, revision, metadata: null })),
  }
}

async function readOrMissing({ entries, reader, yieldIfOverBudget }: Reads, id: string): Promise<Served | Missing> {
  await yieldIfOverBudget()
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

type Served = Pick<ServedEntry, 'number' | 'revision' | 'etag' | 'json'>

/** A revision of a public entry by its id, as it is sent, or the problem if its entry was withdrawn. */
async function findServedRevision(reader: Reader, id: string): Promise<Served | Missing | undefined> {
  const row = await findRevisionById(reader, id)
  if (row === undefined) return undefined
  if (row.withdrawn === 1) return { id, problem: 'ENTRY_WITHDRAWN' }
  const revision = toRevision(row)
  const json = encodeJson(JSON.stringify(revision))
  return { number: row.entry, revision: row.number, etag: revision.evidenceHash, json }
}
