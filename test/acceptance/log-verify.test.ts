import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { verifyLogFiles, verifyProof } from '../../src/client/log.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { readHead } from '../../src/memory/head-rows.ts'
import { verifyWithNode } from '../../src/tlog/rules/signer.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { NO_GO, verifyWithGo } from '../support/go.ts'
import { moderate } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

const PATIENCE = 60_000
const ENTRIES = 150

let app: TestApp
let directory: string
let entries: Entry[]
let key: string
before(async () => {
  app = await startApp({ TLOG_INTERVAL_SECONDS: '0.05' })
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-log-'))
  const { token } = await newActor(app.url)
  entries = await Promise.all(Array.from({ length: ENTRIES }, () => newEntry(app.url, token)))
  for (const entry of entries) {
    const answer = await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
      token,
      body: revisionOf(entry),
    })
    expectStatus(answer, 201)
  }
  await signed()
  ;[key = ''] = (await text('/log/keys')).split('\n')
})
after(async () => {
  await app.close()
  await rm(directory, { recursive: true, force: true })
})

const text = async (path: string): Promise<string> => (await call(app.url, 'GET', path)).text
const read = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  const answer = await fetch(`${app.url}/log/${path}`)
  assert.equal(answer.status, 200, path)
  return new Uint8Array(await answer.arrayBuffer())
}
/** The newest checkpoint, once it has every record that is committed now. */
const signed = async (): Promise<string> => {
  const { record } = await readHead(app.store.reader)
  return eventually(`a checkpoint of ${record} records`, PATIENCE, async () => {
    const note = await text('/log/checkpoint')
    return Number(note.split('\n')[1]) >= record ? note : undefined
  })
}

test('Go’s sumdb packages and the client accept the served log, and that it begins with an older checkpoint', async t => {
  const older = await signed()
  await newEntry(app.url, (await newActor(app.url)).token)
  await signed()
  const whole = await verifyLogFiles(read, { keys: [key], older: [older], verify: verifyWithNode })
  assert.deepEqual([whole.reasons, whole.records], [[], whole.size])
  assert.equal((await verifyLogFiles(read, { keys: (await text('/log/keys')).trim().split('\n') })).holds, true)
  if (NO_GO) return t.skip(NO_GO)
  const size = 2 * ENTRIES + 1
  for (const record of [1, 256, 257, size]) {
    await writeFile(join(directory, `${record}.tlog-proof`), await text(`/api/log/records/${record}/proof`))
  }
  await writeFile(join(directory, 'older'), older)
  const options = ['-key', key, '-older', join(directory, 'older'), '-proofs', directory]
  const { text: said } = await verifyWithGo([...options, `${app.url}/log`])
  assert.equal(
    said,
    `begins with the ${2 * ENTRIES} records of the older checkpoint\n${size} records are in the log that 1 keys signed\n4 proofs hold\n`,
  )
})

test('a client verifies a record and the whole log, and trusts no key by default', async () => {
  const client = createClient({ baseUrl: app.url })
  const trust = { keys: [key] }
  const { holds, statement, record } = await client.verifyRecord(7, trust)
  assert.deepEqual([holds, record, statement?.record], [true, 7, '7'])
  assert.equal((await client.verifyRecord('8', {})).holds, false)
  await assert.rejects(client.verifyRecord('../7', trust), { code: 'INVALID_ARGUMENT' })
  await assert.rejects(client.verifyRecord(1_000_000, trust), { code: 'NOT_IN_LOG' })
  const older = await signed()
  const whole = await client.verifyLog({ ...trust, older: [older] })
  assert.deepEqual([whole.reasons, whole.records], [[], whole.size])
})

test('a client verifies its copy of a revision, and finds any change of it', async () => {
  const client = createClient({ baseUrl: app.url })
  const { id, slug, currentRevisionId } = await client.readEntry((entries[5] as Entry).slug)
  const revision = await client.readRevision(slug, currentRevisionId)
  const verdict = await client.verifyRecord(revision, { keys: [key] })
  assert.deepEqual([verdict.reasons, verdict.statement?.entryId], [[], id])
  const changed = await client.verifyRecord({ ...revision, content: `${revision.content}.` }, { keys: [key] })
  assert.deepEqual(changed.reasons, ['The revision is not what its evidenceHash was made of.'])
  const hashed = await client.verifyRecord({ ...revision, evidenceHash: '0'.repeat(64) }, { keys: [key] })
  assert.match(hashed.reasons.join(' '), /The log has another evidenceHash for record \d+\./)
})

test('a proof from before a withdrawal proves the record afterwards; tiles and entries do not change', async () => {
  const proof = await text('/api/log/records/1/proof')
  const { statement, reasons } = await verifyProof(proof, { keys: [key] })
  assert.deepEqual(reasons, [])
  const first = entries.find(one => one.id === statement?.entryId) as Entry
  assert.deepEqual([statement?.kind, statement?.slug], ['revision', first.slug])

  const bundle = await read('tile/entries/000')
  await moderate(app.url, 'ENTRY', first.id, 'HIDE')
  await signed()
  assert.deepEqual(await read('tile/entries/000'), bundle)
  const { reasons: later } = await verifyProof(await text('/api/log/records/1/proof'), { keys: [key] })
  assert.deepEqual(later, ['The proof has no statement.'])
  assert.deepEqual((await verifyProof(proof, { keys: [key] })).statement, statement)
  const hashes = await text('/api/log/records/1/proof')
  const extra = /^extra .*\n/m.exec(proof)?.[0] ?? ''
  const joined = hashes.replace('index ', `${extra}index `)
  assert.equal((await verifyProof(joined, { keys: [key] })).holds, true)
  await moderate(app.url, 'ENTRY', first.id, 'RESTORE')
})
