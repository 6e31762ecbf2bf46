import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '../../src/engine/database.ts'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { startApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { makeDirectory, startServer } from '../support/process.ts'

const directory = makeDirectory()
after(() => directory.remove())

const PAGE_BYTES = 8_192

/** Overwrites the first page of a table of a store that no process has open. */
async function damage(dataDir: string, table: string): Promise<void> {
  const store = openSqlite(storeFile(dataDir), 'write')
  const found = store.one<{ page: number }>(sql`SELECT rootpage AS page FROM sqlite_schema WHERE name = ${table}`)
  store.close()
  const file = await open(storeFile(dataDir), 'r+')
  await file.write(Buffer.alloc(PAGE_BYTES, 0x5a), 0, PAGE_BYTES, ((found?.page ?? 0) - 1) * PAGE_BYTES)
  await file.close()
}

/** A stopped store with an entry and a damaged table, and the token of an actor in it. */
async function damagedStore(name: string, table: string): Promise<{ dataDir: string; token: string }> {
  const app = await startApp({ DATA_DIR: join(directory.path, name) }, { engine: 'embedded' })
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, { tags: ['a'] })
  await app.close()
  await damage(app.dataDir, table)
  return { dataDir: app.dataDir, token }
}

async function assertNotWritten(url: string, token: string): Promise<void> {
  const body = { title: 'Title', summary: 'Summary', content: 'Content', tags: ['a'] }
  const answer = await call(url, 'POST', '/api/entries', { token, body }).catch(() => undefined)
  assert.ok(answer === undefined || answer.status === 503, answer?.text)
}

function assertRemedy(sentence: string, table: string): void {
  assert.match(sentence, new RegExp(`a page of the table ${table} or of its indexes is damaged`))
  assert.match(sentence, /"palimpsest check".+"palimpsest restore"/)
}

for (const table of ['topic', 'activity']) {
  test(`a write to a damaged page of ${table} breaks the service with the table and the remedy, at each start`, async () => {
    const { dataDir, token } = await damagedStore(table, table)
    for (let starts = 0; starts < 2; starts++) {
      // The service may find the damage before it is waited for.
      const app = await startApp({ DATA_DIR: dataDir }, { engine: 'embedded', database: 'away' })
      await assertNotWritten(app.url, token)
      assertRemedy((await app.broken).message, table)
      await app.close()
    }
  })
}

test('the process of a service ends with that sentence after a write to a damaged page', async () => {
  const { dataDir, token } = await damagedStore('process', 'topic')
  const server = await startServer(dataDir)
  await assertNotWritten(server.url, token)
  const { code, stderr } = await server.ended
  assert.equal(code, 1, stderr)
  assertRemedy(stderr.trim().split('\n').at(-1) ?? '', 'topic')
})
