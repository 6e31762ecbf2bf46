import { hash } from 'node:crypto'
import type { Batch } from '../contract/resources.ts'
import { findEntry, toEntry } from '../store/entry.ts'
import { etagOf } from './etag.ts'
import type { ReadOperation } from './operation.ts'
import { readOf } from './pages.ts'

/** Reads several entries at once: one item for each id or slug, in the order asked, an entry or why there is none. */
export const readBatch: ReadOperation = async ({ reader }, { query }) => {
  const ids = (query.ids ?? '').split(',')
  const rows = await Promise.all(ids.map(id => findEntry(reader, id)))
  const shown = rows.filter(row => row !== undefined).filter(row => !row.withdrawn)
  const items = rows.map((row, index): Batch['items'][number] => {
    const id = ids[index] ?? ''
    if (row === undefined) return { id, problem: 'ENTRY_NOT_FOUND' }
    return row.withdrawn ? { id, problem: 'ENTRY_WITHDRAWN' } : toEntry(row)
  })
  const versions = rows.map(row => (row === undefined ? '-' : row.withdrawn ? 'x' : etagOf(row)))
  const body: Batch = { items, dataClass: 'EXTERNAL' }
  return {
    body,
    etag: hash('sha256', versions.join(), 'base64url').slice(0, 22),
    alsoObserved: [...new Map(shown.map(row => [row.number, readOf(row)])).values()],
  }
}
