import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { ExportLine, LogRecord } from '../../src/contract/resources.ts'
import { parseBundle, parseEntry } from '../../src/tlog/verify/entry.js'
import { TILE_WIDTH, tilePath } from '../../src/tlog/verify/tile.js'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor } from '../support/client.ts'
import { makeWorld, readExport, signedCheckpoint } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  ;({ token } = await newActor(app.url))
})

const logged = async (record: string): Promise<LogRecord> =>
  expectStatus(await call<LogRecord>(app.url, 'GET', `/api/log/records/${record}`), 200)

/** The commitments of the first `size` leaves, in hex, and the kind of each. */
async function leavesOf(size: number): Promise<{ kind: string; commitment: string }[]> {
  const leaves: { kind: string; commitment: string }[] = []
  while (leaves.length < size) {
    const width = Math.min(TILE_WIDTH, size - leaves.length)
    const path = tilePath({ level: 'entries', index: leaves.length / TILE_WIDTH, width })
    const bundle = new Uint8Array(await (await fetch(`${app.url}/log/${path}`)).arrayBuffer())
    for (const entry of parseBundle(bundle, width).map(parseEntry)) {
      leaves.push({ kind: entry.kind, commitment: Buffer.from(entry.commitment).toString('hex') })
    }
  }
  return leaves
}

const hexOf = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('hex')
const linesOf = async (): Promise<ExportLine[]> => (await readExport(app.url)).lines

test('lines of the export carry the salts of their leaves, and tombstones the act that withdraws them', async () => {
  const { entry, relation } = await makeWorld(app.url, token)
  const { size } = await signedCheckpoint(app)
  const shown = (await linesOf()).filter(({ record }) => record !== undefined && Number(record) <= size)
  for (const { record = '', salt } of shown) assert.equal(salt, (await logged(record)).salt, `record ${record}`)
  const related = shown.find(line => line.relation?.id === relation.id)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  const act = String((await signedCheckpoint(app)).size)
  const gone = (await linesOf()).filter(({ record }) => record === related?.record)
  assert.deepEqual(
    gone.map(({ type, salt, moderation }) => [type, salt, moderation]),
    [['withdrawn', undefined, act]],
  )
  assert.deepEqual(await logged(act), { record: act, kind: 'moderation' })
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
})

test('every record number has one line, and tombstones and acts have the commitment of their leaf', async () => {
  const { other } = await makeWorld(app.url, token)
  await moderate(app.url, 'ENTRY', other.id, 'HIDE')
  await makeWorld(app.url, token)
  await moderate(app.url, 'ENTRY', other.id, 'BLOCK', 'UNBLOCK')
  const { size } = await signedCheckpoint(app)
  const lines = (await linesOf()).filter(({ record }) => record !== undefined)
  const numbers = lines.map(({ record }) => Number(record))
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    Array.from({ length: size }, (_, at) => at + 1),
  )
  const leaves = await leavesOf(size)
  const seen = new Set<string>()
  for (const line of lines) {
    const leaf = leaves[Number(line.record) - 1]
    seen.add(line.type)
    if (line.type === 'withdrawn' || line.type === 'moderation') {
      assert.deepEqual([hexOf(line.commitment), line.salt], [leaf?.commitment, undefined], JSON.stringify(line))
      if (line.type === 'moderation') assert.equal(leaf?.kind, 'moderation')
      continue
    }
    assert.equal(line.commitment, undefined)
    const { statement = '' } = await logged(line.record ?? '')
    const committed = Buffer.concat([Buffer.from(line.salt ?? '', 'base64'), Buffer.from(statement)])
    assert.equal(hash('sha256', committed, 'hex'), leaf?.commitment)
  }
  const all = ['contradiction', 'entry', 'moderation', 'relation', 'revision', 'verification', 'withdrawn']
  assert.deepEqual([...seen].toSorted(), all)
  await moderate(app.url, 'ENTRY', other.id, 'RESTORE')
})

test('an act has its line in the segment of the next row, or at the end if there is none', async () => {
  const { other } = await makeWorld(app.url, token)
  await moderate(app.url, 'ENTRY', other.id, 'BLOCK')
  await signedCheckpoint(app)
  const [act, end] = (await linesOf()).slice(-2)
  assert.deepEqual([act?.type, end?.type, act?.record], ['moderation', 'end', end?.head?.record])
  const place = String(Number(end?.next))
  const again = await call(app.url, 'GET', `/api/export?from=${place}`)
  assert.deepEqual(
    again.text
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as ExportLine).record)
      .at(-2),
    act?.record,
  )
  const { entry } = await makeWorld(app.url, token)
  const lines = await linesOf()
  const at = lines.findIndex(({ record }) => record === act?.record)
  const next = lines[at + 1]
  assert.deepEqual([next?.type, next?.revision?.entryId], ['entry', entry.id])
})
