import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openSource, type Source } from '../../src/mirror/source.ts'
import { readLog } from '../../src/tlog/rows.ts'
import { logSigner } from '../../src/tlog/rules/signer.ts'
import { toUtf8 } from '../../src/tlog/verify/bytes.js'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { MemoryLog, someWitness, TIME } from '../support/log-files.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { writeEntries } from '../support/mirror-rounds.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const ENTRIES = 2_300

let app: TestApp
let copy: Copy
let token: string
before(async () => {
  app = await startApp({
    TLOG_INTERVAL_SECONDS: '0.05',
    TLOG_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  })
  ;({ token } = await newActor(app.url))
  await writeEntries(app, ENTRIES)
  await signedCheckpoint(app)
  copy = await openCopy(app.url)
})
after(() => app.close())

const source = () => openSource(app.url, new AbortController().signal)
/** The server with the files of its log replaced by those of `file`, and the requested paths. */
function watched(file: Source['file'] = source().file): Source & { asked: string[] } {
  const asked: string[] = []
  return {
    ...source(),
    asked,
    file(path) {
      asked.push(path)
      return file(path)
    },
  }
}
const checkpointAt = async (url: string): Promise<string> => (await call(url, 'GET', '/log/checkpoint')).text

test('a first copy requests each 256 entries once, and a few tiles in total', async () => {
  const { note, size } = await signedCheckpoint(app)
  const through = watched()
  await copy.catchUp(through)
  assert.equal(await checkpointAt(copy.app.url), note)
  const bundles = through.asked.filter(path => path.startsWith('tile/entries/'))
  assert.deepEqual([bundles.length, new Set(bundles).size], [Math.ceil(size / 256), Math.ceil(size / 256)])
  const tiles = through.asked.filter(path => /^tile\/\d/.test(path))
  assert.ok(tiles.length <= 3, tiles.join(' '))
  assert.ok(through.asked.length <= bundles.length + tiles.length + 4, through.asked.join(' '))
})

test('a later look requests only the last entries, also after a restart', async () => {
  await copy.reopen()
  await newEntry(app.url, token)
  const { note, size } = await signedCheckpoint(app)
  const through = watched()
  await copy.catchUp(through)
  assert.equal(await checkpointAt(copy.app.url), note)
  const bundles = through.asked.filter(path => path.startsWith('tile/'))
  assert.deepEqual(bundles, [`tile/entries/${String(Math.floor(size / 256)).padStart(3, '0')}.p/${size % 256}`])
})

test('a record is not served until a checkpoint covers it', async () => {
  const before = await signedCheckpoint(app)
  await newEntry(app.url, token)
  const stale = watched(async path => (path === 'checkpoint' ? toUtf8(before.note) : source().file(path)))
  const looking = new AbortController()
  const caught = copy.catchUp(stale, looking.signal)
  while (stale.asked.length < 3) await new Promise(setImmediate)
  looking.abort()
  await assert.rejects(caught)
  const records = async (one: string) =>
    (await call<{ items: unknown[] }>(one, 'GET', '/api/entries?limit=1')).body.items[0] as { id: string }
  assert.notEqual((await records(copy.app.url)).id, (await records(app.url)).id)
  assert.equal(await checkpointAt(copy.app.url), before.note)
  await signedCheckpoint(app)
  await copy.catchUp()
  assert.equal((await records(copy.app.url)).id, (await records(app.url)).id)
})

test('late cosignatures are published by the mirror', async () => {
  const { note } = await signedCheckpoint(app)
  await copy.catchUp()
  const cosigned = note + someWitness().sign(note.slice(0, note.indexOf('\n\n') + 1), TIME)
  await copy.catchUp(watched(async path => (path === 'checkpoint' ? toUtf8(cosigned) : source().file(path))))
  assert.equal(await checkpointAt(copy.app.url), cosigned)
})

test('a mirror stops at a fork, names the first record that differs, and stores nothing of it', async () => {
  const { origin, size } = await signedCheckpoint(app)
  const other = await new MemoryLog(origin, logSigner(origin, privateKey)).append(size)
  const forkAt = async (log: MemoryLog) => {
    const files = await log.files()
    return watched(async path => files.get(path) ?? source().file(path))
  }
  const before = await readLog(copy.app.store.reader)
  const sentence = new RegExp(`FORK: the checkpoint of ${origin} at ${size} records .*: record 1 is another one\\.`)
  await assert.rejects(copy.catchUp(await forkAt(other)), sentence)
  await newEntry(app.url, token)
  await signedCheckpoint(app)
  await assert.rejects(copy.catchUp(await forkAt(await other.append(1))), /FORK: .*record 1 is another one\./)
  assert.deepEqual(await readLog(copy.app.store.reader), before)
  await copy.catchUp()
  assert.equal(await checkpointAt(copy.app.url), (await signedCheckpoint(app)).note)
})

test('a checkpoint signed by another key is refused', async () => {
  await newEntry(app.url, token)
  const { origin, size } = await signedCheckpoint(app)
  const other = await new MemoryLog(origin).append(size)
  const forged = watched(async path => (path === 'checkpoint' ? toUtf8(await other.checkpoint()) : source().file(path)))
  await assert.rejects(copy.catchUp(forged), /is not signed by the key that this mirror trusts/)
  await copy.catchUp()
})
