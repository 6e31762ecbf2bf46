import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { logHeadFile } from '../../src/tlog/key-files.ts'
import { parseCheckpoint, parseNote } from '../../src/tlog/verify/note.js'
import { expectDone } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { startApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { assertAcceptedByGo, NO_GO } from '../support/go.ts'
import { withNodes } from '../support/nodes.ts'
import { eventually, makeDirectory } from '../support/process.ts'

const { inProcess } = commandLine()
const PATIENCE = 60_000
const directory = makeDirectory()
after(() => directory.remove())

const often = (database: string) => ({ DATABASE_URL: database, TLOG_INTERVAL_SECONDS: '0.05' })
type Head = ReturnType<typeof parseCheckpoint> & { note: string }
/** The newest checkpoint of a node, once it has more than this many records. */
const headAbove = (url: string, size: number): Promise<Head> =>
  eventually(`a checkpoint above ${size} at ${url}`, PATIENCE, async () => {
    const { status, text } = await call(url, 'GET', '/log/checkpoint')
    const head = status === 200 ? { note: text, ...parseCheckpoint(parseNote(text).text) } : undefined
    return head !== undefined && head.size > size ? head : undefined
  })

/** Compares checkpoints with the database. */
async function checkAll(database: string, heads: readonly Head[]): Promise<void> {
  for (const head of heads) {
    const file = join(directory.path, `checkpoint-${head.size}`)
    writeFileSync(file, head.note)
    expectDone(await inProcess(['check', '--log', '--checkpoint', file], { env: { DATABASE_URL: database } }))
  }
}

test('three nodes write one log, and continue after a kill of one of them', { skip: NO_POSTGRES }, async t => {
  await withNodes({ count: 3, shared: true }, async ({ urls, servers, database }) => {
    const { token } = await newActor(urls[0] ?? '')
    const publish = (at: readonly string[]) =>
      Promise.all(at.flatMap(url => Array.from({ length: 20 }, () => newEntry(url, token))))
    await publish(urls)
    const heads = await Promise.all(urls.map(url => headAbove(url, 59)))
    assert.deepEqual(new Set(heads.map(({ origin }) => origin)).size, 1)
    const [first, ...others] = urls
    servers[0]?.kill('SIGKILL')
    await servers[0]?.ended
    await publish(others)
    const later = await Promise.all(others.map(url => headAbove(url, 99)))
    assert.ok(first !== undefined)
    await checkAll(database, [...heads, ...later])
    if (NO_GO) return t.skip(NO_GO)
    await assertAcceptedByGo(
      others[0] ?? '',
      [...heads, ...later].map(({ note }) => note),
    )
  })
})

const anyKey = (): string => String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

test('of nodes with different keys only the one that started last signs', { skip: NO_POSTGRES }, async () => {
  const database = await databaseWithTables('two keys')
  const first = await startApp({ ...often(database), TLOG_KEY: anyKey() })
  const { token } = await newActor(first.url)
  await newEntry(first.url, token)
  const { origin } = await headAbove(first.url, 0)
  const last = await startApp({ ...often(database), TLOG_KEY: anyKey() })
  // One record for the first entry, one for the continuation.
  for (let size = 3; size < 8; size++) {
    await newEntry(size % 2 === 0 ? first.url : last.url, token)
    await headAbove(last.url, size - 1)
  }
  const heads = await Promise.all([first, last].map(({ url }) => headAbove(url, 6)))
  assert.deepEqual(new Set(heads.map(({ size }) => size)), new Set([7]))
  assert.notEqual(heads[0]?.origin, origin)
  await Promise.all([first.close(), last.close()])
  await checkAll(database, heads)
})

/** The state after a failover to a standby that lacks the newest commits of 5 entries: earlier rows, log and identity. */
const setBack = (database: string): Promise<void> =>
  withClient(database, async client => {
    await client.query(`BEGIN; LOCK TABLE head, log, log_checkpoint IN ACCESS EXCLUSIVE MODE;
      DELETE FROM activity WHERE revision > 3; DELETE FROM revision WHERE number > 3; DELETE FROM entry WHERE number > 3;
      DELETE FROM log_bundle; DELETE FROM log_checkpoint; UPDATE log SET size = 0, root = '';
      UPDATE head SET record = 3, entries = 3, revisions = 3; UPDATE cluster SET identity = 'another'; COMMIT`)
  })

test('a database that lost records which were signed begins another log', { skip: NO_POSTGRES }, async () => {
  const database = await databaseWithTables('lost records')
  const nodes = [await startApp(often(database)), await startApp(often(database))]
  const [one = '', two = ''] = nodes.map(({ url }) => url)
  const { token } = await newActor(one)
  for (let n = 0; n < 5; n++) await newEntry(one, token)
  const before = await headAbove(one, 4)
  await headAbove(two, 4)
  await setBack(database)
  for (let n = 0; n < 4; n++) await newEntry(two, token)
  const after = await headAbove(two, 7)
  assert.notEqual(after.origin, before.origin)
  await headAbove(one, 7)
  for (const node of nodes) await node.close()
})

for (const [shown, path] of [
  ['a checkpoint', '/log/checkpoint'],
  ['a proof', '/api/log/records/5/proof'],
] as const) {
  test(`a node that showed ${shown} begins another log if database and signer are lost`, {
    skip: NO_POSTGRES,
  }, async () => {
    const database = await databaseWithTables(shown)
    const signer = await startApp(often(database))
    // This node looks at the log when it starts, and no more.
    const DATA_DIR = join(directory.path, shown)
    const idle = await startApp({ DATABASE_URL: database, DATA_DIR, TLOG_INTERVAL_SECONDS: '3600' })
    const { token } = await newActor(signer.url)
    for (let n = 0; n < 5; n++) await newEntry(signer.url, token)
    const before = await headAbove(signer.url, 4)
    const answer = await call(idle.url, 'GET', path)
    assert.ok(answer.text.includes(before.note), answer.text.slice(0, 200))
    // The file has it before the node ends.
    assert.ok(readFileSync(logHeadFile(DATA_DIR), 'utf8').startsWith(`${before.origin}\n5\n`))
    for (const node of [signer, idle]) await node.close()
    await setBack(database)
    const survivor = await startApp({ ...often(database), DATA_DIR })
    for (let n = 0; n < 4; n++) await newEntry(survivor.url, token)
    assert.notEqual((await headAbove(survivor.url, 7)).origin, before.origin)
    await survivor.close()
  })
}
