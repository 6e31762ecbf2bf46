import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verifyProof } from '../../src/client/log.ts'
import { logSigner, type Signer } from '../../src/tlog/rules/signer.ts'
import { formatSubmission } from '../../src/tlog/verify/witness.js'
import { temporaryDirectory } from '../cli/command.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { type GoWitness, NO_GO, startGoWitness, verifyWithGo } from '../support/go.ts'
import { MemoryLog } from '../support/log-files.ts'
import { makeWorld, signedCheckpoint } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

const PATIENCE = 60_000
const options = { skip: NO_GO }
const directory = temporaryDirectory()
const policyFile = join(directory.path, 'policy')
const { privateKey } = generateKeyPairSync('ed25519')

let app: TestApp
let token: string
let log: Signer
let witness: GoWitness
before(async () => {
  if (NO_GO) return
  writeFileSync(policyFile, 'quorum none\n')
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  app = await startApp({ TLOG_INTERVAL_SECONDS: '0.05', TLOG_KEY: pem, TLOG_WITNESSES: policyFile })
  token = (await newActor(app.url)).token
  await makeWorld(app.url, token)
  const { origin } = await signedCheckpoint(app)
  log = logSigner(origin, privateKey)
  witness = await startGoWitness(log.vkey)
  writeFileSync(policyFile, policy())
  await app.restart()
})
after(async () => {
  await app?.close()
  witness?.stop()
  directory.remove()
})

const policy = (): string => `log ${log.vkey}\nwitness go ${witness.vkey} ${witness.url}\nquorum go\n`
const text = async (path: string): Promise<string> => (await call(app.url, 'GET', path)).text
/** The newest checkpoint, once the witness cosigned one with every record. */
const cosigned = (): Promise<{ size: number; note: string }> =>
  eventually('a checkpoint that the witness cosigned', PATIENCE, async () => {
    const { size, note } = await signedCheckpoint(app)
    return note.includes('\n— witness.example/go ') ? { size, note } : undefined
  })
/** The output of the verifier for the served log, which must begin with this checkpoint. */
async function verified(older: string): Promise<string> {
  const file = join(directory.path, 'older')
  writeFileSync(file, older)
  const { text: said } = await verifyWithGo([
    '-key',
    log.vkey,
    '-witness',
    witness.vkey,
    '-older',
    file,
    `${app.url}/log`,
  ])
  return said
}

test('a witness in Go cosigns a log as it grows', options, async () => {
  const first = await cosigned()
  for (let n = 0; n < 3; n++) {
    await newEntry(app.url, token)
    const { size, note } = await cosigned()
    assert.ok(size > first.size)
    assert.equal(
      (await verifyProof(await text(`/api/log/records/${size}/proof`), { policy: policy() })).holds,
      true,
      note,
    )
  }
  const { size } = await cosigned()
  assert.equal(
    await verified(first.note),
    `begins with the ${first.size} records of the older checkpoint\n${size} records are in the log that 2 keys signed\n`,
  )
})

test('a witness in Go refuses every fork, and cosigns the log afterwards', options, async () => {
  const { size } = await cosigned()
  const fork = await new MemoryLog(log.key.name, log).append(size + 50, 'another past')
  const submit = async (old: number, to: number, proof?: string[]): Promise<number> => {
    const body = formatSubmission({
      old,
      proof: proof ?? (await fork.consistency(old, to)),
      checkpoint: await fork.checkpoint(to),
    })
    return (await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body })).status
  }
  // The same size with another root, a longer log with another beginning, its proof and others, a shorter log, a log from nothing.
  assert.equal(await submit(size, size), 422)
  for (let to = size + 1; to <= size + 50; to++) assert.equal(await submit(size, to), 422, `${to}`)
  assert.equal(await submit(size, size + 50, []), 422)
  assert.equal(await submit(size - 1, size), 409)
  assert.equal(await submit(0, size + 50), 409)
  await newEntry(app.url, token)
  assert.ok((await cosigned()).size > size)
})

test('Go’s sumdb packages accept the log after 100 acts of moderation', options, async () => {
  const { entry } = await makeWorld(app.url, token)
  const before = await cosigned()
  for (let n = 0; n < 50; n++) await moderate(app.url, 'ENTRY', entry.id, 'HIDE', 'RESTORE')
  const { size } = await cosigned()
  assert.ok(size >= before.size + 100)
  assert.equal(
    await verified(before.note),
    `begins with the ${before.size} records of the older checkpoint\n${size} records are in the log that 2 keys signed\n`,
  )
})
