import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { GroupCommit } from '../engine/group-commit.ts'
import { migrate } from '../engine/migrate.ts'
import { openSqlite, sqliteSession } from '../engine/sqlite.ts'
import { createContexts } from '../memory/commands.ts'
import { insertHead } from '../memory/head-rows.ts'
import { MAINTENANCE, WRITES } from '../memory/run.ts'
import type { WriteEnvironment } from '../memory/store.ts'
import { createLogAnswers } from './answers.ts'
import type { LogStep } from './rows.ts'
import { TILE_WIDTH } from './verify/tile.js'

const ENVIRONMENT: WriteEnvironment = { at: Date.parse('2026-01-01'), cooldown: 0, dataClass: 'EXTERNAL' }
const BUNDLES = 3

/** The turns of the event loop during a work. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  try {
    return { result: await work, turns }
  } finally {
    clearImmediate(timer)
  }
}

test('a comparison of the whole log lets other work of its thread run after each bundle, and a step does not wait for it', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-answers-'))
  const store = openSqlite(join(directory, 'store.db'), 'write')
  t.after(() => {
    store.close()
    rmSync(directory, { recursive: true })
  })
  migrate(store, 1)
  await insertHead(store, 'store')
  const commits = new GroupCommit(sqliteSession(store))
  const context = createContexts()(ENVIRONMENT)
  const caller = { requestId: 'r', actor: 1, origin: null }
  await commits.write(tx => WRITES.createActor(tx, context, { params: {}, body: {}, caller }))
  const begin = { origin: 'example/log/1', keys: '', agreed: 0, checkpoint: null }
  await commits.write(tx => MAINTENANCE.settleLog(tx, context, { after: -1, storeEpoch: 0, begin }))
  const create = (n: number) => {
    const body = { title: `Title ${n}`, summary: 'Summary', content: 'Content' }
    return commits.write(tx => WRITES.createEntry(tx, context, { params: {}, body, caller }))
  }
  await Promise.all(Array.from({ length: BUNDLES * TILE_WIDTH }, (_, n) => create(n)))
  const answer = createLogAnswers({ reader: async () => store, headFile: join(directory, 'log-head'), alone: true })

  const step = await turnsDuring(answer({ ask: 'step', most: BUNDLES * TILE_WIDTH }))
  assert.equal(step.turns, 0)
  await commits.write(tx => MAINTENANCE.extendLog(tx, context, step.result as LogStep))
  const compared = await turnsDuring(answer({ ask: 'agreed', signed: [] }))
  assert.equal(compared.result, BUNDLES * TILE_WIDTH)
  assert.ok(compared.turns >= BUNDLES, `${compared.turns} turns`)
})
