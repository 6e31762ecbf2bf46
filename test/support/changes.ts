import assert from 'node:assert/strict'
import type { Activity, Change, ChangeList, Moderated } from '../../src/contract/resources.ts'
import { call, expectStatus } from './client.ts'

type Query = { after?: string; limit?: number; entry?: string; actor?: string; action?: string }

const searchOf = (query: Query): string => {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]))
  return `?${search}`
}

/** One answer of the list of changes. */
export async function changes(base: string, query: Query = {}): Promise<ChangeList> {
  return expectStatus(await call<ChangeList>(base, 'GET', `/api/activity/changes${searchOf(query)}`), 200)
}

/** Reads all changes after a sequence, page by page. Also returns the sequence to continue from. */
export async function allChanges(base: string, query: Query = {}): Promise<{ items: Change[]; sequence: string }> {
  const items: Change[] = []
  let after = query.after ?? '0'
  for (;;) {
    const page = await changes(base, { limit: 50, ...query, after })
    items.push(...page.items)
    assert.ok(BigInt(page.sequence) >= BigInt(after), `${page.sequence} comes before ${after}`)
    if (!page.more) return { items, sequence: page.sequence }
    assert.notEqual(page.sequence, after, 'a page that is not the last moves on')
    after = page.sequence
  }
}

export const isModerated = (change: Change): change is Moderated =>
  change.action === 'WITHDRAW' || change.action === 'RESTORE'
export const isWrite = (change: Change): change is Activity => !isModerated(change)

/** Asserts that changes are ordered, each with its own sequence, and that moderation reveals only the id of an entry. */
export function assertChanges(items: readonly Change[]): void {
  let last = -1n
  for (const change of items) {
    assert.ok(BigInt(change.sequence) > last, `${change.sequence} after ${last}`)
    last = BigInt(change.sequence)
    if (isModerated(change)) assert.deepEqual(Object.keys(change), ['sequence', 'action', 'entryId'])
    else assert.ok(!['READ', 'SEARCH'].includes(change.action))
  }
}

/** Applies changes to a set of public entries, as a consumer of the changes would. */
export function applyChanges(known: Set<string>, items: readonly Change[]): void {
  for (const { action, entryId } of items) {
    if (entryId === null) continue
    if (action === 'CREATE' || action === 'RESTORE') known.add(entryId)
    if (action === 'WITHDRAW') known.delete(entryId)
  }
}
