import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { expectDone, expectRefusal, linesOf, palimpsest, STORY, temporaryDirectory } from './command.ts'

const options = { skip: NO_POSTGRES }
const directory = temporaryDirectory()
const dataDir = `${directory.path}/data`
let env: Record<string, string>
before(async () => {
  if (NO_POSTGRES) return
  env = { DATABASE_URL: await databaseOf('commands'), DATA_DIR: `${directory.path}/none` }
  expectDone(await palimpsest(['import', '--from', '-', '--data-dir', dataDir], { input: linesOf(STORY) }))
  expectDone(await palimpsest(['copy', '--from', dataDir], { env }))
})
after(() => directory.remove())

test('an export of the copy is the export of the store, byte for byte', options, async () => {
  const ofStore = expectDone(await palimpsest(['export', '--data-dir', dataDir]))
  assert.ok(ofStore.includes('Red and quick.'))
  assert.equal(expectDone(await palimpsest(['export'], { env })), ofStore)
})

test('migrate and doctor look at the database that is named', options, async () => {
  assert.match(expectDone(await palimpsest(['migrate'], { env })), /Nothing to do: the schema is the newest/)
  const said = expectDone(await palimpsest(['doctor'], { env: { ...env, DATABASE_READ_URL: env.DATABASE_URL ?? '' } }))
  assert.match(said, /^ok {3}database: PostgreSQL \d+/m)
  assert.match(said, /^ok {3}search index: 0 records behind/m)
  assert.match(said, /^warn standby: DATABASE_READ_URL names a primary/m)
})

test('an empty database is migrated step by step, and then there is nothing to do', options, async () => {
  const empty = { env: { DATABASE_URL: await databaseOf('empty') } }
  expectRefusal(await palimpsest(['verify'], empty), 1, /holds no store/)
  assert.match(expectDone(await palimpsest(['doctor'], empty)), /^ok {3}schema: none yet/m)
  assert.match(expectDone(await palimpsest(['migrate'], empty)), /^Taken: initial\nTaken: nodes\n/)
  assert.match(expectDone(await palimpsest(['migrate'], empty)), /^Nothing to do/)
})

test('what is for a data directory says what to do with a database', options, async () => {
  for (const [args, instead] of [
    [['backup', '--to', `${directory.path}/x`], /pg_dump/],
    [['restore', '--from', `${directory.path}/x`], /pg_restore/],
    [['import', '--from', '-'], /palimpsest copy/],
  ] as const) {
    expectRefusal(await palimpsest([...args], { env }), 1, instead)
  }
})

test('a database that is not there, and a password that is wrong, are told in a sentence', options, async () => {
  const url = new URL(env.DATABASE_URL ?? '')
  url.pathname = '/nothing_of_that_name'
  expectRefusal(await palimpsest(['verify'], { env: { DATABASE_URL: url.href } }), 1, /does not have this database/)
  url.port = '1'
  const refused = await palimpsest(['verify'], { env: { DATABASE_URL: url.href } })
  expectRefusal(refused, 1, /cannot be reached/)
  assert.match(expectDoctor(await palimpsest(['doctor'], { env: { DATABASE_URL: url.href } })), /^FAIL database: /m)
})

const expectDoctor = ({ code, stdout }: { code: number | null; stdout: string }): string => {
  assert.equal(code, 1)
  return stdout
}
