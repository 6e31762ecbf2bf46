import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type ReadFile, type Trust, verifyCheckpoint, verifyLogFiles, verifyProof } from '../../src/client/log.ts'
import { MemoryLog, someWitness, TIME } from '../support/log-files.ts'

const RECORDS = 600
const witness = someWitness()
let log: MemoryLog
let trust: Trust
let files: Map<string, Uint8Array<ArrayBuffer>>
before(async () => {
  log = await new MemoryLog().append(RECORDS)
  trust = { keys: [log.signer.vkey] }
  files = await log.files()
})

const reading =
  (served: Map<string, Uint8Array<ArrayBuffer>>): ReadFile =>
  async path => {
    const file = served.get(path)
    assert.ok(file, path)
    return file
  }
const changed = (path: string, from: string, to: string): ReadFile => {
  const text = Buffer.from(files.get(path) ?? []).toString('latin1')
  assert.ok(text.includes(from), from)
  return reading(new Map([...files, [path, Uint8Array.from(Buffer.from(text.replace(from, to), 'latin1'))]]))
}

test('a proof has the statement of a record', async () => {
  for (const record of [1, 256, 257, RECORDS]) {
    const verdict = await verifyProof(await log.proof(record), trust)
    assert.deepEqual(verdict.reasons, [])
    assert.equal(verdict.holds, true)
    const { origin, size, kind, statement } = verdict
    assert.deepEqual([origin, size, verdict.record, kind], [log.origin, RECORDS, record, 'moderation'])
    assert.deepEqual([statement?.record, statement?.kind], [String(record), 'moderation'])
  }
})

test('a proof with any change is invalid, with the reason', async () => {
  const proof = await log.proof(300)
  const [, extra = ''] = /^extra (.*)$/m.exec(proof) ?? []
  const forged = Buffer.from(extra, 'base64').toString('latin1').replace('HIDE', 'HIDD')
  const [, hash = ''] = /index 299\n(.*)\n/.exec(proof) ?? []
  const other = new MemoryLog()
  for (const [text, reason] of [
    [proof.replace(extra, Buffer.from(forged, 'latin1').toString('base64')), /do not lead/],
    [proof.replace(hash, Buffer.alloc(32).toString('base64')), /do not lead/],
    [proof.replace(`${hash}\n`, ''), /do not lead/],
    [proof.replace('index 299', 'index 298'), /record 300, and the proof of leaf 298/],
    [proof.replace(`\n${RECORDS}\n`, `\n${RECORDS + 1}\n`), /signature .* is wrong/],
    [proof.replace(`extra ${extra}\n`, ''), /no statement/],
    [proof.replace(`\n\n${log.origin}`, `\n\nx${log.origin}`), /No trusted key is that of the log x/],
    [proof.slice(0, 100), /no checkpoint/],
  ] as const) {
    const { holds, reasons } = await verifyProof(text, trust)
    assert.equal(holds, false)
    assert.match(reasons.join(' '), reason)
  }
  const stranger = await verifyProof(proof, { keys: [other.signer.vkey] })
  assert.deepEqual(stranger.reasons, ['No trusted key of the log signed the checkpoint.'])
  assert.equal((await verifyProof(proof, {})).holds, false)
})

test('a policy sets the logs and the number of witnesses', async () => {
  const policy = `log ${log.signer.vkey}\nwitness one ${witness.vkey}\nquorum one\n`
  const alone = await verifyProof(await log.proof(7), { policy })
  assert.deepEqual(alone.reasons, ['Fewer witnesses cosigned the checkpoint than the policy wants.'])
  const verdict = await verifyProof(await log.proof(7, [witness]), { policy })
  assert.deepEqual(verdict.reasons, [])
  assert.deepEqual(verdict.witnesses, [{ name: 'one', time: new Date(TIME * 1000).toISOString() }])
  const { checkpoint, reasons } = await verifyCheckpoint(await log.checkpoint(500, [witness]), { policy })
  assert.deepEqual([checkpoint?.size, reasons], [500, []])
})

test('a cosignature without a possible time does not count', async () => {
  const policy = `log ${log.signer.vkey}\nwitness one ${witness.vkey}\nquorum one\n`
  for (const time of [0, 8_640_000_000_001, Number.MAX_SAFE_INTEGER]) {
    const line = witness.sign(await log.text(), time)
    const { holds, reasons } = await verifyProof((await log.proof(7)) + line, { policy })
    assert.equal(holds, false)
    assert.match(reasons[0] ?? '', /^The signature of witness\.example\/w1 by key \w{8} is wrong\.$/)
  }
})

test('a policy whose witness has the key of a log, or the reverse, is refused', async () => {
  const policies = [`log ${witness.vkey}\nquorum none\n`, `witness one ${log.signer.vkey}\nquorum one\n`]
  for (const policy of policies) {
    const { reasons } = await verifyProof(await log.proof(7, [witness]), { policy })
    assert.match(reasons.join(), /^Line 1 of the policy: The key is not one of a (log|witness)\.$/)
  }
})

test('a whole log is read, its root recomputed and compared with the signed one', async () => {
  const records: number[] = []
  const older = await Promise.all([0, 1, 255, 256, 257, 512, RECORDS].map(size => log.checkpoint(size)))
  const verdict = await verifyLogFiles(reading(files), {
    ...trust,
    older,
    visit: ({ record }) => records.push(record),
  })
  assert.deepEqual(verdict, {
    holds: true,
    reasons: [],
    origin: log.origin,
    size: RECORDS,
    records: RECORDS,
    witnesses: [],
  })
  assert.deepEqual([records.length, records[0], records.at(-1)], [RECORDS, 1, RECORDS])
  const empty = new MemoryLog()
  const nothing = await verifyLogFiles(reading(await empty.files()), { keys: [empty.signer.vkey] })
  assert.deepEqual([nothing.holds, nothing.size], [true, 0])
})

test('a changed, shortened or rewritten log is invalid', async () => {
  const reasonsOf = async (read: ReadFile, older: string[] = []): Promise<string> => {
    const { holds, reasons } = await verifyLogFiles(read, { ...trust, older })
    assert.equal(holds, false)
    return reasons.join(' ')
  }
  const bundle = 'tile/entries/001'
  assert.match(await reasonsOf(changed(bundle, '\n300 moderation', '\n300 moderatiom')), /600 records are not/)
  assert.match(await reasonsOf(changed(bundle, '\n300 ', '\n301 ')), /Leaf 299 is of record 301/)
  assert.match(await reasonsOf(changed('checkpoint', `\n${RECORDS}\n`, '\n599\n')), /signature .* is wrong/)
  assert.match(await reasonsOf(changed('checkpoint', '\n\n', '\n')), /empty line/)

  const longer = await new MemoryLog().append(300)
  const rewritten = await new MemoryLog().append(299)
  await rewritten.append(301, 'other')
  const both = { keys: [longer.signer.vkey, rewritten.signer.vkey] }
  const before = await longer.checkpoint()
  const now = await verifyLogFiles(reading(await rewritten.files()), { ...both, older: [before] })
  assert.match(now.reasons.join(' '), /The first 300 records are not those/)
  const shorter = await verifyLogFiles(reading(await longer.files()), {
    ...both,
    older: [await rewritten.checkpoint()],
  })
  assert.match(shorter.reasons.join(' '), /has 300 records, and .* signed 600/)
  const agreed = await verifyLogFiles(reading(await rewritten.files()), {
    ...both,
    older: [await longer.checkpoint(299)],
  })
  assert.deepEqual(agreed.reasons, [])
})
