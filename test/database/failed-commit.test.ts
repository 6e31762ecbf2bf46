import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StoreFault, sql } from '../../src/engine/database.ts'
import { GroupCommit } from '../../src/engine/group-commit.ts'
import { openSqlite, type SqliteConnection, sqliteSession } from '../../src/engine/sqlite.ts'
import { errorOfReply, replyOfError } from '../../src/engine/thread.ts'
import { problemOf } from '../../src/http/exchange.ts'
import { columnOf } from '../support/client.ts'

/** The code that a client gets for an error of the thread that writes. */
const codeOf = (error: unknown): string => problemOf(errorOfReply(replyOfError(1, error) as never)).code

test('a write whose commit failed gets OUTCOME_UNKNOWN, and later ones STORE_UNAVAILABLE', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-commit-'))
  const connection = openSqlite(join(directory, 'notes.db'), 'write')
  t.after(() => {
    connection.close()
    rmSync(directory, { recursive: true, force: true })
  })
  connection.exec('CREATE TABLE note (text TEXT NOT NULL) STRICT')
  // As where the sync fails after the pages of the commit were written.
  const failing: SqliteConnection = {
    ...connection,
    run(statement) {
      const changes = connection.run(statement)
      if (statement.text === 'COMMIT') throw new StoreFault('broken', new Error('disk I/O error'))
      return changes
    },
  }
  const commits = new GroupCommit(sqliteSession(failing))
  const write = (text: string) => commits.write(tx => tx.run(sql`INSERT INTO note (text) VALUES (${text})`))
  await assert.rejects(write('first'), error => codeOf(error) === 'OUTCOME_UNKNOWN')
  await assert.rejects(write('second'), error => codeOf(error) === 'STORE_UNAVAILABLE')
  const stored = connection.all<{ text: string }>(sql`SELECT text FROM note`)
  assert.deepEqual(columnOf(stored, 'text'), ['first'])
})
