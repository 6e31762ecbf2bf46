import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withClient } from '../support/cluster.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { palimpsest } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
test('a PostgreSQL has every part that the service needs, and the probe leaves nothing', {
  skip: NO_POSTGRES,
}, async () => {
  const DATABASE_URL = await databaseOf('engine')
  const { code, stdout, stderr } = await palimpsest(['doctor', '--engine'], { env: { DATABASE_URL } })
  assert.equal(stderr, '')
  const lines = stdout.trimEnd().split('\n')
  assert.match(lines[0] ?? '', /^ok {3}engine: PostgreSQL \d/)
  assert.ok(lines.length > 15, stdout)
  for (const line of lines) assert.match(line, /^ok {3}[A-Za-z0-9 ]+: \S/)
  assert.equal(code, 0)
  const left = await withClient(DATABASE_URL, async client => {
    const { rows } = await client.query(
      `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'palimpsest%' UNION SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
    )
    return rows
  })
  assert.deepEqual(left, [])
})

test('a part that is missing is named, and the others are probed too', { skip: NO_POSTGRES }, async () => {
  const DATABASE_URL = await databaseOf('engine-unsafe')
  const { pathname } = new URL(DATABASE_URL)
  await withClient(DATABASE_URL, async client => {
    await client.query(`ALTER DATABASE "${pathname.slice(1)}" SET synchronous_commit = off`)
  })
  const { code, stdout } = await inProcess(['doctor', '--engine'], { env: { DATABASE_URL } })
  assert.equal(code, 1)
  assert.deepEqual(stdout.match(/^(?:FAIL|warn).*$/gm), [
    'FAIL synced commits: synchronous_commit is off; the service cannot run on this server',
  ])
})

test('the probe needs a database, and names a server that cannot be reached', async () => {
  const without = await inProcess(['doctor', '--engine'], { env: {} })
  assert.match(without.stderr, /set DATABASE_URL/)
  assert.notEqual(without.code, 0)
  const gone = await inProcess(['doctor', '--engine'], { env: { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' } })
  assert.equal(gone.code, 1)
  assert.match(
    gone.stdout,
    /^FAIL engine: PostgreSQL at DATABASE_URL cannot be reached \(connect ECONNREFUSED .*\); see that it runs/,
  )
})
