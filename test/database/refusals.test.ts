import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ProblemCode } from '../../src/contract/problem.ts'
import { sql, type Transaction } from '../../src/engine/database.ts'
import { transact } from '../../src/engine/sqlite.ts'
import { tokenHash } from '../../src/memory/actors/rules.ts'
import { createContexts } from '../../src/memory/commands.ts'
import type { Caller, WriteName } from '../../src/memory/operation.ts'
import { runWrite } from '../../src/memory/run.ts'
import { openEmbedded } from './bare-store.ts'

const COOLDOWN = 3_000
const TEN_DAYS = 10 * 86_400_000
const NIL = '00000000-0000-0000-0000-000000000000'
const SEAL = Buffer.alloc(32).toString('base64url')
const TEXT = { title: 'Title', summary: 'Summary', content: 'Content' }

type Attempt = { name: WriteName; caller: Caller; body: object; slug?: string; key?: string }
type Watch = (tx: Transaction) => Transaction

let networks = 0
/** A caller from a network that was not seen before. */
const stranger = (actor: number | null = null, token?: string): Caller => {
  const id = `origin-${++networks}`
  const hash = token === undefined ? undefined : tokenHash(token)
  return {
    requestId: 'r',
    actor,
    tokenHash: hash,
    origin: { id, day: '2026-01-01', networkKey: `network-${networks}`, voice: id },
  }
}

/** A store with operations under a cooldown, whose clock moves only by `advance`. */
async function openWorld(t: TestContext) {
  const { connection } = await openEmbedded(t)
  const contextOf = createContexts()
  let at = 1_000_000
  const perform = async ({ name, slug = '', body, caller, key }: Attempt, watch: Watch = tx => tx): Promise<object> => {
    const idempotency = key === undefined ? {} : { idempotency: { id: key, request: 'asked', seal: SEAL } }
    const request = { params: { slug, id: slug }, body, caller, ...idempotency }
    const context = contextOf({ at, cooldown: COOLDOWN, dataClass: 'EXTERNAL' })
    return (await transact(connection, tx => runWrite(name, watch(tx), context, request))).body
  }
  const pass = (milliseconds: number): void => {
    at += milliseconds
  }
  const settled = (attempt: Attempt) => {
    pass(COOLDOWN + 1)
    return perform(attempt)
  }
  return {
    connection,
    perform,
    pass,
    settled,
    async actor() {
      const { actor } = (await settled({ name: 'createActor', caller: stranger(), body: {} })) as {
        actor: { id: string }
      }
      const row = connection.one<{ number: number }>(sql`SELECT number FROM actor WHERE id = ${actor.id}`)
      return { id: actor.id, number: row?.number ?? 0 }
    },
    publish: async (caller: Caller) =>
      (await settled({ name: 'createEntry', caller, body: TEXT })) as {
        id: string
        slug: string
        currentRevisionId: string
      },
    moderate: (targetType: string, targetId: string, action: string) =>
      settled({ name: 'moderate', caller: stranger(), body: { targetType, targetId, action, reason: 'r' } }),
  }
}

/** Everything that a write can be refused for. */
async function openRefusing(t: TestContext) {
  const world = await openWorld(t)
  const { connection, settled, actor, publish, moderate } = world
  const [writer, blocked, cooling] = [await actor(), await actor(), await actor()]
  const by = () => stranger(writer.number)
  const [open, locked, hidden, crowded] = [
    await publish(by()),
    await publish(by()),
    await publish(by()),
    await publish(by()),
  ]
  const banned = by()
  await publish(banned)
  await moderate('ORIGIN', banned.origin?.id ?? '', 'BLOCK')
  const forgotten = stranger()
  await settled({ name: 'createActor', caller: forgotten, body: {} })
  connection.run(sql`UPDATE origin SET network_key = NULL WHERE id = ${forgotten.origin?.id ?? ''}`)
  await moderate('ACTOR', blocked.id, 'BLOCK')
  await moderate('ENTRY', locked.id, 'BLOCK')
  const appealed = (await moderate('ENTRY', hidden.id, 'HIDE')) as { id: string }
  await settled({ name: 'createAppeal', caller: by(), body: { decision: appealed.id, rationale: 'r' } })
  const report = { targetType: 'ENTRY', targetId: open.id, reason: 'SPAM' }
  for (let n = 0; n < 20; n++) {
    await settled({ name: 'createReport', caller: stranger(), body: { ...report, targetId: crowded.id } })
  }
  world.pass(TEN_DAYS)
  const again = stranger()
  await world.perform({ name: 'createActor', caller: again, body: {} })
  await world.perform({ name: 'createReport', caller: again, body: report })
  await world.perform({ name: 'createEntry', caller: stranger(cooling.number), body: TEXT })
  return {
    world,
    by,
    writer,
    blocked,
    cooling,
    open,
    locked,
    hidden,
    appealed,
    crowded,
    banned,
    forgotten,
    again,
    report,
  }
}

function refusals({ by, blocked, open, report, ...more }: Awaited<ReturnType<typeof openRefusing>>) {
  const { writer, cooling, locked, hidden, appealed, crowded, banned, forgotten, again } = more
  const stolen = () => stranger(writer.number, 'another token')
  const revision = { ...TEXT, changeType: 'EXPAND', rationale: 'r', previousRevisionId: open.currentRevisionId }
  const verdict = { revisionId: open.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'r' }
  const relation = { sourceEntryId: open.id, targetEntryId: open.id, relationType: 'CONNECT', rationale: 'r' }
  const sourced = { ...TEXT, sources: [{ entryId: NIL, revisionId: NIL }] }
  const objection = { revisionId: open.currentRevisionId, rationale: 'r', sourceEntryId: NIL }
  const act = { targetType: 'ORIGIN', targetId: forgotten.origin?.id, action: 'BLOCK', reason: 'r' }
  const list: [ProblemCode, WriteName, Caller, object, slug?: string][] = [
    ['ORIGIN_BLOCKED', 'createActor', { ...banned, actor: null }, {}],
    ['ACTOR_BLOCKED', 'createActor', stranger(blocked.number), {}],
    ['COOLDOWN', 'createActor', again, {}],
    ['TARGET_NOT_FOUND', 'createReport', stranger(), { ...report, targetId: NIL }],
    ['ENTRY_WITHDRAWN', 'createReport', stranger(), { ...report, targetId: hidden.id }],
    ['ALREADY_REPORTED', 'createReport', stranger(), { ...report, targetId: crowded.id }],
    ['ORIGIN_BLOCKED', 'createReport', banned, report],
    ['ACTOR_BLOCKED', 'createReport', stranger(blocked.number), report],
    ['ACTOR_TOKEN_INVALID', 'createReport', stolen(), report],
    ['COOLDOWN', 'createReport', again, report],
    ['REPORT_NOT_FOUND', 'resolveReport', stranger(), { resolution: 'ACTED' }, NIL],
    ['DECISION_NOT_FOUND', 'createAppeal', by(), { decision: NIL, rationale: 'r' }],
    ['NOT_APPEALABLE', 'createAppeal', by(), { decision: appealed.id, rationale: 'r' }],
    ['ACTOR_TOKEN_INVALID', 'createAppeal', stolen(), { decision: appealed.id, rationale: 'r' }],
    ['ACTOR_TOKEN_REQUIRED', 'createAppeal', stranger(), { decision: appealed.id, rationale: 'r' }],
    ['APPEAL_NOT_FOUND', 'moderate', stranger(), { ...act, targetType: 'ENTRY', targetId: open.id, appeal: NIL }],
    ['ACTOR_TOKEN_INVALID', 'rotateToken', stolen(), {}],
    ['ACTOR_TOKEN_INVALID', 'createEntry', stolen(), TEXT],
    ['ACTOR_TOKEN_REQUIRED', 'createEntry', stranger(), TEXT],
    ['ACTOR_BLOCKED', 'createEntry', stranger(blocked.number), TEXT],
    ['ORIGIN_BLOCKED', 'createEntry', banned, TEXT],
    ['COOLDOWN', 'createEntry', stranger(cooling.number), TEXT],
    ['SOURCE_NOT_FOUND', 'createEntry', by(), sourced],
    ['ENTRY_NOT_FOUND', 'reviseEntry', by(), revision, 'none'],
    ['ENTRY_WITHDRAWN', 'reviseEntry', by(), revision, hidden.slug],
    ['ENTRY_LOCKED', 'reviseEntry', by(), revision, locked.slug],
    ['STALE_REVISION', 'reviseEntry', by(), { ...revision, previousRevisionId: NIL }, open.slug],
    ['REVISION_NOT_FOUND', 'verifyRevision', by(), { ...verdict, revisionId: NIL }, open.slug],
    ['SOURCE_NOT_FOUND', 'contradictRevision', by(), objection, open.slug],
    ['SELF_RELATION', 'relateEntries', by(), relation],
    ['ENTRY_LOCKED', 'relateEntries', by(), { ...relation, targetEntryId: locked.id }],
    ['TARGET_NOT_FOUND', 'moderate', stranger(), { ...act, targetId: NIL }],
    ['TARGET_NOT_FOUND', 'moderate', stranger(), act],
    ['ACTION_NOT_APPLICABLE', 'moderate', stranger(), { ...act, action: 'HIDE' }],
  ]
  return list
}

test('a refused write has changed nothing, for every reason of refusal', async t => {
  const refusing = await openRefusing(t)
  const { connection, perform } = refusing.world
  for (const key of [undefined, 'key']) {
    for (const [code, name, caller, body, slug = ''] of refusals(refusing)) {
      const what = `${name} ${code}, key ${key}`
      const changes: string[] = []
      const watch: Watch = tx => ({
        one: statement => tx.one(statement),
        all: statement => tx.all(statement),
        lock: key => tx.lock(key),
        run(statement) {
          changes.push(statement.text)
          return tx.run(statement)
        },
        load(loadable) {
          changes.push('a loaded value')
          return tx.load(loadable)
        },
      })
      const before = connection.changes()
      await assert.rejects(
        perform({ name, caller, body, slug, ...(key === undefined ? {} : { key }) }, watch),
        (error: Error & { code?: string }) => error.code === code || assert.fail(`${what}: ${error.stack}`),
      )
      assert.deepEqual(changes, [], what)
      assert.equal(connection.changes(), before, what)
    }
  }
})
