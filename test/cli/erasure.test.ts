import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { writeCanary } from '../support/canary.ts'
import { call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { moderate, tryModerate } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'
import { expectDone, temporaryDirectory } from './command.ts'
import { openCopy } from './mirror/copy.ts'
import { commandLine } from './people/in-process.ts'

const CANARY = 'zq7xcanaryoffortyletterswq0123456789vxyz'
const PATIENCE = 60_000

let app: TestApp
let directory: ReturnType<typeof temporaryDirectory>
let token: string
const path = (name: string): string => join(directory.path, name)
const { inProcess } = commandLine()

before(async () => {
  directory = temporaryDirectory()
  mkdirSync(path('backups'))
  app = await startApp({ DATA_DIR: path('data'), TLOG_INTERVAL_SECONDS: '0.05' })
  ;({ token } = await newActor(app.url))
})
after(async () => {
  await app.close()
  directory.remove()
})

/** The bytes of a file; none if it is a directory, or was deleted since it was listed, as an index is when it is made again. */
function bytesOf(file: string): Buffer {
  try {
    return statSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0)
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** The files below a directory that have some bytes: the canary, or its second half, as an index may store it. */
const filesWith = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => {
    const bytes = bytesOf(join(root, name))
    return bytes.includes(CANARY) || bytes.includes(CANARY.slice(20))
  })

/** Waits until no file of a directory has the canary: the index is made again in the background. */
const withoutCanary = (root: string): Promise<true> =>
  eventually(`${root} has no canary`, PATIENCE, async () => (filesWith(root).length === 0 ? true : undefined))

/** Waits until a search of a service finds an entry, so that its index has all records. */
const indexed = (url: string, q: string): Promise<true> =>
  eventually('the index has every record', PATIENCE, async () => {
    const { status, body } = await call<{ items: object[] }>(url, 'GET', `/api/search?q=${q}`)
    return status === 200 && body.items.length > 0 ? true : undefined
  })

const backup = async (name: string): Promise<string> =>
  expectDone(await inProcess(['backup', '--to', path(`backups/${name}.db`), '--data-dir', app.dataDir]))

test('after an erasure no byte is in the store, its log, its index, an export, a mirror or a restored older backup', async () => {
  // Rows before, between and after, so that pages split, move and are freed.
  for (let n = 0; n < 60; n++) await newEntry(app.url, token, { title: `zq7 Row ${n}`, tags: [`zq7 ${n}`] })
  const { entry, other } = await writeCanary(app.url, token, CANARY)
  for (let n = 0; n < 60; n++) await newEntry(app.url, token, { title: `zq7xc Row ${n}`, tags: [`zq7xc ${n}`] })
  const kept = await newEntry(app.url, token, { title: 'zq8 kept', content: `Of ${CANARY} once.` })
  const body = revisionOf(kept, { content: 'Of nobody now.' })
  expectStatus(await call(app.url, 'POST', `/api/entries/${kept.slug}/revisions`, { body, token }), 201)
  await signedCheckpoint(app)
  await indexed(app.url, CANARY)
  const copy = await openCopy(app.url)
  await copy.catchUp()
  await indexed(copy.app.url, CANARY)
  await backup('before')
  assert.ok(filesWith(app.dataDir).some(name => name.startsWith('palimpsest.db')))
  assert.ok(filesWith(app.dataDir).some(name => name.startsWith('search.db')))
  assert.ok(filesWith(copy.directory).length > 0)
  assert.deepEqual(filesWith(path('backups')), ['before.db'])

  await moderate(app.url, 'ENTRY', entry.id, 'ERASE')
  const first = `/api/entries/${kept.slug}/revisions/${kept.currentRevisionId}`
  const record = (await call(app.url, 'GET', first)).headers.get('log-records') ?? ''
  await moderate(app.url, 'RECORD', record, 'ERASE')
  expectProblem(await call(app.url, 'GET', first), 410, 'ERASED')
  await indexed(app.url, 'kept')
  await withoutCanary(app.dataDir)
  await signedCheckpoint(app)
  await copy.catchUp()
  await indexed(copy.app.url, 'kept')
  await withoutCanary(copy.directory)
  for (const at of [`/api/entries/${entry.id}`, first])
    expectProblem(await call(copy.app.url, 'GET', at), 410, 'ERASED')
  expectStatus(await call(copy.app.url, 'GET', `/api/entries/${kept.slug}`), 200)
  expectStatus(await call(copy.app.url, 'GET', `/api/entries/${other.slug}`), 200)

  expectDone(await inProcess(['export', '--to', path('export.ndjson'), '--data-dir', app.dataDir]))
  const imported = ['import', '--from', path('export.ndjson'), '--original', app.url, '--data-dir', path('imported')]
  expectDone(await inProcess(imported))
  const fresh = await openCopy(app.url)
  await fresh.catchUp()
  expectStatus(await call(fresh.app.url, 'GET', `/api/entries/${kept.slug}`), 200)
  expectProblem(await call(fresh.app.url, 'GET', first), 410, 'ERASED')
  for (const made of [copy, fresh]) {
    await made.close()
    expectDone(await inProcess(['check', '--log', '--data-dir', made.directory]))
    assert.deepEqual(filesWith(made.directory), [])
  }
  assert.deepEqual(filesWith(path('imported')), [])
  assert.equal(readFileSync(path('export.ndjson')).includes(CANARY), false)
  expectDone(await inProcess(['check', '--log', '--data-dir', app.dataDir]))
  assert.deepEqual(filesWith(app.dataDir), [])
})

test('a mirror that stopped before it removed the bytes of erased records removes them at the next start', async () => {
  const copy = await openCopy(app.url)
  await copy.catchUp()
  await copy.close()
  // The state of a mirror that was killed after the commit: free pages have the text, and no ledger names the erasure.
  const file = new DatabaseSync(join(copy.directory, 'palimpsest.db'))
  file.exec(
    `PRAGMA secure_delete = OFF; CREATE TABLE gone (text TEXT); INSERT INTO gone VALUES ('${CANARY}'); DROP TABLE gone`,
  )
  file.close()
  assert.deepEqual(filesWith(copy.directory), ['palimpsest.db'])
  expectDone(await inProcess(['mirror', app.url, '--data-dir', copy.directory, '--once']))
  assert.deepEqual(filesWith(copy.directory), [])
})

test('an older backup is restored without what the ledger beside it names, and serves', async () => {
  await backup('after')
  const said = expectDone(
    await inProcess(['restore', '--from', path('backups/before.db'), '--data-dir', path('restored')]),
  )
  assert.match(said, /\d+ records were erased, as the ledger beside the backup says/)
  assert.deepEqual(filesWith(path('restored')), [])
  expectDone(await inProcess(['check', '--log', '--data-dir', path('restored')]))
  const restored = await startApp({ DATA_DIR: path('restored') })
  await indexed(restored.url, 'kept')
  assert.deepEqual(filesWith(path('restored')), [])
  await restored.close()
})

test('a record that is only marked as erased is a fault of the log', async () => {
  const own = await startApp({ DATA_DIR: path('marked'), TLOG_INTERVAL_SECONDS: '0.05' })
  const author = await newActor(own.url)
  await newEntry(own.url, author.token, { title: 'Kept' })
  await signedCheckpoint(own)
  await own.close()
  const store = new DatabaseSync(join(path('marked'), 'palimpsest.db'))
  const { number } = store.prepare('SELECT number FROM revision').get() as { number: number }
  store.prepare("INSERT INTO erasure (record, kind, commitment, act) VALUES (?, 'revision', 'x', 1)").run(number)
  store.close()
  const { code, stdout, stderr } = await inProcess(['check', '--log', '--data-dir', path('marked')])
  assert.equal(code, 1)
  assert.match(stdout + stderr, new RegExp(`Record ${number} is marked as erased, and was not erased by an act`))
})

test('a start applies the ledger of its directory before it serves', async () => {
  const ledger = readFileSync(join(app.dataDir, 'erasures'), 'utf8')
  assert.ok(ledger.startsWith('#') && !ledger.includes(CANARY))
  assert.equal(readFileSync(path('backups/erasures'), 'utf8'), ledger)
  // A copy of the backup that is not beside a ledger.
  mkdirSync(path('elsewhere'))
  copyFileSync(path('backups/before.db'), path('elsewhere/before.db'))
  expectDone(await inProcess(['restore', '--from', path('elsewhere/before.db'), '--data-dir', path('late')]))
  assert.deepEqual(filesWith(path('late')), ['palimpsest.db'])
  writeFileSync(join(path('late'), 'erasures'), ledger)
  const late = await startApp({ DATA_DIR: path('late') })
  await indexed(late.url, 'kept')
  assert.deepEqual(filesWith(path('late')), [])
  await late.close()
})

test('a ledger erases no record that another history gave the same number', async () => {
  const other = await startApp({ DATA_DIR: path('other') })
  const { token: own } = await newActor(other.url)
  const entry = await newEntry(other.url, own)
  await other.close()
  writeFileSync(join(path('other'), 'erasures'), readFileSync(join(app.dataDir, 'erasures')))
  const again = await startApp({ DATA_DIR: path('other') })
  expectStatus(await call(again.url, 'GET', `/api/entries/${entry.slug}`), 200)
  await again.close()
})

test('an erasure fails while another process reads the store as it was, a start serves without it, and it is done once it is repeated', async () => {
  const entry = await newEntry(app.url, token, { content: `Of ${CANARY} again.` })
  const reader = new DatabaseSync(join(app.dataDir, 'palimpsest.db'), { readOnly: true })
  reader.exec('BEGIN; SELECT record FROM head')
  assert.equal((await tryModerate(app.url, 'ENTRY', entry.id, 'ERASE')).status, 503)
  await app.restart()
  assert.match(app.log(), /erased texts may remain in the files/)
  expectProblem(await call(app.url, 'GET', `/api/entries/${entry.id}`), 410, 'ERASED')
  reader.close()
  assert.equal((await moderate(app.url, 'ENTRY', entry.id, 'ERASE')).changed, false)
  await withoutCanary(app.dataDir)
})
