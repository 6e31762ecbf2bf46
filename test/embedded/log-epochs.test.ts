import assert from 'node:assert/strict'
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import type { LogRecord } from '../../src/contract/resources.ts'
import { logKeyFile } from '../../src/secrets.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { logHeadFile } from '../../src/tlog/key-files.ts'
import { expectDone, expectRefusal } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { checkpointOf, type SignedCheckpoint } from '../support/logged-world.ts'
import { AS_ADMIN } from '../support/moderation.ts'
import { makeDirectory } from '../support/process.ts'

const { inProcess } = commandLine()
const directory = makeDirectory()
after(() => directory.remove())

async function publish(url: string, count: number): Promise<void> {
  const { token } = await newActor(url)
  for (let n = 0; n < count; n++) await newEntry(url, token)
}
const start = (dataDir: string): Promise<TestApp> =>
  startApp({ DATA_DIR: dataDir, TLOG_INTERVAL_SECONDS: '0.05' }, { engine: 'embedded' })
function change(dataDir: string, ...statements: string[]): void {
  const database = new DatabaseSync(storeFile(dataDir), { enableForeignKeyConstraints: false, timeout: 5_000 })
  database.exec(statements.join(';'))
  database.close()
}
const check = (dataDir: string, ...flags: string[]) => inProcess(['check', '--log', ...flags, '--data-dir', dataDir])

/** A stopped store of 5 records whose log has all of them, and its last checkpoint. */
const STOPPED = join(directory.path, 'stopped')
let head: SignedCheckpoint
before(async () => {
  const server = await start(STOPPED)
  await publish(server.url, 5)
  head = await checkpointOf(server.url, 5)
  await server.close()
})

/** A copy of the stopped store. */
function stoppedStore(name: string): { dataDir: string; head: SignedCheckpoint } {
  const dataDir = join(directory.path, name)
  cpSync(STOPPED, dataDir, { recursive: true })
  return { dataDir, head }
}

/**
 * Starts a store and publishes `count` entries. Asserts that its log is another one than that of `head`, and that record `at` names that
 * log and how much of it the store `continues`. Returns the lines of the service's log.
 */
async function assertAnotherLog(
  dataDir: string,
  { head, at, continues, count = 0 }: { head: SignedCheckpoint; at: number; continues: number; count?: number },
): Promise<string> {
  const server = await start(dataDir)
  await publish(server.url, count)
  assert.notEqual((await checkpointOf(server.url, at + count)).origin, head.origin)
  const logged = expectStatus(await call<LogRecord>(server.url, 'GET', `/api/log/records/${at}`), 200)
  assert.equal(logged.kind, 'continuation')
  const { previousOrigin, size, checkpoint } = JSON.parse(logged.statement ?? '{}')
  assert.deepEqual([previousOrigin, size, checkpoint], [head.origin, continues, head.note])
  await server.close()
  return server.log()
}

test('a restored store begins another log that names the previous one', async () => {
  const { dataDir, head } = stoppedStore('backed-up')
  const file = join(directory.path, 'log.backup')
  expectDone(await inProcess(['backup', '--to', file, '--data-dir', dataDir]))
  const key = readFileSync(logKeyFile(dataDir), 'utf8').split('\n')[1] ?? ''
  assert.ok(!readFileSync(file).includes(key), 'the backup has the key of the log')
  const restored = join(directory.path, 'restored')
  expectDone(await inProcess(['restore', '--from', file, '--data-dir', restored]))
  await assertAnotherLog(restored, { head, at: 6, continues: 5, count: 1 })
  expectDone(await check(restored, '--checkpoint', logHeadFile(dataDir)))
})

test('a store that lost its newest records signs nothing more under the origin of its log', async () => {
  const { dataDir, head } = stoppedStore('lost-tail')
  for (const table of ['revision', 'activity', 'entry']) {
    change(dataDir, `DELETE FROM ${table} WHERE ${table === 'activity' ? 'revision' : 'number'} > 3`)
  }
  change(dataDir, 'UPDATE head SET record = 3, entries = 3, revisions = 3')
  const lines = await assertAnotherLog(dataDir, { head, at: 4, continues: 3, count: 3 })
  assert.match(lines, /the store lost records that were signed/)
  const given = join(directory.path, 'lost-head')
  writeFileSync(given, head.note)
  expectRefusal(await check(dataDir, '--checkpoint', given), 1, /signed 5 records, but the store continues only 3/)
})

/** Publishes entries in a store. Returns its last checkpoint. */
async function grow(dataDir: string, count: number): Promise<SignedCheckpoint> {
  const server = await start(dataDir)
  await publish(server.url, count)
  const signed = await checkpointOf(server.url, 5 + count)
  await server.close()
  return signed
}

test('an older copy of a store signs nothing more under the origin of its log', async () => {
  const { dataDir } = stoppedStore('set-back')
  const older = join(directory.path, 'older.db')
  copyFileSync(storeFile(dataDir), older)
  const head = await grow(dataDir, 4)
  copyFileSync(older, storeFile(dataDir))
  await assertAnotherLog(dataDir, { head, at: 6, continues: 5, count: 5 })
})

/** Changes an entry of a store and removes its copy of the log. */
const replace = (dataDir: string, entry: number): void =>
  change(
    dataDir,
    `UPDATE entry SET slug = 'another' WHERE number = ${entry}`,
    "DELETE FROM log_bundle; DELETE FROM log_tile; UPDATE log SET size = 0, root = ''",
  )

for (const [name, lose] of [
  ['missing', (path: string) => rmSync(path)],
  ['older', (path: string, older: string) => writeFileSync(path, older)],
] as const) {
  test(`a store whose signed records were replaced, and whose log-head is ${name}, begins another log`, async () => {
    const { dataDir, head: older } = stoppedStore(`replaced-${name}`)
    const head = await grow(dataDir, 3)
    lose(logHeadFile(dataDir), older.note)
    replace(dataDir, 7)
    await assertAnotherLog(dataDir, { head, at: 9, continues: 0, count: 1 })
  })
}

test('a store whose signed records were replaced says that the next log agrees with none of them', async () => {
  const { dataDir, head } = stoppedStore('replaced')
  replace(dataDir, 3)
  // Nothing is written: the tree of the rows alone is not the signed one.
  await assertAnotherLog(dataDir, { head, at: 6, continues: 0 })
  expectDone(await check(dataDir))
})

for (const [what, lose] of [
  ['log-head is missing', (dataDir: string) => rmSync(logHeadFile(dataDir))],
  ['log-head is damaged', (dataDir: string) => writeFileSync(logHeadFile(dataDir), head.note.slice(0, 40))],
  ['key of its log is missing', (dataDir: string) => rmSync(logKeyFile(dataDir))],
] as const) {
  test(`a store whose ${what} begins another log, which agrees with the whole one before`, async () => {
    const { dataDir, head } = stoppedStore(what)
    lose(dataDir)
    const lines = await assertAnotherLog(dataDir, { head, at: 6, continues: 5 })
    if (what === 'log-head is missing') assert.match(lines, /log-head is missing, damaged or older than the store/)
    expectDone(await check(dataDir))
  })
}

test('deleted derived tables of a log are rebuilt with the same content', async () => {
  const { dataDir, head } = stoppedStore('rebuilt')
  change(dataDir, 'DELETE FROM log_bundle', 'DELETE FROM log_tile', "UPDATE log SET size = 0, root = ''")
  const server = await start(dataDir)
  await publish(server.url, 1)
  assert.equal((await checkpointOf(server.url, 6)).origin, head.origin)
  await server.close()
  expectDone(await check(dataDir, '--checkpoint', logHeadFile(dataDir)))
})

/** A change by hand of one row, and the record that it is named by. The check of the store finds some of them too. */
const EDITS: readonly [change: string, record: number, kind: string][] = [
  ["UPDATE entry SET slug = 'other' WHERE number = 1", 1, 'revision'],
  ['UPDATE entry SET tags = \'["other"]\' WHERE number = 1', 1, 'revision'],
  ['UPDATE activity SET sequence = 900 WHERE sequence = 2; UPDATE head SET sequence = 900', 2, 'revision'],
  ["UPDATE entry SET tags = '[]' WHERE number = 1", 1, 'revision'],
  ["UPDATE revision SET evidence_hash = '00' || substr(evidence_hash, 3) WHERE number = 2", 2, 'revision'],
  ['UPDATE evidence SET revision = 2 WHERE number = 3', 3, 'evidence'],
  ["UPDATE evidence SET rationale = 'Other' WHERE number = 3", 3, 'evidence'],
  ['UPDATE evidence SET confidence = 0.5 WHERE number = 3', 3, 'evidence'],
  ["UPDATE relation SET relation_type = 'REUSES' WHERE number = 4", 4, 'relation'],
  ["UPDATE moderation SET reason = 'Other' WHERE number = 5", 5, 'moderation'],
  ['UPDATE moderation SET created_at = created_at + 1 WHERE number = 5', 5, 'moderation'],
]

test('check --log names the record of a row that was changed by hand', async () => {
  const dataDir = join(directory.path, 'edited')
  const server = await start(dataDir)
  const { url } = server
  const { token } = await newActor(url)
  const post = (path: string, body: object, headers = {}) => call(url, 'POST', path, { body, token, headers })
  const [one, two] = [await newEntry(url, token, { tags: ['sea'] }), await newEntry(url, token)]
  const judged = { revisionId: one.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Tried.' }
  expectStatus(await post(`/api/entries/${one.slug}/verify`, judged), 201)
  const ends = { sourceEntryId: one.id, targetEntryId: two.id }
  expectStatus(await post('/api/relations', { ...ends, relationType: 'CONNECT', rationale: 'Both.' }), 201)
  const act = { targetType: 'ENTRY', targetId: two.id, action: 'BLOCK', reason: 'Tested.' }
  expectStatus(await post('/api/admin/moderate', act, AS_ADMIN), 200)
  await checkpointOf(url, 5)
  await server.close()
  expectDone(await check(dataDir))
  const whole = join(directory.path, 'whole.db')
  copyFileSync(storeFile(dataDir), whole)
  for (const [edit, record, kind] of EDITS) {
    copyFileSync(whole, storeFile(dataDir))
    change(dataDir, edit)
    expectRefusal(await check(dataDir), 1, new RegExp(`^Record ${record} \\(${kind}\\) differs from the log`))
  }
  copyFileSync(whole, storeFile(dataDir))
  change(dataDir, "UPDATE evidence SET rationale = 'Other'", "UPDATE moderation SET reason = 'Other'")
  const { code, stderr } = await check(dataDir)
  assert.equal(code, 1)
  assert.match(stderr, /^Record 3 \(evidence\) differs .*\nRecord 5 \(moderation\) differs /m)
})
