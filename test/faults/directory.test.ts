import assert from 'node:assert/strict'
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '../../src/engine/database.ts'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { indexFile, nodeIndexFile, storeFile } from '../../src/stores/embedded/directory.ts'
import { palimpsest } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { assertStartRefused, startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { assertRefused, eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'

const directory = makeDirectory()
after(() => directory.remove())

const start = (name: string): Promise<TestApp> =>
  startApp({ DATA_DIR: join(directory.path, name) }, { engine: 'embedded' })

const titlesOf = async ({ url }: TestApp, q: string): Promise<string[]> => {
  const path = `/api/entries?q=${encodeURIComponent(q)}`
  const answer = await call<{ items: { title: string }[] }>(url, 'GET', path)
  return expectStatus(answer, 200).items.map(({ title }) => title)
}

test('a second public service on the same directory is refused with one sentence, and the first one continues', async () => {
  const dataDir = join(directory.path, 'shared')
  const server = await startServer(dataDir)
  await assertRefused(dataDir, /in use by another palimpsest process/, { HOST: '0.0.0.0' })
  await newActor(server.url)
  server.kill('SIGKILL')
  await server.ended
  await (await start('shared')).close()
})

test('a store that another version wrote is refused with one sentence that names the remedy', async () => {
  const app = await start('newer')
  await app.close()
  const store = openSqlite(storeFile(app.dataDir), 'write')
  store.run(sql`INSERT INTO migration (number, name, applied_at) VALUES (2, 'nodes', 0)`)
  store.close()
  await assertStartRefused(app.dataDir, /step 2 \(nodes\).*"palimpsest export".*"palimpsest import"/)
})

test('a store that is not a database is refused with one sentence', async () => {
  const app = await start('garbage')
  await app.close()
  for (const part of ['-wal', '-shm']) rmSync(`${storeFile(app.dataDir)}${part}`, { force: true })
  writeFileSync(storeFile(app.dataDir), 'no database '.repeat(1_000))
  await assertRefused(app.dataDir, /database/)
})

const PAGE = 8_192
const PATIENCE = 60_000

/** Overwrites a stretch in the middle of a file. */
async function scribble(path: string, at: number, length: number): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(length, 0x5a), 0, length, at)
  await file.close()
}

test('a search index that is missing, truncated, overwritten or of another store is rebuilt at the start', async () => {
  let app = await start('indexed')
  const index = indexFile(app.dataDir)
  const { token } = await newActor(app.url)
  for (let n = 0; n < 20; n++) await newEntry(app.url, token, { title: `Walrus ${n}`, content: 'word '.repeat(500) })
  await newEntry(app.url, token, { title: 'Needle', content: 'zugzwang' })
  assert.deepEqual(await titlesOf(app, 'zugzwang'), ['Needle'])
  const stranger = await start('other')
  await newEntry(stranger.url, (await newActor(stranger.url)).token, { title: 'Stranger', content: 'zugzwang' })
  assert.deepEqual(await titlesOf(stranger, 'zugzwang'), ['Stranger'])
  await stranger.close()

  const damages: Record<string, () => unknown> = {
    missing: () => rmSync(index),
    'cut short': () => truncateSync(index, 5_000),
    empty: () => writeFileSync(index, ''),
    'no database': () => writeFileSync(index, 'no database '.repeat(1_000)),
    'its header overwritten': () => scribble(index, 0, 200),
    'of another store': () => {
      rmSync(index)
      const from = openSqlite(indexFile(stranger.dataDir), 'read')
      from.raw.exec(`VACUUM INTO '${index.replaceAll("'", "''")}'`)
      from.close()
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    await app.close()
    for (const part of ['-wal', '-shm']) rmSync(`${index}${part}`, { force: true })
    assert.ok(existsSync(index))
    await damage()
    app = await start('indexed')
    assert.deepEqual(await titlesOf(app, 'zugzwang'), ['Needle'], name)
    assert.equal((await titlesOf(app, 'walrus')).length, 20, name)
  }
  await app.close()
})

const ENTRIES = 100
const WORDS = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda sigma omega'.split(' ')

/** Writes entries that all have the word walrus, each with many other words. */
async function fillIndex(url: string): Promise<string> {
  const { token } = await newActor(url)
  const made = Array.from({ length: ENTRIES }, (_, n) => {
    const content = Array.from({ length: 60 }, (_, at) => `${WORDS[at % WORDS.length]}${n * 60 + at}`).join(' ')
    return newEntry(url, token, { title: `Walrus ${n}`, content })
  })
  await Promise.all(made)
  return token
}

/** The answer to a search for the oldest of so many entries. */
const findOldest = ({ url }: ServerProcess, of: number) =>
  call<{ items: unknown[] }>(url, 'GET', `/api/search?q=walrus&limit=2&offset=${of - 1}`)

async function assertAllFound(server: ServerProcess, written: number): Promise<void> {
  const search = await eventually('the index has all records', PATIENCE, async () => {
    const answer = await findOldest(server, written)
    return answer.status === 200 ? answer : undefined
  })
  assert.equal(search.body.items.length, 1)
}

/**
 * Searches a service whose index is damaged until it finds all entries again. Asserts that searches are refused with a time to wait until
 * then, that all other requests are answered, and that the log names the file.
 */
async function assertRebuilt(server: ServerProcess, token: string): Promise<void> {
  let written = ENTRIES
  await eventually('every entry is found again', PATIENCE, async () => {
    const search = await findOldest(server, written)
    expectStatus(await call(server.url, 'GET', '/api/entries?limit=1'), 200)
    expectStatus(await call(server.url, 'GET', '/ready'), 200)
    await newEntry(server.url, token, { title: `Walrus ${written++}` })
    if (search.status !== 200) {
      assert.ok(Number(expectProblem(search, 503, 'NOT_READY').headers.get('retry-after')) >= 1)
      assert.match(String(search.headers.get('reason')), /search index/)
      return undefined
    }
    assert.equal(search.body.items.length, 1, 'a search finds part of the entries')
    return server.stderr().includes('the search index is damaged') ? true : undefined
  })
  assert.match(
    server.stderr(),
    /"file":"[^"]+search(?:-node)?\.db","damage":"[^"]+","msg":"the search index is damaged and is rebuilt/,
  )
  await assertAllFound(server, written)
}

/** The first page of the terms in the index of a stopped service. */
function firstPageOfTerms(path: string): number {
  const index = openSqlite(path, 'write')
  const terms = index.one<{ rootpage: number }>(sql`SELECT rootpage FROM sqlite_schema WHERE name = 'terms_data'`)
  index.close()
  return terms?.rootpage ?? 0
}

type Damage = { when: 'before the start' | 'during the service'; damage(index: string): unknown }
/** While a service runs, a damaged page shows only if no thread has it in memory or in the write-ahead log. */
const DAMAGES: Record<string, Damage> = {
  'the first page of its terms is overwritten': {
    when: 'before the start',
    damage: index => scribble(index, (firstPageOfTerms(index) - 1) * PAGE, PAGE),
  },
  'its header is overwritten': { when: 'before the start', damage: index => scribble(index, 0, 200) },
  'all pages after the first are overwritten': {
    when: 'during the service',
    damage: index => scribble(index, PAGE, statSync(index).size - PAGE),
  },
  'it is cut short': { when: 'during the service', damage: index => truncateSync(index, PAGE) },
}

async function assertRepaired(
  dataDir: string,
  index: string,
  { when, damage }: Damage,
  env: Record<string, string>,
): Promise<void> {
  const first = await startServer(dataDir, { env })
  const token = await fillIndex(first.url)
  await assertAllFound(first, ENTRIES)
  await first.stop()
  if (when === 'before the start') await damage(index)
  const server = await startServer(dataDir, { env })
  if (when === 'during the service') {
    await assertAllFound(server, ENTRIES)
    await damage(index)
  }
  await assertRebuilt(server, token)
  assert.equal((await server.stop()).code, 0)
}

for (const [at, [name, damage]] of Object.entries(DAMAGES).entries()) {
  test(`a search index is rebuilt, and all else is served, when ${damage.when} ${name}`, () => {
    const dataDir = join(directory.path, `damage-${at}`)
    return assertRepaired(dataDir, indexFile(dataDir), damage, {})
  })
  test(`so is that of a node of PostgreSQL when ${damage.when} ${name}`, { skip: NO_POSTGRES }, async () => {
    const dataDir = join(directory.path, `node-damage-${at}`)
    await assertRepaired(dataDir, nodeIndexFile(dataDir), damage, { DATABASE_URL: await databaseOf(`damage-${at}`) })
  })
}

/** Where no directory can be made: Linux says of a new one that its parent is missing. */
const NOWHERE = '/proc/palimpsest/data'
const SERVING = ['serve', 'mirror']
const { inProcess } = commandLine()

test('a directory that cannot be made at its path is refused with one sentence, by every command that makes one', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async t => {
  const app = await start('served')
  t.after(() => app.close())
  const draft = join(directory.path, 'draft.md')
  writeFileSync(draft, '---\ntitle: T\nsummary: S\n---\nC\n')
  const [logKey = ''] = (await call(app.url, 'GET', '/log/keys')).text.split('\n')
  const commands: readonly (readonly string[])[] = [
    ['serve', '--data-dir', NOWHERE],
    ['mcp', '--data-dir', NOWHERE],
    ['migrate', '--data-dir', NOWHERE],
    ['mirror', app.url, '--data-dir', NOWHERE],
    ['publish', draft, '--url', app.url],
    ['witness', logKey, '--name', 'witness.example/w1', '--dir', NOWHERE],
  ]
  for (const args of commands) {
    // Commands that serve are for a process of their own.
    const run = SERVING.includes(String(args[0])) ? palimpsest : inProcess
    const { code, stderr } = await run(args, { env: { XDG_CONFIG_HOME: NOWHERE } })
    assert.equal(code, 1, `${args.join(' ')}: ${code} ${stderr}`)
    assert.ok(stderr.includes(NOWHERE), stderr)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }
})
