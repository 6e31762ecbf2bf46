import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createWitnessServer, openWitnessState } from '../../src/cli/witness.ts'
import { verifyProof } from '../../src/client/log.ts'
import { readHead } from '../../src/memory/head-rows.ts'
import { logSigner, type Signer } from '../../src/tlog/rules/signer.ts'
import { formatSubmission } from '../../src/tlog/verify/witness.js'
import { temporaryDirectory } from '../cli/command.ts'
import { openSession } from '../mcp/session.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { MemoryLog, someWitness } from '../support/log-files.ts'
import { AS_ADMIN } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

const PATIENCE = 60_000
const { privateKey } = generateKeyPairSync('ed25519')
const directory = temporaryDirectory()
const policyFile = join(directory.path, 'policy')

let app: TestApp
let token: string
let log: Signer
let one: Witness
let two: Witness
before(async () => {
  writeFileSync(policyFile, 'quorum none\n')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  app = await startApp({ TLOG_INTERVAL_SECONDS: '0.05', TLOG_KEY: pem, TLOG_WITNESSES: policyFile })
  token = (await newActor(app.url)).token
  await newEntry(app.url, token)
  await signed()
  const [origin = ''] = (await text('/log/checkpoint')).split('\n')
  log = logSigner(origin, privateKey)
  one = await startWitness('one')
  two = await startWitness('two')
  writeFileSync(policyFile, policy())
  await app.restart()
})
after(async () => {
  await app.close()
  for (const { server } of [one, two]) stop(server)
  directory.remove()
})

type Witness = { signer: Signer; server: Server; url: string; port: number }

/** Serves a witness of the log; `port` 0 takes a free one. */
async function startWitness(name: string, signer = someWitness(`${name}.example`), port = 0): Promise<Witness> {
  const path = join(directory.path, name)
  mkdirSync(path, { recursive: true })
  const state = openWitnessState(path, [log.key.name])
  const now = () => Math.floor(Date.now() / 1_000)
  const server = createWitnessServer({ signer, logs: [log.key], state, now, report: () => {} })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const taken = (server.address() as AddressInfo).port
  return { signer, server, url: `http://127.0.0.1:${taken}`, port: taken }
}
function stop(server: Server): void {
  server.close()
  server.closeAllConnections()
}

const policy = (): string =>
  `log ${log.vkey}\nwitness one ${one.signer.vkey} ${one.url}/\nwitness two ${two.signer.vkey} ${two.url}\ngroup both all one two\nquorum both\n`
const text = async (path: string): Promise<string> => (await call(app.url, 'GET', path)).text
/** The newest checkpoint, once it has every record that is committed now and meets the condition. */
const signed = async (wanted: (note: string) => boolean = () => true): Promise<string> => {
  const { record } = await readHead(app.store.reader)
  return eventually(`a checkpoint of ${record} records`, PATIENCE, async () => {
    const note = await text('/log/checkpoint')
    return Number(note.split('\n')[1]) >= record && wanted(note) ? note : undefined
  })
}
const cosignedBy =
  (...witnesses: Witness[]) =>
  (note: string): boolean =>
    witnesses.every(({ signer }) => note.includes(`\n— ${signer.key.name} `))
const figure = async (name: string): Promise<number> => {
  const { text: metrics } = await call(app.url, 'GET', '/metrics', { headers: AS_ADMIN })
  return Number(new RegExp(`^palimpsest_log_${name} (\\d+)$`, 'm').exec(metrics)?.[1])
}

test('checkpoints from before there were witnesses are cosigned, and later ones before they are published', async () => {
  await signed(cosignedBy(one, two))
  for (let round = 0; round < 3; round++) {
    const entry = await newEntry(app.url, token)
    assert.ok(cosignedBy(one, two)(await signed()), entry.slug)
  }
  const verdict = await verifyProof(await text('/api/log/records/2/proof'), { policy: policy() })
  assert.deepEqual([verdict.reasons, verdict.witnesses.map(({ name }) => name)], [[], ['one', 'two']])
  const keys = (await text('/log/keys')).trimEnd().split('\n')
  assert.deepEqual(keys, [log.vkey, one.signer.vkey, two.signer.vkey])
  assert.deepEqual([await figure('witnesses'), await figure('cosigned'), await figure('quorum')], [2, 2, 1])
  assert.equal(await figure('forked_witnesses'), 0)
})

test('a service with more witnesses than a checkpoint has lines for does not start', async () => {
  const many = join(directory.path, 'many')
  const lines = Array.from({ length: 31 }, (_, at) => `witness w${at} ${someWitness(`w${at}`).vkey} ${one.url}\n`)
  writeFileSync(many, `${lines.join('')}quorum none\n`)
  await assert.rejects(startApp({ TLOG_WITNESSES: many }), /More than 30 witnesses have an address\./)
})

test('a model that reads an entry gets its record, the checkpoint that covers it and the cosigners', async () => {
  const entry = await newEntry(app.url, token)
  const before = await signed(cosignedBy(one, two))
  const { client, callTool } = await openSession(app.url)
  const lineOf = async (args: object) =>
    /^Record .*$/m.exec((await callTool('read', { entry: entry.slug, ...args })).text)?.[0] ?? ''
  const [origin, size] = before.split('\n')
  const { headers } = await call(app.url, 'GET', `/api/entries/${entry.slug}`)
  const record = headers.get('log-records')
  assert.equal(headers.get('link'), `</api/log/records/${record}/proof>; rel="proof"`)
  assert.equal(
    await lineOf({}),
    `Record ${record} of the public log ${origin}, in its checkpoint of ${size} records, cosigned by one.example, two.example.`,
  )
  const body = revisionOf(entry)
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
  await signed(cosignedBy(one, two))
  assert.match(await lineOf({}), new RegExp(`^Record ${Number(record) + 1} of`))
  assert.match(await lineOf({ revisionId: entry.currentRevisionId }), new RegExp(`^Record ${record} of`))
  assert.equal(await lineOf({ from: 1 }), '')
  await client.close()
})

test('an unreachable witness causes no long delay, and cosigns what it missed later', async () => {
  stop(two.server)
  await newEntry(app.url, token)
  const note = await signed()
  assert.ok(cosignedBy(one)(note) && !cosignedBy(two)(note))
  assert.deepEqual([await figure('cosigned'), await figure('quorum')], [1, 0])
  assert.match(app.log(), /a witness did not cosign the public log/)
  const { reasons } = await verifyProof(await text('/api/log/records/2/proof'), { policy: policy() })
  assert.deepEqual(reasons, ['Fewer witnesses cosigned the checkpoint than the policy wants.'])
  two = await startWitness('two', two.signer, two.port)
  const later = await signed(cosignedBy(one, two))
  assert.equal(later.split('\n')[1], note.split('\n')[1])
})

test('a witness with another history of the log raises a fork alarm, and none of its cosignatures is published', async () => {
  const { record } = await readHead(app.store.reader)
  const fork = await new MemoryLog(log.key.name, log).append(record + 50, 'fork')
  // The same witness without its memory is shown the fork first.
  stop(one.server)
  one = await startWitness('forgetful', one.signer, one.port)
  const shown = await fetch(`${one.url}/add-checkpoint`, {
    method: 'POST',
    body: formatSubmission({ old: 0, proof: [], checkpoint: await fork.checkpoint() }),
  })
  assert.equal(shown.status, 200)
  await newEntry(app.url, token)
  await eventually('a fork alarm', PATIENCE, async () => {
    await newEntry(app.url, token)
    return (await figure('forked_witnesses')) === 1 ? true : undefined
  })
  assert.match(app.log(), /FORK: a witness knows another history of the public log/)
  assert.ok(!cosignedBy(one)(await signed()))
  // One witness must not stop the service: its reads are right, and an alert calls the operator.
  expectStatus(await call(app.url, 'GET', '/ready'), 200)
  assert.equal(await figure('forked_witnesses'), 1)

  // The witness gets its memory back.
  stop(one.server)
  one = await startWitness('one', one.signer, one.port)
  await eventually('the witness cosigns again', PATIENCE, async () => {
    await newEntry(app.url, token)
    return (await figure('forked_witnesses')) === 0 ? true : undefined
  })
})
