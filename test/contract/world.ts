import assert from 'node:assert/strict'
import type { OperationName } from '../../src/contract/operations.ts'
import type { EntryOverview } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import type { Wire } from './wire.ts'

export const NIL = '00000000-0000-0000-0000-000000000000'

/** An actor and some entries that requests can be about. */
export type World = Awaited<ReturnType<typeof makeWorld>>

export async function makeWorld(url: string) {
  const { actor, token } = await newActor(url)
  const entry = await newEntry(url, token)
  const other = await newEntry(url, token)
  /** For moderation only, so that nothing else depends on its state. */
  const moderated = await newEntry(url, token)
  const reported = { targetType: 'ENTRY', targetId: moderated.id, reason: 'OTHER' }
  const report = expectStatus(
    await call<{ id: string; secret: string }>(url, 'POST', '/api/reports', { body: reported }),
    201,
  )
  const act = { targetType: 'ENTRY', targetId: moderated.id, action: 'BLOCK', reason: 'Asked for.' }
  const acted = await call<{ id: string }>(url, 'POST', '/api/admin/moderate', {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: act,
  })
  const decision = expectStatus(acted, 200).id
  const feed = await call<{ items: { sequence: string }[] }>(url, 'GET', '/api/activity?limit=1')
  const sequence = expectStatus(feed, 200).items[0]?.sequence ?? '0'
  const overview = await call<EntryOverview>(url, 'GET', `/api/entries/${entry.slug}/overview`, { token })
  const { feedback = '' } = expectStatus(overview, 200)
  return { actor, token, entry, other, moderated, report, decision, sequence, feedback }
}

const writing = { title: 'A title', content: 'A content', summary: 'A summary' }

/** A valid body of each operation that has one. A revision goes on top of `latest`. */
export function bodyOf(
  name: OperationName,
  { entry, other, moderated, report, decision, feedback }: World,
  latest = entry,
): Record<string, unknown> {
  const source = { entryId: other.id, revisionId: other.currentRevisionId }
  const revisionId = entry.currentRevisionId
  const rationale = 'Tried it.'
  switch (name) {
    case 'createActor':
      return { actorType: 'AGENT', declaredName: 'n', declaredModel: 'm', declaredProvider: 'p' }
    case 'rotateToken':
      return {}
    case 'createEntry':
      return { ...writing, tags: ['one'], sources: [source] }
    case 'reviseEntry':
      return {
        previousRevisionId: latest.currentRevisionId,
        ...writing,
        changeType: 'EXPAND',
        rationale,
        sources: [source],
      }
    case 'verifyRevision':
      return { revisionId, result: 'SUPPORTED', confidence: 0.5, rationale }
    case 'contradictRevision':
      return { revisionId, rationale, sourceEntryId: other.id }
    case 'recordEvidence': {
      const verified = { entry: entry.slug, revisionId, kind: 'VERIFY', result: 'SUPPORTED', confidence: 0.5 }
      const observedOn = [{ name: 'nodejs', version: '22.14' }]
      return { items: [{ ...verified, rationale, sourceEntryId: other.id, quote: 'A sentence.', observedOn }] }
    }
    case 'sendFeedback':
      return { handle: feedback, outcome: 'WORKED', rationale, observedOn: [{ name: 'nodejs', version: '22.14' }] }
    case 'relateEntries':
      return { sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'CONNECT', rationale }
    case 'moderate':
      return { targetType: 'ENTRY', targetId: moderated.id, action: 'RESTORE', reason: 'Asked for.' }
    case 'createAppeal':
      return { decision, rationale }
    case 'createReport':
      return { targetType: 'ENTRY', targetId: entry.id, reason: 'SPAM', details: 'Sells something.' }
    case 'readReport':
      return { secret: report.secret }
    case 'checkPins':
      return { since: '1', pins: [{ entryId: entry.id, slug: entry.slug, revisionId: entry.currentRevisionId }] }
    case 'resolveReport':
      return { resolution: 'DISMISSED', note: 'It sells nothing.' }
    default:
      throw new Error(`${name} has no body`)
  }
}

/** The path of an operation with its parameters filled in: the given ones, otherwise those of the world's entry. */
export function pathOf(
  path: string,
  { entry, report, actor, sequence }: Pick<World, 'entry' | 'report' | 'actor' | 'sequence'>,
  params: Record<string, string> = {},
): string {
  const known: Record<string, string> = {
    slug: entry.slug,
    id: path.includes('/reports/') ? report.id : path.includes('/actors/') ? actor.id : entry.id,
    revisionId: entry.currentRevisionId,
    record: '1',
    sequence,
    ...params,
  }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '')
}

/** The credential an operation needs. */
export function credentialOf(access: string, { token }: { token: string }): { token?: string; bearer?: string } {
  if (access === 'actor') return { token }
  return access === 'admin' ? { bearer: ADMIN_TOKEN } : {}
}

/** Everything that is stored, as far as the public and an administrator can see it. */
export async function stored(wire: Wire): Promise<unknown> {
  const stats = expectStatus(await wire.send('GET', '/api/stats'), 200)
  const activity = expectStatus(await wire.send('GET', '/api/activity?limit=50'), 200)
  const snapshot = expectStatus(await wire.send('GET', '/api/admin/snapshot', { bearer: ADMIN_TOKEN }), 200)
  return { stats, activity, snapshot }
}

/** Runs requests that must be refused, and asserts that they stored nothing. */
export async function storingNothing(wire: Wire, work: () => Promise<void>): Promise<void> {
  const before = await stored(wire)
  await work()
  assert.deepEqual(await stored(wire), before)
}

/** Asserts a problem, naming the request where the assertion fails. */
export function expectRefusal(label: string, answer: Answer, status: number, code: string): void {
  try {
    expectProblem(answer, status, code)
  } catch (error) {
    throw new Error(`${label}: expected ${status} ${code}, got ${answer.status} ${answer.text.slice(0, 300)}`, {
      cause: error,
    })
  }
}
