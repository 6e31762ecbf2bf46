import type { Contradiction, Entry, ExportLine, Relation, Verification } from '../../src/contract/resources.ts'
import { readHead } from '../../src/memory/head-rows.ts'
import { type Checkpoint, parseCheckpoint, parseNote } from '../../src/tlog/verify/note.js'
import type { TestApp } from './app.ts'
import { call, expectStatus, newEntry, revisionOf } from './client.ts'
import { moderate } from './moderation.ts'
import { eventually } from './process.ts'

/** Maximum time to wait for a checkpoint, in milliseconds. */
const PATIENCE = 60_000

export type SignedCheckpoint = Checkpoint & { note: string }

/** The newest checkpoint of a service, once it covers `size` records. */
export const checkpointOf = (url: string, size: number): Promise<SignedCheckpoint> =>
  eventually(`a checkpoint of ${size} records at ${url}`, PATIENCE, async () => {
    const { status, text } = await call(url, 'GET', '/log/checkpoint')
    const found = status === 200 ? { note: text, ...parseCheckpoint(parseNote(text).text) } : undefined
    return found !== undefined && found.size >= size ? found : undefined
  })

/** The newest checkpoint of a service, once it covers every record that is committed now. */
export const signedCheckpoint = async ({ store, url }: Pick<TestApp, 'store' | 'url'>): Promise<SignedCheckpoint> =>
  checkpointOf(url, (await readHead(store.reader)).record)

export type World = {
  entry: Entry
  revised: Entry
  other: Entry
  verification: Verification
  contradiction: Contradiction
  relation: Relation
}

/** One record of each kind: two entries, a revision, a verification, a contradiction, a relation and two acts of moderation. */
export async function makeWorld(url: string, token: string): Promise<World> {
  const post = async <T>(path: string, body: object): Promise<T> =>
    expectStatus(await call<T>(url, 'POST', path, { body, token }), 201)
  const entry = await newEntry(url, token, { tags: ['sea', 'fox'] })
  const revised = await post<Entry>(`/api/entries/${entry.slug}/revisions`, revisionOf(entry))
  const other = await newEntry(url, token)
  const revisionId = revised.currentRevisionId
  const at = `/api/entries/${entry.slug}`
  const judged = { revisionId, result: 'SUPPORTED', confidence: 0.9, rationale: 'Tried it.' }
  const verification = await post<Verification>(`${at}/verify`, judged)
  const contradiction = await post<Contradiction>(`${at}/contradict`, {
    ...{ revisionId, rationale: 'It fails.', sourceEntryId: other.id },
  })
  const relation = await post<Relation>('/api/relations', {
    ...{ sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'CONNECT', rationale: 'Both.' },
  })
  await moderate(url, 'ENTRY', other.id, 'BLOCK', 'UNBLOCK')
  return { entry, revised, other, verification, contradiction, relation }
}

/** All lines of the export, and the number of answers that contained them. */
export async function readExport(url: string): Promise<{ lines: ExportLine[]; answers: number }> {
  const lines: ExportLine[] = []
  for (let from = '1', answers = 1; ; answers++) {
    const { text } = await call(url, 'GET', `/api/export?from=${from}`)
    const part = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as ExportLine)
    lines.push(...part)
    const last = part.at(-1)
    if (last?.head !== undefined || last?.next === undefined) return { lines, answers }
    from = last.next
  }
}
