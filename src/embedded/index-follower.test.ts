import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createWriteQueue } from '../database/write-queue.ts'
import { createContexts } from '../operations/context.ts'
import { WRITES } from '../operations/index.ts'
import type { Terms } from '../operations/store.ts'
import { openStoreForWriting } from './create.ts'
import { indexFile } from './files.ts'
import { followChanges } from './index-follower.ts'
import { indexedRecord, openIndexForWriting } from './search-index.ts'

const TERMS: Terms = { at: Date.parse('2026-01-01'), cooldown: 0, dataClass: 'EXTERNAL' }
const ENTRIES = 5

test('what was read beside what was asked for is not put into the index a second time', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-follower-'))
  const store = await openStoreForWriting(directory)
  const index = openIndexForWriting(indexFile(directory), 'store', 0)
  try {
    const write = createWriteQueue(store, { onGroup() {}, onCommitting() {}, onCommit() {}, onEnd() {} })
    const contextOf = createContexts()
    const caller = { requestId: 'r', actor: 1, origin: null }
    await write(tx => WRITES.createActor(tx, contextOf(TERMS), { params: {}, body: {}, caller }))
    for (let n = 0; n < ENTRIES; n++) {
      const body = { title: `Title ${n}`, summary: 'Summary', content: 'Content' }
      await write(tx => WRITES.createEntry(tx, contextOf(TERMS), { params: {}, body, caller }))
    }
    const reached: number[] = []
    // Of the five records two were told when the others were committed.
    followChanges(store, index, 0, 2, record => reached.push(record) > 0)
    assert.deepEqual(reached, [ENTRIES])
    assert.equal(indexedRecord(index), ENTRIES)
  } finally {
    index.close()
    store.close()
    rmSync(directory, { recursive: true })
  }
})
