import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { storeFile } from '../../src/embedded/files.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'

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

for (const table of ['topic', 'activity']) {
  test(`a write to a damaged page of ${table} ends the service with the table and the remedy, at each start`, async () => {
    const dataDir = join(directory.path, table)
    let server: ServerProcess = await startServer(dataDir)
    const { token } = await newActor(server.url)
    await newEntry(server.url, token, { tags: ['a'] })
    server.kill('SIGTERM')
    await server.ended
    await damage(dataDir, table)
    for (let starts = 0; starts < 2; starts++) {
      server = await startServer(dataDir)
      const body = { title: 'Title', summary: 'Summary', content: 'Content', tags: ['a'] }
      const answer = await call(server.url, 'POST', '/api/entries', { token, body }).catch(() => undefined)
      assert.ok(answer === undefined || answer.status === 503, answer?.text)
      const { code, stderr } = await server.ended
      assert.equal(code, 1, stderr)
      const last = stderr.trim().split('\n').at(-1) ?? ''
      assert.match(last, new RegExp(`a page of the table ${table} or of its indexes is damaged`))
      assert.match(last, /"palimpsest check".+"palimpsest restore"/)
    }
  })
}
