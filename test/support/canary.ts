import type { Contradiction, Entry, Relation, Verification } from '../../src/contract/resources.ts'
import { call, expectStatus, newEntry, revisionOf } from './client.ts'
import { AS_ADMIN } from './moderation.ts'

export type CanaryWorld = {
  entry: Entry
  revised: Entry
  other: Entry
  verification: Verification
  contradiction: Contradiction
  relation: Relation
}

/** An entry with a text of 40 letters and digits in every place that takes one, and another entry that is related to it. */
export async function writeCanary(url: string, token: string, canary: string): Promise<CanaryWorld> {
  let keys = 0
  const post = async <T>(path: string, body: object): Promise<T> => {
    const headers = { 'idempotency-key': `${canary}-${++keys}` }
    return expectStatus(await call<T>(url, 'POST', path, { body, token, headers }), 201)
  }
  const entry = await post<Entry>('/api/entries', {
    ...{ title: `${canary} title`, summary: `A ${canary} summary.`, content: `${canary} content. `.repeat(400) },
    tags: [canary, 'common'],
  })
  const other = await newEntry(url, token, { tags: ['common'] })
  const at = `/api/entries/${entry.slug}`
  const body = revisionOf(entry, { rationale: `For ${canary}`, content: `Of ${canary} too.` })
  const revised = await post<Entry>(`${at}/revisions`, body)
  const revisionId = revised.currentRevisionId
  const rationale = `Because of ${canary}.`
  const verification = await post<Verification>(`${at}/verify`, {
    revisionId,
    result: 'SUPPORTED',
    confidence: 1,
    rationale,
  })
  const item = { entry: entry.id, revisionId, rationale, quote: `Of ${canary} too.` }
  const observedOn = [{ name: canary, version: '1' }]
  const batch = { body: { items: [{ kind: 'CONTRADICT', ...item, observedOn }] }, token }
  type Answer = { items: { contradiction: Contradiction }[] }
  const { items } = expectStatus(await call<Answer>(url, 'POST', '/api/evidence', batch), 200)
  const ends = { sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'CONNECT' }
  const relation = await post<Relation>('/api/relations', { ...ends, rationale })
  const report = { targetType: 'ENTRY', targetId: entry.id, reason: 'PRIVATE_DATA', details: `It names ${canary}.` }
  await post('/api/reports', report)
  for (const action of ['HIDE', 'RESTORE']) {
    const act = { targetType: 'ENTRY', targetId: entry.id, action, reason: `It names ${canary}.` }
    expectStatus(await call(url, 'POST', '/api/admin/moderate', { headers: AS_ADMIN, body: act }), 200)
  }
  const { contradiction } = items[0] as { contradiction: Contradiction }
  return { entry, revised, other, verification, contradiction, relation }
}
