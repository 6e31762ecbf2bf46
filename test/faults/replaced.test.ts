import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { openStoreForWriting } from '../../src/stores/embedded/create.ts'
import {
  lockDataDirectory,
  lockFile,
  markerFile,
  prepareDataDirectory,
  storeFile,
  watchServedFiles,
} from '../../src/stores/embedded/directory.ts'
import { expectDone, LAUNCHER, palimpsest } from '../cli/command.ts'
import { assertStartRefused, startApp, type TestApp } from '../support/app.ts'
import { spawn } from '../support/children.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { assertRefused, makeDirectory, type ServerProcess, spawnService, startServer } from '../support/process.ts'

const directory = makeDirectory()
after(() => directory.remove())

/** Puts a copy in the place of a file, as a restore by hand does. */
function replace(path: string): void {
  copyFileSync(path, `${path}.copy`)
  renameSync(`${path}.copy`, path)
}

type Change = { name: string; file: RegExp; change(dataDir: string): void }
const CHANGES: readonly Change[] = [
  { name: 'a deleted store', file: /palimpsest\.db /, change: dataDir => rmSync(storeFile(dataDir)) },
  { name: 'a replaced store', file: /palimpsest\.db /, change: dataDir => replace(storeFile(dataDir)) },
  { name: 'a deleted log', file: /palimpsest\.db-wal /, change: dataDir => rmSync(`${storeFile(dataDir)}-wal`) },
  { name: 'a replaced log', file: /palimpsest\.db-wal /, change: dataDir => replace(`${storeFile(dataDir)}-wal`) },
  { name: 'a deleted lock', file: /palimpsest\.lock /, change: dataDir => rmSync(lockFile(dataDir)) },
  { name: 'a replaced lock', file: /palimpsest\.lock /, change: dataDir => replace(lockFile(dataDir)) },
  { name: 'a deleted directory', file: /palimpsest\.db /, change: dataDir => rmSync(dataDir, { recursive: true }) },
  { name: 'a renamed directory', file: /palimpsest\.db /, change: dataDir => renameSync(dataDir, `${dataDir}-2`) },
]

const ENDING = /was deleted or replaced while it was served; .+\.$/
const TOO_LATE = { title: 'Too late', summary: 'Summary', content: 'Content' }

/** A service in this process with one entry, on a directory that a test may delete or rename. */
async function startFilled(): Promise<{ app: TestApp; token: string }> {
  const app = await startApp({}, { engine: 'embedded' })
  const { token } = await newActor(app.url)
  await newEntry(app.url, token)
  return { app, token }
}

/** Asserts that the service reports the file, and closes it. */
async function assertBroken(app: TestApp, file: RegExp): Promise<void> {
  const { message } = await app.broken
  assert.match(message, file)
  assert.match(message, ENDING)
  await app.close()
}

/** Asserts that a service has ended by itself, and that its last line names the file. */
async function assertEnded(server: ServerProcess, file: RegExp): Promise<void> {
  const { code, stderr } = await server.ended
  assert.equal(code, 1, stderr)
  const last = stderr.trim().split('\n').at(-1) ?? ''
  assert.match(last, file)
  assert.match(last, ENDING)
}

async function assertNotWritten(url: string, token: string): Promise<void> {
  const answer = await call(url, 'POST', '/api/entries', { token, body: TOO_LATE }).catch(() => undefined)
  assert.ok(answer === undefined || answer.status === 503, answer?.text)
}

// A service calls `assertSame` once a second. Other tests here wait for a service that is idle.
for (const { name, file, change } of CHANGES) {
  test(`${name} is reported with a sentence`, async () => {
    const dataDir = prepareDataDirectory(join(directory.path, `watched ${name}`))
    const lock = lockDataDirectory(dataDir)
    const connection = await openStoreForWriting(dataDir)
    const { assertSame, stop } = watchServedFiles(dataDir, connection)
    assertSame()
    change(dataDir)
    assert.throws(assertSame, ({ message }: Error) => file.test(message) && ENDING.test(message))
    stop()
    connection.close()
    lock[Symbol.dispose]()
  })
}

test('a deleted lock ends an idle service with a sentence', async () => {
  const { app } = await startFilled()
  rmSync(lockFile(app.dataDir))
  await assertBroken(app, /palimpsest\.lock /)
})

suite('no write after a change of the files is acknowledged', { concurrency: 2 }, () => {
  for (const { name, file, change } of CHANGES) {
    test(name, async () => {
      const { app, token } = await startFilled()
      change(app.dataDir)
      await assertNotWritten(app.url, token)
      await assertBroken(app, file)
    })
  }
})

test('the process of a service whose directory is deleted under a write ends with a sentence', async () => {
  const dataDir = join(directory.path, 'process')
  const server = await startServer(dataDir)
  const { token } = await newActor(server.url)
  rmSync(dataDir, { recursive: true })
  await assertNotWritten(server.url, token)
  await assertEnded(server, /palimpsest\.db /)
})

test('a private memory whose store is deleted ends with a sentence', async () => {
  const dataDir = join(directory.path, 'private')
  const child = spawn(process.execPath, [LAUNCHER, 'mcp', '--data-dir', dataDir], { stdio: ['pipe', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = once(child, 'close')
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\n`)
  await once(child.stdout, 'data')
  rmSync(storeFile(dataDir))
  assert.deepEqual(await ended, [1, null])
  assert.match(
    stderr.trim().split('\n').at(-1) ?? '',
    /palimpsest\.db was deleted or replaced while it was served; .+\.$/,
  )
})

test('writes that were acknowledged before the write-ahead log was deleted survive the restart', async () => {
  const dataDir = join(directory.path, 'rescued')
  const server = await startServer(dataDir)
  const { token } = await newActor(server.url)
  const entries = []
  for (let n = 0; n < 20; n++) entries.push(await newEntry(server.url, token, { title: `Entry ${n}` }))
  rmSync(`${storeFile(dataDir)}-wal`)
  await assertEnded(server, /palimpsest\.db-wal /)
  const again = await startServer(dataDir)
  for (const { slug } of entries) expectStatus(await call(again.url, 'GET', `/api/entries/${slug}`), 200)
  await newEntry(again.url, token)
  assert.equal((await again.stop()).code, 0)
})

test('a directory whose store is missing or empty is refused with a sentence, until its marker is deleted', async () => {
  const dataDir = join(directory.path, 'lost')
  const start = () => startApp({ DATA_DIR: dataDir }, { engine: 'embedded' })
  await (await start()).close()
  truncateSync(storeFile(dataDir), 0)
  await assertStartRefused(dataDir, /palimpsest\.db is empty.*palimpsest restore.*palimpsest\.marker/)
  rmSync(storeFile(dataDir))
  await assertRefused(dataDir, /palimpsest\.db is missing.*palimpsest restore.*palimpsest\.marker/)
  rmSync(markerFile(dataDir))
  await (await start()).close()
})

const WRITTEN = 40

/** Serves a directory until it is stopped, after writing entries with these titles. Returns their slugs. */
async function fillStore(dataDir: string, title: string): Promise<string[]> {
  const server = await startServer(dataDir)
  const slugs = await fillServed(server, title)
  await server.stop()
  return slugs
}

async function fillServed({ url }: ServerProcess, title: string): Promise<string[]> {
  const { token } = await newActor(url)
  const slugs: string[] = []
  for (let n = 0; n < WRITTEN; n++) {
    const { slug } = await newEntry(url, token, { title: `${title} ${n}`, content: `${title} `.repeat(400) })
    slugs.push(slug)
  }
  return slugs
}

/** Asserts that the next start serves exactly these entries of an intact store, and that a file has the earlier log. */
async function assertServedNext(dataDir: string, slugs: readonly string[]): Promise<void> {
  const looked = await palimpsest(['check', '--data-dir', dataDir])
  assert.equal(looked.code, 1)
  assert.match(looked.stderr, /palimpsest\.db-wal is not its write-ahead log; start the service/)
  const doctor = await palimpsest(['doctor', '--data-dir', dataDir])
  assert.match(doctor.stdout, /^FAIL store: .+ is not its write-ahead log; start the service/m)
  const server = await startServer(dataDir)
  assert.match(server.stderr(), /palimpsest\.db was replaced .+ is now .+palimpsest\.db-wal\.replaced-\S+ and /)
  for (const slug of slugs) expectStatus(await call(server.url, 'GET', `/api/entries/${slug}`), 200)
  const list = expectStatus(await call<{ total: number }>(server.url, 'GET', '/api/stats'), 200)
  assert.equal((list as unknown as { entries: number }).entries, slugs.length)
  await newEntry(server.url, (await newActor(server.url)).token)
  assert.equal((await server.stop()).code, 0)
  expectDone(await palimpsest(['check', '--data-dir', dataDir]))
  const names = readdirSync(dataDir).filter(name => /^palimpsest\.db-(wal|shm)\.replaced-/.test(name))
  assert.equal(names.length, 2, names.join())
}

/** Ends a service whose store was replaced: one that sees it ends by itself, and another one is killed. */
async function endReplaced(server: ServerProcess, isSeen: boolean): Promise<void> {
  if (isSeen) return assertEnded(server, /palimpsest\.db /)
  server.kill('SIGKILL')
  await server.ended
  assert.ok(existsSync(`${storeFile(server.dataDir)}-wal`))
}

suite('a store that was replaced while it was served is the one that the next start serves, intact', () => {
  for (const way of ['renamed', 'copied'] as const) {
    test(`another store is ${way} into its place`, async () => {
      const [dataDir, other] = [join(directory.path, `served ${way}`), join(directory.path, `other ${way}`)]
      const slugs = await fillStore(other, 'Other')
      const server = await startServer(dataDir)
      await fillServed(server, 'Served')
      if (way === 'renamed') renameSync(storeFile(other), storeFile(dataDir))
      else copyFileSync(storeFile(other), storeFile(dataDir))
      await endReplaced(server, way === 'renamed')
      await assertServedNext(dataDir, slugs)
    })
  }

  for (const way of ['renamed', 'copied'] as const) {
    test(`a backup of the same store is ${way} into its place`, async () => {
      const dataDir = join(directory.path, `backed up ${way}`)
      const backup = join(directory.path, `backup ${way}.db`)
      const server = await startServer(dataDir)
      const slugs = await fillServed(server, 'Backed up')
      expectDone(await palimpsest(['backup', '--to', backup, '--data-dir', dataDir]))
      await fillServed(server, 'Later')
      if (way === 'renamed') renameSync(backup, storeFile(dataDir))
      else copyFileSync(backup, storeFile(dataDir))
      await endReplaced(server, way === 'renamed')
      await assertServedNext(dataDir, slugs)
    })
  }

  test('a restored store is renamed into its place', async () => {
    const [dataDir, restored] = [join(directory.path, 'before restore'), join(directory.path, 'restored')]
    const backup = join(directory.path, 'restored.db')
    const server = await startServer(dataDir)
    const slugs = await fillServed(server, 'Restored')
    expectDone(await palimpsest(['backup', '--to', backup, '--data-dir', dataDir]))
    expectDone(await palimpsest(['restore', '--from', backup, '--data-dir', restored]))
    await fillServed(server, 'Later')
    renameSync(storeFile(restored), storeFile(dataDir))
    await endReplaced(server, true)
    await assertServedNext(dataDir, slugs)
  })
})

test('a killed store that is copied with its log loses nothing, also where another one was served before', async () => {
  const [dataDir, copied] = [join(directory.path, 'killed'), join(directory.path, 'copied')]
  const server = await startServer(dataDir)
  const slugs = await fillServed(server, 'Killed')
  server.kill('SIGKILL')
  await server.ended
  const names = readdirSync(dataDir).filter(name => name.startsWith('palimpsest.db'))
  const copyInto = (target: string): void => {
    for (const name of names) copyFileSync(join(dataDir, name), join(target, name))
  }
  prepareDataDirectory(copied)
  copyInto(copied)
  for (const path of [copied, dataDir]) {
    const again = await startServer(path)
    for (const slug of slugs) expectStatus(await call(again.url, 'GET', `/api/entries/${slug}`), 200)
    again.kill('SIGKILL')
    await again.ended
  }
})

test('a store and a log of which neither was served here are not opened, until the operator decides', async () => {
  const [dataDir, other] = [join(directory.path, 'undecided'), join(directory.path, 'undecided other')]
  await fillStore(dataDir, 'Here')
  const server = await startServer(other)
  const slugs = await fillServed(server, 'Other')
  server.kill('SIGKILL')
  await server.ended
  for (const name of ['palimpsest.db', 'palimpsest.db-wal']) copyFileSync(join(other, name), join(dataDir, name))
  await assertRefused(dataDir, /palimpsest\.db-wal is not its write-ahead log; rename .+, or delete .+\.marker/)
  rmSync(markerFile(dataDir))
  const again = await startServer(dataDir)
  for (const slug of slugs) expectStatus(await call(again.url, 'GET', `/api/entries/${slug}`), 200)
  assert.equal((await again.stop()).code, 0)
})

/** Starts where there is no store: one that may make none, one that may, and the first again. */
async function startWithoutStore(env: { DATA_DIR: string; DATABASE_URL?: string }): Promise<void> {
  const refused = await spawnService(['serve'], { env: { ...env, NEW_STORE: 'refused' } }).ended
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /(?:no store in .+gone|contains no store), and NEW_STORE is "refused"; .+\.\n$/)
  assert.equal(refused.stderr.trim().split('\n').length, 1)
  const starts: string[] = []
  for (const NEW_STORE of ['allowed', 'refused']) {
    const app = await startApp({ ...env, NEW_STORE }, { engine: 'embedded' })
    await app.close()
    starts.push(app.log())
  }
  assert.match(starts[0] ?? '', /"storeId":"[0-9a-f-]{36}","msg":"a new, empty store was made"/)
  assert.doesNotMatch(starts[1] ?? '', /empty store/)
}

test('with NEW_STORE=refused a start without a store makes none and reports it; otherwise the log names the new store', () =>
  startWithoutStore({ DATA_DIR: join(directory.path, 'gone') }))

test('with NEW_STORE=refused a node over an empty database does not start', { skip: NO_POSTGRES }, async () =>
  startWithoutStore({ DATA_DIR: join(directory.path, 'node'), DATABASE_URL: await databaseOf('no store yet') }),
)
