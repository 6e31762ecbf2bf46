import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { LogRecord, Revision } from '../../src/contract/resources.ts'
import { verifyWithNode } from '../../src/tlog/rules/signer.ts'
import { leafHash, rootOf } from '../../src/tlog/rules/tree.ts'
import { parseBundle, parseEntry } from '../../src/tlog/verify/entry.js'
import { parseCheckpoint, parseNote } from '../../src/tlog/verify/note.js'
import { parseVerifierKey, verifySignatures } from '../../src/tlog/verify/signature.js'
import { tilePath } from '../../src/tlog/verify/tile.js'
import { parseProof, verifyInclusion } from '../../src/tlog/verify/tree.js'
import { useApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { makeWorld, signedCheckpoint } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  ;({ token } = await newActor(app.url, { declaredName: 'Fox the declared' }))
})

const octets = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  const answer = await fetch(`${app.url}${path}`)
  assert.equal(answer.status, 200, path)
  return new Uint8Array(await answer.arrayBuffer())
}
const read = async <T>(path: string): Promise<T> => expectStatus(await call<T>(app.url, 'GET', path), 200)
const textOf = async (path: string): Promise<string> => Buffer.from(await octets(path)).toString()

const checkpoint = () => signedCheckpoint(app)

/** The entries of a log of a size, from its bundles. */
async function entriesOf(size: number): Promise<Uint8Array[]> {
  const entries: Uint8Array[] = []
  while (entries.length < size) {
    const width = Math.min(256, size - entries.length)
    const bundle = await octets(`/log/${tilePath({ level: 'entries', index: entries.length / 256, width })}`)
    entries.push(...parseBundle(bundle, width))
  }
  return entries
}

test('every permanent record is in the log: keys, checkpoint, entries, tiles and proofs are consistent', async () => {
  const { entry, revised, verification, contradiction, relation } = await makeWorld(app.url, token)
  const { note, size, root, origin } = await checkpoint()
  const keys = await Promise.all((await textOf('/log/keys')).trimEnd().split('\n').map(parseVerifierKey))
  assert.deepEqual(columnOf(keys, 'name'), [origin, origin])
  assert.match(origin, /^localhost\/log\/[0-9a-f]{8}$/)
  assert.equal((await verifySignatures(parseNote(note), keys, verifyWithNode)).good.length, keys.length)

  const entries = await entriesOf(size)
  const tiles = async (level: number, index: number, width: number) =>
    octets(`/log/${tilePath({ level, index, width })}`)
  assert.deepEqual(Buffer.from(await rootOf(size, tiles)), Buffer.from(root))
  const kinds = new Set<string>()
  const statements: Record<string, unknown>[] = []
  for (let record = 1; record <= size; record++) {
    const logged = await read<LogRecord>(`/api/log/records/${record}`)
    const leaf = parseEntry(entries[record - 1] as Uint8Array)
    assert.deepEqual({ record: logged.record, kind: logged.kind }, { record: String(leaf.record), kind: leaf.kind })
    kinds.add(logged.kind)
    const proof = parseProof((await call(app.url, 'GET', `/api/log/records/${record}/proof`)).text)
    const head = parseCheckpoint(parseNote(proof.checkpoint).text)
    const leafOf = new Uint8Array(leafHash(entries[record - 1] as Uint8Array))
    assert.ok(await verifyInclusion(head, proof.index, leafOf, proof.hashes), `record ${record}`)
    if (logged.kind === 'moderation') {
      assert.deepEqual([logged.salt, logged.statement, proof.extra], [undefined, undefined, undefined])
      continue
    }
    const committed = Buffer.concat([Buffer.from(logged.salt ?? '', 'base64'), Buffer.from(logged.statement ?? '')])
    assert.equal(hash('sha256', committed, 'hex'), Buffer.from(leaf.commitment).toString('hex'))
    assert.deepEqual(Buffer.from(proof.extra ?? []), committed)
    statements.push(JSON.parse(logged.statement ?? ''))
  }
  assert.deepEqual([...kinds].toSorted(), ['evidence', 'moderation', 'relation', 'revision'])
  assert.ok(!JSON.stringify(statements).includes('Fox the declared'))
  const revision = await read<Revision>(`/api/entries/${entry.slug}/revisions/${entry.currentRevisionId}`)
  const ofFirst = statements.find(({ evidenceHash }) => evidenceHash === revision.evidenceHash)
  assert.deepEqual([ofFirst?.slug, ofFirst?.tags, ofFirst?.entryId], [entry.slug, entry.tags, entry.id])
  assert.ok(statements.some(({ id, rationale }) => id === contradiction.id && rationale === 'It fails.'))
  assert.ok(statements.some(({ id, result }) => id === verification.id && result === 'SUPPORTED'))
  assert.ok(statements.some(({ id, relationType }) => id === relation.id && relationType === 'CONNECT'))
  assert.equal(revised.id, entry.id)
})

test('records that are not in the log yet are not served', async () => {
  const { size } = await checkpoint()
  for (const path of ['', '/proof']) {
    expectProblem(await call(app.url, 'GET', `/api/log/records/${size + 1}${path}`), 404, 'NOT_IN_LOG')
    expectProblem(await call(app.url, 'GET', `/api/log/records/0${path}`), 404, 'NOT_IN_LOG')
  }
  const beyond = [
    `tile/0/000.p/${size + 1}`,
    `tile/entries/000.p/${size + 1}`,
    ...['tile/0/000', 'tile/1/000', 'tile/0/001.p/1', 'tile/64/000.p/1', 'tile/0/x000/000', 'tile/a', 'tile/0/000.p/0'],
  ]
  for (const path of beyond) expectProblem(await call(app.url, 'GET', `/log/${path}`), 404, 'NOT_IN_LOG')
})

test('a withdrawn record keeps its leaf and has no salt and statement', async () => {
  const canary = 'yes'
  const hidden = await newEntry(app.url, token, { content: canary, title: canary, summary: canary })
  const { size } = await checkpoint()
  const before = Buffer.from(await octets(`/log/${tilePath({ level: 'entries', index: 0, width: size })}`))
  const logged = await read<LogRecord>(`/api/log/records/${size}`)
  const salt = logged.salt ?? ''
  assert.match(logged.statement ?? '', new RegExp(hidden.id))
  await moderate(app.url, 'ENTRY', hidden.id, 'HIDE')
  await checkpoint()
  const withdrawn = await read<LogRecord>(`/api/log/records/${size}`)
  assert.deepEqual(withdrawn, { record: String(size), kind: 'revision' })
  const proof = await call(app.url, 'GET', `/api/log/records/${size}/proof`)
  assert.equal(parseProof(proof.text).extra, undefined)
  const exported = await call(app.url, 'GET', '/api/export')
  for (const text of [proof.text, exported.text]) assert.ok(!text.includes(salt) && !text.includes(hidden.id))
  const same = Buffer.from(await octets(`/log/${tilePath({ level: 'entries', index: 0, width: size })}`))
  assert.deepEqual(same, before)
  await moderate(app.url, 'ENTRY', hidden.id, 'RESTORE')
  assert.deepEqual(await read<LogRecord>(`/api/log/records/${size}`), logged)
})

test('the log is the same after a restart, and continues', async () => {
  const before = await checkpoint()
  const entries = await entriesOf(before.size)
  await app.restart()
  await newEntry(app.url, token)
  const later = await checkpoint()
  assert.equal(later.origin, before.origin)
  assert.ok(later.size > before.size)
  assert.deepEqual((await entriesOf(later.size)).slice(0, before.size), entries)
})

test('files of the log are charged like reads, and tiles may be cached', async () => {
  const { size } = await checkpoint()
  const fields = async (path: string) => (await fetch(`${app.url}${path}`)).headers
  const tile = await fields(`/log/${tilePath({ level: 0, index: 0, width: size })}`)
  assert.match(tile.get('cache-control') ?? '', /immutable/)
  assert.equal(tile.get('content-type'), 'application/octet-stream')
  assert.match(tile.get('ratelimit') ?? '', /read-origin/)
  assert.equal((await fields('/log/checkpoint')).get('cache-control'), 'public, max-age=1')
  assert.equal((await fields('/log/checkpoint')).get('content-type'), 'text/plain; charset=utf-8')
})

test('answers name the records of their rows, and the answer of one revision its proof', async () => {
  const { entry, revised } = await makeWorld(app.url, token)
  const at = `/api/entries/${entry.slug}`
  const fieldsOf = async (path: string) => (await call(app.url, 'GET', path)).headers
  const [second, first] = ((await fieldsOf(`${at}/revisions`)).get('log-records') ?? '').split(', ').map(Number)
  assert.ok(first !== undefined && second !== undefined && first < second)
  const { size } = await checkpoint()
  const one = await fieldsOf(`${at}/revisions/${revised.currentRevisionId}`)
  assert.equal(one.get('link'), `</api/log/records/${second}/proof>; rel="proof"`)
  assert.equal(one.get('log-records'), String(second))
  const evidence = ((await fieldsOf(`${at}/evidence`)).get('log-records') ?? '').split(', ')
  const kinds = await Promise.all(evidence.map(record => read<LogRecord>(`/api/log/records/${record}`)))
  const actions = kinds.map(({ statement }) => (JSON.parse(statement ?? '{}') as { action: string }).action)
  assert.deepEqual(actions, ['VERIFY', 'CONTRADICT'])
  const [related] = ((await fieldsOf(`${at}/relations`)).get('log-records') ?? '').split(', ')
  assert.equal((await read<LogRecord>(`/api/log/records/${related}`)).kind, 'relation')
  assert.ok(size >= Number(related))
})

test('tiles and bundles are the same before and after 100 acts of moderation', async () => {
  const { entry } = await makeWorld(app.url, token)
  const { size } = await checkpoint()
  const files = [
    tilePath({ level: 0, index: 0, width: Math.min(size, 256) }),
    tilePath({ level: 'entries', index: 0, width: Math.min(size, 256) }),
  ]
  const contents = () => Promise.all(files.map(async path => Buffer.from(await octets(`/log/${path}`)).toString('hex')))
  const before = await contents()
  for (let n = 0; n < 50; n++) await moderate(app.url, 'ENTRY', entry.id, 'HIDE', 'RESTORE')
  assert.ok((await checkpoint()).size >= size + 100)
  assert.deepEqual(await contents(), before)
})
