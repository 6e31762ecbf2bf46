import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { call, callPatiently, expectStatus } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseOf, dropDatabaseOf, dropUnused, NO_POSTGRES } from '../support/engine.ts'
import { expectDone, expectRefusal, linesOf, palimpsest, STORY, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
const GUIDE = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
const [GRANT = ''] = /^ *GRANT .*;$/m.exec(GUIDE) ?? []

const options = { skip: NO_POSTGRES }
const directory = temporaryDirectory()
const dataDir = `${directory.path}/data`
let env: Record<string, string>
before(async () => {
  if (NO_POSTGRES) return
  env = { DATABASE_URL: await databaseOf('commands'), DATA_DIR: `${directory.path}/none` }
  expectDone(await inProcess(['load', '--from', '-', '--data-dir', dataDir], { input: linesOf(STORY) }))
  expectDone(await inProcess(['copy', '--from', dataDir], { env }))
})
after(() => directory.remove())

test('an export of the copy equals the export of the store, byte for byte', options, async () => {
  const ofStore = expectDone(await inProcess(['export', '--data-dir', dataDir]))
  assert.ok(ofStore.includes('Red and quick.'))
  assert.equal(expectDone(await inProcess(['export'], { env })), ofStore)
})

const DAMAGES: [what: string, change: string, undo: string, sentence: RegExp][] = [
  [
    'a changed byte',
    `UPDATE revision SET content = 'reD.' WHERE content = 'Red.'`,
    `UPDATE revision SET content = 'Red.' WHERE content = 'reD.'`,
    /^Entry .* \(foxes\) is damaged: revision .* has evidenceHash/,
  ],
  [
    'a missing row',
    'CREATE TABLE away AS SELECT * FROM evidence; DELETE FROM evidence',
    'INSERT INTO evidence SELECT * FROM away',
    /^Record \d+ is missing/,
  ],
  [
    'a reference that leads nowhere',
    'UPDATE relation SET target_entry = target_entry + 1000',
    'UPDATE relation SET target_entry = target_entry - 1000',
    /^A row of table relation refers to entry 100\d, which does not exist/,
  ],
  [
    'a wrong total',
    'UPDATE head SET entries = entries + 1',
    'UPDATE head SET entries = entries - 1',
    /^The head counts 1 as entries, and 0 exist/,
  ],
]

test('verify finds damage in PostgreSQL', options, async t => {
  const url = env.DATABASE_URL ?? ''
  const said = expectDone(await inProcess(['check'], { env }))
  assert.match(said, /The store in PostgreSQL is intact/)
  assert.match(said, /^PostgreSQL (checks|does not check) its pages by checksums/m)
  assert.match(said, /; indexes were not checked, because/)
  assert.match(said, /^No hash covers /m)
  for (const [what, change, undo, sentence] of DAMAGES) {
    await t.test(what, async () => {
      await withClient(url, client => client.query(change))
      try {
        expectRefusal(await inProcess(['check'], { env }), 1, sentence)
      } finally {
        await withClient(url, client => client.query(undo))
      }
    })
  }
  expectDone(await inProcess(['check'], { env }))
})

test('verify checks the indexes of PostgreSQL if amcheck is installed', options, async t => {
  const url = env.DATABASE_URL ?? ''
  const run = (text: string) => withClient(url, client => client.query(text))
  const { rows } = await run(`SELECT 1 FROM pg_available_extensions WHERE name = 'amcheck'`)
  if (rows.length === 0) return t.skip('the extension amcheck is not there')
  await run('CREATE EXTENSION amcheck')
  t.after(() => run('DROP EXTENSION IF EXISTS amcheck'))
  assert.match(expectDone(await inProcess(['check'], { env })), /all B-trees were checked by amcheck/)
  const [{ index }] = (
    await run(`SELECT inhrelid::regclass::text AS index FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid
      WHERE inhparent = 'activity_timeline'::regclass AND indrelid = 'activity_writes'::regclass`)
  ).rows
  // The table was changed without this index: reads by the index lack the row.
  await run(`UPDATE pg_index SET indisready = false WHERE indexrelid = '${index}'::regclass`)
  await run('UPDATE activity SET target = 1 WHERE sequence = 1')
  await run(`UPDATE pg_index SET indisready = true WHERE indexrelid = '${index}'::regclass`)
  expectRefusal(await inProcess(['check'], { env }), 1, new RegExp(`The index ${index} is damaged`))
  await run(`UPDATE activity SET target = NULL WHERE sequence = 1; REINDEX INDEX ${index}`)
  expectDone(await inProcess(['check'], { env }))
})

test(
  'an owner without other rights moves a store in, and a node needs no right to change the schema',
  options,
  async t => {
    const url = await databaseOf('ordinary')
    const run = (text: string) => withClient(url, client => client.query(text))
    const [owner, node] = [`owner_${process.pid}`, `node_${process.pid}`]
    const as = (role: string): string => Object.assign(new URL(url), { username: role }).href
    t.after(async () => {
      await dropDatabaseOf('ordinary')
      // A role is dropped after the database that it owns.
      await dropUnused()
      await withClient(env.DATABASE_URL ?? '', client => client.query(`DROP ROLE IF EXISTS ${owner}, ${node}`))
    })
    await run(`CREATE ROLE ${owner} LOGIN; CREATE ROLE ${node} LOGIN`)
    const ofNode = { DATABASE_URL: as(node) }
    expectRefusal(
      await inProcess(['migrate'], { env: ofNode }),
      1,
      /make it the owner of the database \(permission denied/,
    )
    await run(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${owner}`)
    expectDone(await inProcess(['copy', '--from', dataDir, '--to', as(owner)]))
    await withClient(as(owner), client => client.query(GRANT.replace('palimpsest_node', node)))
    await using server = await startApp({ ...ofNode, DATA_DIR: `${directory.path}/node` }, { engine: 'embedded' })
    const { token } = expectStatus(await call(server.url, 'POST', '/api/actors', { body: {} }), 201) as {
      token: string
    }
    const body = { title: 'Newts', summary: 'Small', content: 'Amphibious', tags: [] }
    expectStatus(await call(server.url, 'POST', '/api/entries', { body, token }), 201)
    const found = await callPatiently<{ items: unknown[] }>(server.url, 'GET', '/api/search?q=amphibious')
    assert.equal(expectStatus(found, 200).items.length, 1)
    expectDone(await inProcess(['check'], { env: ofNode }))
    expectDone(await inProcess(['doctor'], { env: { ...ofNode, DATA_DIR: `${directory.path}/node` } }))
  },
)

test('migrate and doctor check the named database', options, async () => {
  assert.match(expectDone(await inProcess(['migrate'], { env })), /Nothing to do: the schema is the newest/)
  const said = expectDone(await inProcess(['doctor'], { env: { ...env, DATABASE_READ_URL: env.DATABASE_URL ?? '' } }))
  assert.match(said, /^ok {3}database: PostgreSQL \d+/m)
  assert.match(said, /^ok {3}search index: none yet; the first start builds it/m)
  assert.match(said, /^warn standby: DATABASE_READ_URL names a primary/m)
})

test('an empty database gets the schema, and a second time nothing changes', options, async () => {
  const empty = { env: { DATABASE_URL: await databaseOf('empty') } }
  expectRefusal(await inProcess(['check'], empty), 1, /contains no store/)
  assert.match(expectDone(await inProcess(['doctor'], empty)), /^ok {3}schema: none yet/m)
  assert.match(expectDone(await inProcess(['migrate'], empty)), /^Applied to the schema: initial\n$/)
  assert.match(expectDone(await inProcess(['migrate'], empty)), /^Nothing to do/)
})

test('a command for a data directory names the remedy for a database', options, async () => {
  for (const [args, instead] of [
    [['backup', '--to', `${directory.path}/x`], /pg_dump/],
    [['restore', '--from', `${directory.path}/x`], /pg_restore/],
    [['load', '--from', '-'], /palimpsest copy/],
  ] as const) {
    expectRefusal(await inProcess([...args], { env }), 1, instead)
  }
})

test(
  'a database that is missing, away, unknown or of another program is one sentence, and one row',
  options,
  async () => {
    const url = new URL(env.DATABASE_URL ?? '')
    const foreign = await databaseOf('foreign')
    await withClient(foreign, client => client.query('CREATE TABLE customers (); CREATE TABLE migration (id int)'))
    const changed = (members: Partial<URL>): string => Object.assign(new URL(url), members).href
    for (const [address, row, sentence] of [
      [
        changed({ pathname: '/nothing_of_that_name' }),
        'database',
        'DATABASE_URL does not have this database; create it',
      ],
      [
        changed({ port: '1' }),
        'database',
        'DATABASE_URL cannot be reached \\(connect ECONNREFUSED .*\\); see that it runs',
      ],
      [
        changed({ hostname: 'none.invalid' }),
        'database',
        'DATABASE_URL cannot be reached: the host none\\.invalid is unknown; correct',
      ],
      [
        foreign,
        'schema',
        'DATABASE_URL has tables of another program \\(customers, migration\\); name an empty database',
      ],
    ] as const) {
      const given = { env: { DATABASE_URL: address, DATA_DIR: dataDir } }
      for (const command of ['check', 'migrate'])
        expectRefusal(await inProcess([command], given), 1, new RegExp(`^(?:PostgreSQL|The database) at ${sentence}`))
      const { code, stdout } = await inProcess(['doctor'], given)
      assert.equal(code, 1)
      const [first, ...more] = stdout.match(/^FAIL .*$/gm) ?? []
      assert.match(first ?? '', new RegExp(`^FAIL ${row}: (?:PostgreSQL|The database) at ${sentence}`))
      assert.deepEqual(more, [])
    }
    const { stderr, code } = await palimpsest(['serve'], { env: { ...env, DATABASE_URL: foreign, PORT: '0' } })
    assert.equal(code, 1)
    assert.match(stderr, /^The database at DATABASE_URL has tables of another program/m)
  },
)
