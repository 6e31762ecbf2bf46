import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { verifyLogFiles } from '../../src/client/log.ts'
import type { LogRecord } from '../../src/contract/resources.ts'
import { sql } from '../../src/engine/database.ts'
import { verifyWithNode } from '../../src/tlog/rules/signer.ts'
import { tilePath, tileWidth } from '../../src/tlog/verify/tile.js'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { NO_GO, verifyWithGo } from '../support/go.ts'
import { makeWorld, signedCheckpoint, type World } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'

let app: TestApp
let copy: Copy
let world: World
let key: string
before(async () => {
  app = await startApp({ TLOG_INTERVAL_SECONDS: '0.05' })
  const { token } = await newActor(app.url)
  world = await makeWorld(app.url, token)
  // More than a tile, and records that are withdrawn before they are copied.
  await Promise.all(Array.from({ length: 300 }, () => newEntry(app.url, token)))
  const { other } = await makeWorld(app.url, token)
  await moderate(app.url, 'ENTRY', other.id, 'HIDE')
  await signedCheckpoint(app)
  ;[key = ''] = (await textAt(app.url, '/log/keys')).split('\n')
  copy = await openCopy(app.url)
  await copy.catchUp()
})
after(async () => {
  await app.close()
})

const textAt = async (url: string, path: string): Promise<string> => (await call(url, 'GET', path)).text
const octetsAt = async (url: string, path: string): Promise<Buffer> => {
  const answer = await fetch(`${url}${path}`)
  assert.equal(answer.status, 200, `${url}${path}`)
  return Buffer.from(await answer.arrayBuffer())
}
/** The original and its copy, once the copy has all that is signed. */
async function settled(): Promise<{ size: number; note: string }> {
  const checkpoint = await signedCheckpoint(app)
  await copy.catchUp()
  return checkpoint
}

test('a mirror serves checkpoint, keys, tiles, entries, records and proofs like its original', async () => {
  const { size, note } = await settled()
  assert.equal(await textAt(copy.app.url, '/log/checkpoint'), note)
  const paths = ['/log/keys']
  for (let level = 0; tileWidth(level, 0, size) > 0; level++) {
    for (let index = 0; tileWidth(level, index, size) > 0; index++) {
      const width = tileWidth(level, index, size)
      paths.push(`/log/${tilePath({ level, index, width })}`)
      if (level === 0) paths.push(`/log/${tilePath({ level: 'entries', index, width })}`)
    }
  }
  assert.equal(paths.length, 6)
  for (const path of paths) assert.deepEqual(await octetsAt(copy.app.url, path), await octetsAt(app.url, path), path)
  const kinds = new Set<string>()
  for (let record = 1; record <= size; record += record < 10 || record > size - 20 ? 1 : 25) {
    const at = `/api/log/records/${record}`
    for (const path of [at, `${at}/proof`]) assert.equal(await textAt(copy.app.url, path), await textAt(app.url, path))
    kinds.add(expectStatus(await call<LogRecord>(copy.app.url, 'GET', at), 200).kind)
  }
  assert.deepEqual([...kinds].toSorted(), ['evidence', 'moderation', 'relation', 'revision'])
  for (const path of [`/api/log/records/${size + 1}`, `/log/tile/0/000.p/${size + 1}`]) {
    expectProblem(await call(copy.app.url, 'GET', path), 404, 'NOT_IN_LOG')
  }
})

test('clients and Go’s sumdb packages verify a mirror with the key of the original', async t => {
  const { size, note } = await settled()
  const client = createClient({ baseUrl: copy.app.url })
  const trust = { keys: [key] }
  assert.deepEqual((await client.verifyRecord(4, trust)).reasons, [])
  const revision = await client.readRevision(world.entry.slug, world.revised.currentRevisionId)
  assert.deepEqual((await client.verifyRecord(revision, trust)).reasons, [])
  const { headers } = await call(
    copy.app.url,
    'GET',
    `/api/entries/${world.entry.slug}/revisions/${world.revised.currentRevisionId}`,
  )
  const [, proof = ''] = /<([^>]*)>; rel="proof"/.exec(headers.get('link') ?? '') ?? []
  assert.equal(await textAt(copy.app.url, proof), await textAt(app.url, proof))
  assert.deepEqual((await client.verifyLog({ ...trust, older: [note] })).reasons, [])
  const read = async (path: string) => Uint8Array.from(await octetsAt(copy.app.url, `/log/${path}`))
  assert.equal((await verifyLogFiles(read, { ...trust, verify: verifyWithNode })).holds, true)
  if (NO_GO) return t.skip(NO_GO)
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-mirror-log-'))
  for (const record of [1, 256, 257]) {
    await writeFile(
      join(directory, `${record}.tlog-proof`),
      await textAt(copy.app.url, `/api/log/records/${record}/proof`),
    )
  }
  const { text } = await verifyWithGo(['-key', key, '-proofs', directory, `${copy.app.url}/log`])
  await rm(directory, { recursive: true, force: true })
  assert.equal(text, `${size} records are in the log that 1 keys signed\n3 proofs hold\n`)
})

test('a record withdrawn at the original has no salt and statement at the mirror, and has both again once restored', async () => {
  const before = await settled()
  const record = 1
  const shown = await textAt(copy.app.url, `/api/log/records/${record}`)
  const salt = (JSON.parse(shown) as LogRecord).salt
  await moderate(app.url, 'ENTRY', world.entry.id, 'HIDE')
  await settled()
  const withdrawn = expectStatus(await call<LogRecord>(copy.app.url, 'GET', `/api/log/records/${record}`), 200)
  assert.deepEqual(withdrawn, { record: String(record), kind: 'revision' })
  assert.ok(!/^extra /m.test(await textAt(copy.app.url, `/api/log/records/${record}/proof`)))
  assert.ok(!(await textAt(copy.app.url, '/api/export')).includes(String(salt)))
  const salts = await copy.app.store.reader.all(sql`SELECT salt FROM salt WHERE record = ${record}`)
  assert.deepEqual(salts, [])
  const proof = await textAt(copy.app.url, `/api/log/records/${before.size}/proof`)
  assert.equal(proof, await textAt(app.url, `/api/log/records/${before.size}/proof`))
  await moderate(app.url, 'ENTRY', world.entry.id, 'RESTORE')
  await settled()
  assert.equal(await textAt(copy.app.url, `/api/log/records/${record}`), shown)
})

test('a mirror that was closed continues with the stored tree', async () => {
  const { size } = await settled()
  const { token } = await newActor(app.url)
  await copy.reopen()
  await newEntry(app.url, token)
  const { note } = await settled()
  assert.equal(await textAt(copy.app.url, '/log/checkpoint'), note)
  assert.ok(Number(note.split('\n')[1]) > size)
})
