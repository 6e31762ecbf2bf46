import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { createWitnessServer, openWitnessState } from '../../src/cli/witness.ts'
import type { Activity, ActorIssued, Entry } from '../../src/contract/resources.ts'
import { type Reader, sql } from '../../src/engine/database.ts'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { logKeyFile } from '../../src/secrets.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { logSigner, privateKeyOf } from '../../src/tlog/rules/signer.ts'
import { startApp } from '../support/app.ts'
import { spawn } from '../support/children.ts'
import { call, expectStatus } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { assertAcceptedByGo, NO_GO } from '../support/go.ts'
import { someWitness } from '../support/log-files.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory } from '../support/process.ts'
import { publicView } from '../support/public-view.ts'
import { inspectPostgres } from '../support/reader.ts'
import { expectDone, expectRefusal, LAUNCHER, linesOf, palimpsest, STORY } from './command.ts'
import { openCopy } from './mirror/copy.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
const options = { skip: NO_POSTGRES }
const WORDS = ['fox', 'owl', 'tag']
const directory = makeDirectory()
/** A store that is not served. */
const story = `${directory.path}/story`
before(async () => {
  expectDone(await inProcess(['load', '--from', '-', '--data-dir', story], { input: linesOf(STORY) }))
})
after(() => directory.remove())

const copy = (from: string, to: string) => inProcess(['copy', '--from', from, '--to', to])

async function post<T>(base: string, path: string, body: unknown, token?: string): Promise<T> {
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await call(base, 'POST', path, { body, headers, ...(token === undefined ? {} : { token }) })
  return expectStatus(answer, 201) as T
}
const create = (base: string, name: string, token: string): Promise<Entry> => {
  const text = { title: `A ${name}`, summary: `Of a ${name}`, content: `${name} tag`, tags: [name, 'Tag'] }
  return post(base, '/api/entries', text, token)
}
const revise = (base: string, entry: Entry, token: string): Promise<Entry> => {
  const { title, summary, currentRevisionId: previousRevisionId } = entry
  const text = { title, summary, content: 'More of it', changeType: 'EXPAND', rationale: 'More', previousRevisionId }
  return post(base, `/api/entries/${entry.slug}/revisions`, text, token)
}
const newestSequence = async (base: string): Promise<number> => {
  const { items } = expectStatus(await call<{ items: Activity[] }>(base, 'GET', '/api/activity?limit=1'), 200)
  return Number(items[0]?.sequence)
}
/** A node over PostgreSQL, with a directory of its own. */
const startNode = (url: string) => startApp({ DATABASE_URL: url }, { engine: 'embedded' })

const copyBack = (url: string, to: string) => inProcess(['copy', '--from', url, '--to', to])

/** Every row of an embedded store by table. */
async function rowsOfFile(dataDir: string): Promise<Record<string, string[]>> {
  using store = openSqlite(storeFile(dataDir), 'read')
  const tables = store.all<{ name: string }>(sql`SELECT name FROM sqlite_master WHERE type = 'table'`)
  // The time of a step of the schema is that of the copy.
  return await rowsOf(
    store,
    tables.map(({ name }) => name).filter(name => name !== 'migration'),
  )
}

/** Every row of a store by table, except tables of one engine. */
async function rowsOf(store: Reader, tables: readonly string[]): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const table of tables) {
    const found = await store.all<object>({ text: `SELECT * FROM ${table}`, values: [] })
    rows[table] = found.map(row => JSON.stringify(Object.entries(row).sort())).sort()
  }
  return rows
}

/** Asserts that every row is in PostgreSQL as it is in the file; `admission` has a form of its own there. */
async function assertSame(dataDir: string, url: string): Promise<void> {
  using store = openSqlite(storeFile(dataDir), 'read')
  const tables = store
    .all<{ name: string }>(sql`SELECT name FROM sqlite_master WHERE type = 'table'`)
    .map(({ name }) => name)
    .filter(name => !['migration', 'admission'].includes(name))
  assert.ok(tables.length >= 15)
  assert.deepEqual(await inspectPostgres(url, copied => rowsOf(copied, tables)), await rowsOf(store, tables))
  const admitted = store.all<object>(sql`SELECT key, sum(count) AS n FROM admission GROUP BY key ORDER BY key`)
  assert.ok(admitted.length > 0)
  const logs = { text: 'SELECT key, log FROM limiter ORDER BY key', values: [] }
  const kept = await inspectPostgres(url, copied => copied.all<{ key: string; log: string[] }>(logs))
  const sums = kept.map(({ key, log }) => ({ key, n: sumOfCounts(log.map(Number)) }))
  assert.deepEqual(
    sums,
    admitted.map(row => ({ ...row })),
  )
}
const sumOfCounts = (log: readonly number[]): number =>
  log.reduce((sum, value, index) => (index % 2 === 1 ? sum + value : sum), 0)

/** Adds rows that the service makes only after some time. */
function addRest(dataDir: string): void {
  const store = openSqlite(storeFile(dataDir), 'write')
  store.exec(`INSERT INTO cooldown (subject, action, began_at) VALUES ('someone', 'CREATE', 1);
    INSERT INTO origin_block (network_key, origin) SELECT 'a network', min(number) FROM origin;
    INSERT INTO admission (bin, key, count) VALUES (1, 'a key', 2), (2, 'a key', 3)`)
  store.close()
}

test('a served store is copied, and a second copy adds the changes since', options, async () => {
  const dataDir = `${directory.path}/served`
  const url = await databaseOf('copied')
  const server = await startApp({ DATA_DIR: dataDir }, { engine: 'embedded' })
  const ann = await post<ActorIssued>(server.url, '/api/actors', { declaredName: 'Ann' })
  const ben = await post<ActorIssued>(server.url, '/api/actors', { declaredName: 'Ben' })
  const again = { body: { actorType: 'HUMAN' }, headers: { 'idempotency-key': randomUUID() } }
  const first = expectStatus(await call(server.url, 'POST', '/api/actors', again), 201)
  const fox = await create(server.url, 'fox', ann.token)
  const owl = await create(server.url, 'owl', ann.token)
  const crow = await create(server.url, 'crow', ann.token)
  await revise(server.url, fox, ben.token)
  const judged = { revisionId: fox.currentRevisionId, rationale: 'Seen' }
  const verified = { ...judged, result: 'SUPPORTED', confidence: 0.25 }
  await post(server.url, `/api/entries/${fox.slug}/verify`, verified, ben.token)
  await post(server.url, `/api/entries/${fox.slug}/contradict`, judged, ann.token)
  const related = { sourceEntryId: owl.id, targetEntryId: fox.id, relationType: 'CONNECT', rationale: 'Both hunt' }
  await post(server.url, '/api/relations', related, ben.token)
  await moderate(server.url, 'ENTRY', crow.id, 'HIDE')
  assert.match(expectDone(await copy(dataDir, url)), /is intact.*\n +entries +3\n(?:.*\n)*.*still served/)

  const newt = await create(server.url, 'newt', ann.token)
  await revise(server.url, owl, ann.token)
  await moderate(server.url, 'ENTRY', crow.id, 'RESTORE')
  await moderate(server.url, 'ACTOR', ben.actor.id, 'QUARANTINE')
  const entries = [fox, owl, crow, newt]
  const served = await publicView(server.url, entries, WORDS)
  await server.close()
  addRest(dataDir)
  const done = /is intact.*\n +entries +4\n(?:.*\n)*.*Start the service with DATABASE_URL now/
  assert.match(expectDone(await copy(dataDir, url)), done)
  await assertSame(dataDir, url)

  const node = await startNode(url)
  assert.deepEqual(await publicView(node.url, entries, WORDS), served)
  // A retry of a write whose answer the old server lost gets it from the new one.
  assert.deepEqual(expectStatus(await call(node.url, 'POST', '/api/actors', again), 201), first)
  const before = await newestSequence(node.url)
  assert.equal((await create(node.url, 'toad', ann.token)).revisionCount, 1)
  assert.equal(await newestSequence(node.url), before + 1)
  const cid = await post<ActorIssued>(node.url, '/api/actors', { declaredName: 'Cid' })
  await create(node.url, 'frog', cid.token)
  const refused = await call(node.url, 'POST', '/api/entries', { body: { ...newt, tags: [] }, token: ben.token })
  assert.ok(refused.status >= 400, 'who was quarantined stays out')
  expectRefusal(await copy(dataDir, url), 1, /A node has written to this copy/)
  await node.close()
})

/** A witness of the log whose key is in a data directory, and the file of the policy that names it. */
async function serveWitness(dataDir: string, origin: string, name = 'witness') {
  const log = logSigner(origin, privateKeyOf(readFileSync(logKeyFile(dataDir), 'utf8')))
  const signer = someWitness('witness.example')
  const path = `${directory.path}/${name}`
  mkdirSync(path)
  const state = openWitnessState(path, [log.key.name])
  const now = () => Math.floor(Date.now() / 1_000)
  const server = createWitnessServer({ signer, logs: [log.key], state, now, report: () => {} })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const policy = `${path}/policy`
  writeFileSync(policy, `log ${log.vkey}\nwitness w ${signer.vkey} http://127.0.0.1:${port}\nquorum w\n`)
  const end = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { policy, end, cosigned: (note: string): boolean => note.includes(`\n— ${signer.key.name} `) }
}

test('the copy of a served store begins another log; the last copy continues it, with its key', options, async t => {
  const port = String(await freePort())
  const logged = { PORT: port, TLOG_INTERVAL_SECONDS: '0.05' }
  const dataDir = `${directory.path}/signed`
  const [served, last, headless] = [await databaseOf('served-log'), await databaseOf('last-log'), await databaseOf('x')]
  const unwitnessed = await startApp({ DATA_DIR: dataDir, ...logged }, { engine: 'embedded' })
  const { token } = await post<ActorIssued>(unwitnessed.url, '/api/actors', {})
  await create(unwitnessed.url, 'fox', token)
  const witness = await serveWitness(dataDir, (await signedCheckpoint(unwitnessed)).origin)
  t.after(() => witness.end())
  await unwitnessed.close()
  const watched = { ...logged, TLOG_WITNESSES: witness.policy }
  const server = await startApp({ DATA_DIR: dataDir, ...watched }, { engine: 'embedded' })
  const mirror = await openCopy(server.url)
  await mirror.catchUp()
  assert.match(expectDone(await copy(dataDir, served)), /still served/)
  await create(server.url, 'owl', token)
  const before = await signedCheckpoint(server)
  assert.ok(witness.cosigned(before.note))
  const keysOf = async (url: string): Promise<string> => (await call(url, 'GET', '/log/keys')).text
  const keys = await keysOf(server.url)
  expectDone(await copy(dataDir, last))
  await server.close()
  expectDone(await copy(dataDir, last))
  rmSync(`${dataDir}/log-head`)
  expectDone(await copy(dataDir, headless))
  const originAt = async (url: string, settings: object, follow: (base: string) => Promise<void>): Promise<string> => {
    const node = await startApp({ DATABASE_URL: url, ...settings }, { engine: 'embedded' })
    await create(node.url, 'crow', token)
    const { origin, note } = await signedCheckpoint(node)
    if (!NO_GO) await assertAcceptedByGo(node.url, [origin === before.origin ? before.note : note])
    await follow(node.url)
    await node.close()
    return origin
  }
  const another = async (base: string): Promise<void> => assert.notEqual(await keysOf(base), keys)
  assert.notEqual(await originAt(served, logged, another), before.origin)
  assert.notEqual(await originAt(headless, logged, another), before.origin)
  const same = async (base: string): Promise<void> => {
    assert.equal(base, server.url)
    assert.equal(await keysOf(base), keys)
    await mirror.catchUp()
    assert.equal(
      expectStatus(await call<{ items: Entry[] }>(mirror.app.url, 'GET', '/api/entries'), 200).items.length,
      3,
    )
    // The witness cosigns only what is consistent with the checkpoint that it cosigned before the move.
    assert.ok(witness.cosigned((await signedCheckpoint({ store: mirror.app.store, url: base })).note))
    const copied = await signedCheckpoint({ store: mirror.app.store, url: mirror.app.url })
    assert.equal(copied.note, (await call(base, 'GET', '/log/checkpoint')).text)
  }
  assert.equal(await originAt(last, watched, same), before.origin)
  if (NO_GO) t.skip(NO_GO)
})

test(
  'a store that was moved to PostgreSQL and back has the same rows, its mirror and its witness go on',
  options,
  async t => {
    const logged = { PORT: String(await freePort()), TLOG_INTERVAL_SECONDS: '0.05' }
    const dataDir = `${directory.path}/there`
    const back = `${directory.path}/back`
    const url = await databaseOf('there-and-back')
    const first = await startApp({ DATA_DIR: dataDir, ...logged }, { engine: 'embedded' })
    const ann = await post<ActorIssued>(first.url, '/api/actors', { declaredName: 'Ann' })
    const ben = await post<ActorIssued>(first.url, '/api/actors', { declaredName: 'Ben' })
    const fox = await create(first.url, 'fox', ann.token)
    const owl = await create(first.url, 'owl', ben.token)
    await revise(first.url, fox, ben.token)
    const judged = { revisionId: owl.currentRevisionId, result: 'SUPPORTED', confidence: 0.5, rationale: 'Seen' }
    await post(first.url, `/api/entries/${owl.slug}/verify`, judged, ann.token)
    await post(first.url, '/api/reports', { targetType: 'ENTRY', targetId: owl.id, reason: 'SPAM' })
    await moderate(first.url, 'ACTOR', ben.actor.id, 'BLOCK')
    const witness = await serveWitness(dataDir, (await signedCheckpoint(first)).origin, 'witness-back')
    t.after(() => witness.end())
    await first.close()
    const watched = { ...logged, TLOG_WITNESSES: witness.policy }
    const server = await startApp({ DATA_DIR: dataDir, ...watched }, { engine: 'embedded' })
    const mirror = await openCopy(server.url)
    await mirror.catchUp()
    await server.close()
    addRest(dataDir)
    const before = await rowsOfFile(dataDir)
    assert.ok(before.report?.length === 1 && before.moderation?.length === 1 && before.actor !== undefined)

    expectDone(await copy(dataDir, url))
    const done = expectDone(await copyBack(url, back))
    assert.match(done, /back\/palimpsest\.db is the intact copy .*\n +entries +2\n/)
    assert.match(done, /copy the file admin-token of the node|Set the ADMIN_TOKEN of the nodes/)
    assert.deepEqual(await rowsOfFile(back), before)
    for (const key of ['origin-key', 'log-key'])
      assert.equal(readFileSync(`${back}/${key}`, 'utf8'), readFileSync(`${dataDir}/${key}`, 'utf8'), key)

    await using again = await startApp({ DATA_DIR: back, ...watched }, { engine: 'embedded' })
    assert.doesNotMatch(again.log(), /a public log begins|origin key/)
    const toad = await create(again.url, 'toad', ann.token)
    const refused = await call(again.url, 'POST', '/api/entries', { body: { ...toad, tags: [] }, token: ben.token })
    assert.ok(refused.status >= 400, 'an actor that was blocked stays blocked')
    const checkpoint = await signedCheckpoint(again)
    assert.ok(witness.cosigned(checkpoint.note))
    await mirror.catchUp()
    assert.equal((await call(mirror.app.url, 'GET', `/api/entries/${toad.slug}`)).status, 200)
  },
)

test(
  'a database that nodes serve, and a directory with a store or other keys, are no places to copy between',
  options,
  async () => {
    const url = await databaseOf('served-by-node')
    const to = `${directory.path}/from-served`
    const node = await startNode(url)
    await create(node.url, 'fox', (await post<ActorIssued>(node.url, '/api/actors', {})).token)
    expectRefusal(await copyBack(url, to), 1, /A node still serves the database; stop all nodes/)
    assert.ok(!existsSync(`${to}/palimpsest.db`))
    await node.close()
    expectRefusal(await copyBack(url, story), 1, /has a store already; name another directory/)
    mkdirSync(to, { recursive: true })
    writeFileSync(`${to}/log-key`, 'another key of a log\n')
    expectRefusal(await copyBack(url, to), 1, /log-key is another key than that of the database; move it away/)
    rmSync(`${to}/log-key`)
    assert.match(expectDone(await copyBack(url, to)), /is the intact copy(?:.*\n)* +entries +1\n/)
    expectRefusal(await copyBack(await databaseOf('without-store'), `${to}-none`), 1, /contains no store/)
    expectRefusal(await inProcess(['copy', '--from', story, '--to', to]), 2, /One of --from and --to names a database/)
  },
)

test('no node starts on the copy of a killed run, and the next run completes it', options, async () => {
  const target = await databaseOf('killed')
  const dataDir = `${directory.path}/growing`
  const grow = async () =>
    expectDone(await inProcess(['load', '--from', '-', '--data-dir', dataDir], { input: linesOf(STORY) }))
  await grow()
  expectDone(await palimpsest(['copy', '--from', dataDir], { env: { DATABASE_URL: target } }))
  await grow()
  await withClient(target, async client => {
    const revisions = async () => Number((await client.query('SELECT count(*) AS n FROM revision')).rows[0].n)
    const copied = await revisions()
    await client.query('BEGIN; LOCK TABLE activity IN EXCLUSIVE MODE')
    const child = spawn(process.execPath, [LAUNCHER, 'copy', '--from', dataDir, '--to', target], { stdio: 'ignore' })
    const ended = new Promise(resolve => child.once('exit', (_code, signal) => resolve(signal)))
    await eventually('the new revision is there', 60_000, async () => (await revisions()) > copied || undefined)
    child.kill('SIGKILL')
    assert.equal(await ended, 'SIGKILL')
    await client.query('ROLLBACK')
  })
  const env = { DATABASE_URL: target, DATA_DIR: `${directory.path}/kept-out`, PORT: '0' }
  const kept = await palimpsest(['serve'], { env })
  assert.equal(kept.code, 1, kept.stderr)
  assert.match(kept.stderr, /was not finished; run "palimpsest copy" again/)
  expectRefusal(await copy(story, target), 1, /another store; name an empty one/)
  const again = await copy(dataDir, target)
  assert.match(expectDone(again), /entries +4\n/)
  assert.match(again.stderr, /Continuing an interrupted copy after the rows that are there/)
})

/** Forwards connections to the server of a database. The first message of a client with `word` waits, and all after it. */
async function stallAt(url: string, word: string) {
  const { hostname, port } = new URL(url)
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const proxy = createServer(client => {
    const server = connect(Number(port), hostname)
    let waiting = Promise.resolve()
    client.on('data', data => {
      if (data.includes(word)) {
        reached.resolve()
        waiting = released.promise
      }
      waiting.then(() => server.write(data))
    })
    server.pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((proxy.address() as AddressInfo).port)
  const close = () => proxy.close()
  return { url: through.href, reached: reached.promise, release: released.resolve, close }
}

test('a copy into a directory that is killed serves nothing, and the same command continues it', options, async () => {
  const url = await databaseOf('killed-back')
  const back = `${directory.path}/killed-back`
  expectDone(await copy(story, url))
  const stalled = await stallAt(url, 'copy_activity')
  const child = spawn(process.execPath, [LAUNCHER, 'copy', '--from', stalled.url, '--to', back], { stdio: 'ignore' })
  const ended = new Promise(resolve => child.once('exit', (_code, signal) => resolve(signal)))
  await stalled.reached
  child.kill('SIGKILL')
  assert.equal(await ended, 'SIGKILL')
  stalled.close()
  assert.ok(!existsSync(`${back}/palimpsest.db`))
  const kept = await palimpsest(['serve'], { env: { DATA_DIR: back, PORT: '0' } })
  assert.equal(kept.code, 1, kept.stderr)
  assert.match(kept.stderr, /is not complete, because .* was interrupted; run the same command again/)
  assert.ok(!existsSync(`${back}/log-key`))
  const again = await copyBack(url, back)
  assert.match(expectDone(again), /is the intact copy/)
  assert.match(again.stderr, /Continuing an interrupted copy, which has [1-9]\d* rows/)
  assert.deepEqual(await rowsOfFile(back), await rowsOfFile(story))
  assert.ok(!existsSync(`${back}/palimpsest.db.partial`))
})

test('an interrupted copy of an earlier state of the database begins anew', options, async () => {
  const url = await databaseOf('changed-back')
  const back = `${directory.path}/changed-back`
  expectDone(await copy(story, url))
  const stalled = await stallAt(url, 'copy_activity')
  const copying = copyBack(stalled.url, back)
  await stalled.reached
  // The node starts, writes and stops while the copy runs.
  const node = await startNode(url)
  await create(node.url, 'heron', (await post<ActorIssued>(node.url, '/api/actors', {})).token)
  await node.close()
  stalled.release()
  expectRefusal(await copying, 1, /A node wrote to the database during the copy; stop all nodes, and copy again/)
  stalled.close()
  assert.ok(!existsSync(`${back}/palimpsest.db`))
  const again = await copyBack(url, back)
  assert.match(again.stderr, /The database has changed since an interrupted copy, which begins anew/)
  const entries = /entries +(\d+)/.exec(expectDone(again))?.[1]
  await withClient(url, async client =>
    assert.equal(String((await client.query('SELECT count(*) AS n FROM entry')).rows[0].n), entries),
  )
})

test('a database with another store, and a copy without a database, are refused', options, async () => {
  const target = await databaseOf('another')
  await (await startNode(target)).close()
  expectRefusal(await copy(story, target), 1, /another store; name an empty one/)
  expectRefusal(await inProcess(['copy', '--from', story]), 2, /--to is missing/)
  expectRefusal(await copy(directory.path, target), 1, /^There is no store in/)
})
