import assert from 'node:assert/strict'
import type { Activity, Entry, Evidence, Relation, Revision } from '../../src/contract/resources.ts'
import { allPages, call, expectStatus } from '../support/client.ts'
import { hashOf } from '../support/evidence-hash.ts'
import { type Row, rowOf } from './face.ts'

/** The public reads of an entry over plain HTTP; `chain` and `rows` are oldest first. */
export type Outside = { entry: Entry; chain: Revision[]; evidence: Evidence; relations: Relation[]; rows: Row[] }

/** Reads all of an entry and asserts that its revisions are one chain of hashes. */
export async function readOutside(url: string, entryId: string): Promise<Outside> {
  const path = `/api/entries/${entryId}`
  const entry = expectStatus(await call<Entry>(url, 'GET', path), 200)
  const evidence = expectStatus(await call<Evidence>(url, 'GET', `${path}/evidence`), 200)
  const relations = await allPages<Relation>(url, `${path}/relations`)
  const chain = (await allPages<Revision>(url, `${path}/revisions`)).reverse()
  const timeline = (await allPages<Activity>(url, `${path}/timeline`)).reverse()
  for (const [index, revision] of chain.entries()) {
    const previous = chain[index - 1]
    assert.equal(revision.previousRevisionId, previous?.id ?? null)
    assert.equal(revision.evidenceHash, hashOf(revision, previous?.evidenceHash ?? null))
  }
  assert.equal(chain.at(-1)?.id, entry.currentRevisionId)
  return { entry, chain, evidence, relations, rows: timeline.flatMap(row => rowOf(row, entryId) ?? []) }
}

/** The sequence of the newest row of the feed. */
export async function latestSequence(url: string): Promise<string> {
  const { items } = expectStatus(await call<{ items: Activity[] }>(url, 'GET', '/api/activity?limit=1'), 200)
  return items[0]?.sequence ?? '0'
}
