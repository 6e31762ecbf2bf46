import assert from 'node:assert/strict'
import { existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { indexFile, storeFile } from '../../src/embedded/files.ts'
import { palimpsest } from '../cli/command.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import {
  assertRefused,
  eventually,
  makeDirectory,
  type ServerProcess,
  spawnService,
  startServer,
} from '../support/process.ts'

const directory = makeDirectory()
after(() => directory.remove())

async function stop(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
}

const titlesOf = async (server: ServerProcess, q: string): Promise<string[]> => {
  const path = `/api/entries?q=${encodeURIComponent(q)}`
  const answer = await call<{ items: { title: string }[] }>(server.url, 'GET', path)
  return expectStatus(answer, 200).items.map(({ title }) => title)
}

test('a second process on the same directory is refused with one sentence, and the first one continues', async () => {
  const dataDir = join(directory.path, 'shared')
  const server = await startServer(dataDir)
  await assertRefused(dataDir, /in use by another palimpsest process/)
  await newActor(server.url)
  server.kill('SIGKILL')
  await server.ended
  await stop(await startServer(dataDir))
})

test('a store of a newer incompatible version is refused with one sentence', async () => {
  const dataDir = join(directory.path, 'newer')
  await stop(await startServer(dataDir))
  const store = openSqlite(storeFile(dataDir), 'write')
  store.run(sql`INSERT INTO migration (number, name, breaking, applied_at) VALUES (999, 'from-tomorrow', 1, 0)`)
  store.close()
  await assertRefused(dataDir, /step 999 \(from-tomorrow\)/)
})

test('a store that is not a database is refused with one sentence', async () => {
  const dataDir = join(directory.path, 'garbage')
  await stop(await startServer(dataDir))
  for (const part of ['-wal', '-shm']) rmSync(`${storeFile(dataDir)}${part}`, { force: true })
  writeFileSync(storeFile(dataDir), 'no database '.repeat(1_000))
  await assertRefused(dataDir, /database/)
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
  const dataDir = join(directory.path, 'indexed')
  const other = join(directory.path, 'other')
  const index = indexFile(dataDir)
  let server = await startServer(dataDir)
  const { token } = await newActor(server.url)
  for (let n = 0; n < 20; n++) await newEntry(server.url, token, { title: `Walrus ${n}`, content: 'word '.repeat(500) })
  await newEntry(server.url, token, { title: 'Needle', content: 'zugzwang' })
  assert.deepEqual(await titlesOf(server, 'zugzwang'), ['Needle'])
  const stranger = await startServer(other)
  await newEntry(stranger.url, (await newActor(stranger.url)).token, { title: 'Stranger', content: 'zugzwang' })
  assert.deepEqual(await titlesOf(stranger, 'zugzwang'), ['Stranger'])
  await stop(stranger)

  const damages: Record<string, () => unknown> = {
    missing: () => rmSync(index),
    'cut short': () => truncateSync(index, 5_000),
    empty: () => writeFileSync(index, ''),
    'no database': () => writeFileSync(index, 'no database '.repeat(1_000)),
    'its header overwritten': () => scribble(index, 0, 200),
    'of another store': () => {
      rmSync(index)
      const from = openSqlite(indexFile(other), 'read')
      from.raw.exec(`VACUUM INTO '${index.replaceAll("'", "''")}'`)
      from.close()
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    await stop(server)
    for (const part of ['-wal', '-shm']) rmSync(`${index}${part}`, { force: true })
    assert.ok(existsSync(index))
    await damage()
    server = await startServer(dataDir)
    assert.deepEqual(await titlesOf(server, 'zugzwang'), ['Needle'], name)
    assert.equal((await titlesOf(server, 'walrus')).length, 20, name)
  }
  await stop(server)
})

test('a search index whose damage is found later ends the process, and the next start rebuilds it', async () => {
  const dataDir = join(directory.path, 'damaged')
  let server = await startServer(dataDir)
  const { token } = await newActor(server.url)
  for (let n = 0; n < 20; n++)
    await newEntry(server.url, token, { title: `Walrus ${n}`, content: `word${n} `.repeat(200) })
  assert.equal((await titlesOf(server, 'walrus')).length, 20)
  await stop(server)
  const index = openSqlite(indexFile(dataDir), 'write')
  const terms = index.one<{ rootpage: number }>(sql`SELECT rootpage FROM sqlite_schema WHERE name = 'terms_data'`)
  index.close()
  await scribble(indexFile(dataDir), ((terms?.rootpage ?? 0) - 1) * PAGE, PAGE)

  // On a busy machine the index thread may meet the damage before the service is announced.
  const { child, output, ended } = spawnService(['serve'], { env: { DATA_DIR: dataDir } })
  const url = await Promise.race([
    eventually('ready', PATIENCE, async () => /ready at (\S+)/.exec(output.stdout)?.[1]),
    ended,
  ])
  const answer =
    typeof url === 'string' ? await call(url, 'GET', '/api/entries?q=walrus').catch(() => undefined) : undefined
  if (answer?.status === 200) child.kill('SIGKILL')
  assert.notEqual(answer?.status, 200, 'the damage did not show')
  const { code, stderr } = await ended
  assert.ok(code !== 0 && code !== null, stderr)

  server = await startServer(dataDir)
  assert.equal((await titlesOf(server, 'walrus')).length, 20)
  await stop(server)
})

/** Where no directory can be made: Linux says of a new one that its parent is missing. */
const NOWHERE = '/proc/palimpsest/data'

test('a directory that cannot be made at its path is refused with one sentence, by every command that makes one', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async t => {
  const server = await startServer(join(directory.path, 'served'))
  t.after(() => stop(server))
  const draft = join(directory.path, 'draft.md')
  writeFileSync(draft, '---\ntitle: T\nsummary: S\n---\nC\n')
  const [logKey = ''] = (await call(server.url, 'GET', '/log/keys')).text.split('\n')
  const commands: readonly (readonly string[])[] = [
    ['serve', '--data-dir', NOWHERE],
    ['mcp', '--data-dir', NOWHERE],
    ['migrate', '--data-dir', NOWHERE],
    ['mirror', server.url, '--data-dir', NOWHERE],
    ['publish', draft, '--url', server.url],
    ['witness', logKey, '--name', 'witness.example/w1', '--dir', NOWHERE],
  ]
  await Promise.all(
    commands.map(async args => {
      const { code, stderr } = await palimpsest(args, { env: { XDG_CONFIG_HOME: NOWHERE } })
      assert.equal(code, 1, `${args.join(' ')}: ${code} ${stderr}`)
      assert.ok(stderr.includes(NOWHERE), stderr)
      assert.equal(stderr.trim().split('\n').length, 1, stderr)
    }),
  )
})
