import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseNote, parseSignatures } from '../../src/tlog/verify/note.js'
import { parseVerifierKey, type VerifierKey, verifySignatures } from '../../src/tlog/verify/signature.js'
import { formatSubmission } from '../../src/tlog/verify/witness.js'
import { expectRefusal, LAUNCHER, palimpsest, temporaryDirectory } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { spawn } from '../support/children.ts'
import { NO_GO, verifyWithGo } from '../support/go.ts'
import { MemoryLog } from '../support/log-files.ts'

const { inProcess } = commandLine()
const NAME = 'witness.example/w1'
const directory = temporaryDirectory()
let log: MemoryLog
let fork: MemoryLog
let witness: Started
before(async () => {
  log = await new MemoryLog().append(300)
  fork = await new MemoryLog(log.origin, log.signer).append(299)
  await fork.append(200, 'other')
  witness = await start()
})
after(async () => {
  await witness.stop()
  directory.remove()
})

type Started = { url: string; vkey: string; output(): string; stop(signal?: NodeJS.Signals): Promise<number | null> }

async function start(): Promise<Started> {
  const args = ['witness', log.signer.vkey, '--name', NAME, '--dir', directory.path, '--port', '0']
  const child = spawn(process.execPath, [LAUNCHER, ...args], { env: { PATH: process.env.PATH } })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  let output = ''
  const found = await new Promise<[string, string]>((resolve, reject) => {
    child.stderr.on('data', chunk => reject(new Error(String(chunk))))
    child.stdout.setEncoding('utf8').on('data', chunk => {
      output += chunk
      const [, url, vkey] = /listens at (\S+)\n {2}key {2}(\S+)\n/.exec(output) ?? []
      if (url !== undefined && vkey !== undefined) resolve([url, vkey])
    })
  })
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return { url: found[0], vkey: found[1], output: () => output, stop }
}

type Answer = { status: number; body: string; type: string | null }
const post = async (body: string): Promise<Answer> => {
  const answer = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body })
  return { status: answer.status, body: await answer.text(), type: answer.headers.get('content-type') }
}
const submit = async (from: MemoryLog, old: number, size: number): Promise<Answer> =>
  post(formatSubmission({ old, proof: await from.consistency(old, size), checkpoint: await from.checkpoint(size) }))
const keyOf = (vkey: string): Promise<VerifierKey> => parseVerifierKey(vkey)
const published = (): Promise<Response> => fetch(`${witness.url}/${hash('sha256', log.origin, 'hex')}/checkpoint`)

test('a log that grows is cosigned, step by step, and the newest note is published', async () => {
  assert.equal((await published()).status, 404)
  assert.equal((await submit(log, 0, 100)).status, 200)
  const { status, body } = await submit(log, 100, 300)
  assert.equal(status, 200)
  const note = { text: await log.text(300), signatures: parseSignatures(body) }
  const key = await keyOf(witness.vkey)
  const [good] = (await verifySignatures(note, [key])).good
  assert.equal(good?.key.type, 4)
  assert.ok(Math.abs((good?.time ?? 0) - Date.now() / 1000) < 600)
  assert.equal((await submit(log, 300, 300)).status, 200)

  const kept = await (await published()).text()
  const both = [key, await keyOf(log.signer.vkey)]
  assert.equal((await verifySignatures(parseNote(kept), both)).good.length, 2)
  assert.match(await (await fetch(witness.url)).text(), new RegExp(`^witness ${NAME}\\+`, 'm'))
})

test('Go’s sumdb packages accept the cosigned checkpoint', { skip: NO_GO }, async () => {
  const files = temporaryDirectory()
  after(files.remove)
  writeFileSync(join(files.path, 'checkpoint'), await (await published()).text())
  const checked = await verifyWithGo([
    '-key',
    log.signer.vkey,
    '-witness',
    witness.vkey,
    '-checkpoint-only',
    files.path,
  ])
  assert.equal(checked.text, '300 records are in the log that 2 keys signed\n')
})

test('a size that is not the last one gets 409 with the last one', async () => {
  for (const old of [0, 100, 299]) {
    assert.deepEqual(await submit(log, old, 300), { status: 409, body: '300\n', type: 'text/x.tlog.size' })
  }
})

test('a fork, a shorter log and a wrong proof are refused, reported, and change nothing', async () => {
  assert.equal((await submit(fork, 300, 400)).status, 422)
  assert.equal((await submit(fork, 300, 300)).status, 422)
  assert.equal(
    (await post(formatSubmission({ old: 300, proof: [], checkpoint: await log.checkpoint(200) }))).status,
    400,
  )
  const wrong = formatSubmission({ old: 300, proof: [], checkpoint: await fork.checkpoint(499) })
  assert.equal((await post(wrong)).status, 422)
  assert.match(witness.output(), /REFUSED: memory\.example\/log\S* signed 400 records .* the 300 cosigned before/)
  assert.equal((await submit(log, 300, 300)).status, 200)
})

test('other logs, other keys and malformed bodies are refused', async () => {
  assert.equal((await submit(await new MemoryLog('other.example/log').append(1), 0, 1)).status, 404)
  assert.equal((await submit(await new MemoryLog(log.origin).append(301), 300, 301)).status, 403)
  const good = formatSubmission({ old: 300, proof: [], checkpoint: await log.checkpoint(300) })
  for (const bad of [
    '',
    'old\n\n',
    good.replace('old 300', 'old 0300'),
    good.replace('old 300', 'older 300'),
    `${good}x`,
  ]) {
    assert.equal((await post(bad)).status, 400, bad.slice(0, 40))
  }
  const hashes = Array.from({ length: 64 }, () => Buffer.alloc(32).toString('base64'))
  assert.equal((await post(formatSubmission({ old: 300, proof: hashes, checkpoint: '' }))).status, 400)
  assert.equal((await post('x'.repeat(400_000))).status, 413)
  assert.equal((await fetch(`${witness.url}/x`)).status, 404)
  assert.equal((await fetch(`${witness.url}/${'0'.repeat(64)}/checkpoint`)).status, 404)
})

test('of two simultaneous extensions one is cosigned', async () => {
  await log.append(60)
  const answers = await Promise.all([submit(log, 300, 340), submit(log, 300, 350)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
})

test('after a kill the witness has its checkpoints and its key, readable by its owner only', async () => {
  const [first, size] = [witness.vkey, Number((await submit(log, 0, 360)).body)]
  await witness.stop('SIGKILL')
  witness = await start()
  assert.equal(witness.vkey, first)
  assert.equal((await submit(fork, 0, 400)).status, 409)
  assert.equal((await submit(log, size, 360)).status, 200)
  assert.equal(statSync(join(directory.path, 'witness-key')).mode & 0o077, 0)
})

test('a damaged state, a second witness and wrong arguments end with one sentence', async () => {
  const args = ['witness', log.signer.vkey, '--name', NAME, '--dir', directory.path, '--port', '0']
  expectRefusal(await palimpsest(args), 1, /in use by another palimpsest process/)
  assert.equal(await witness.stop(), 0)
  const file = join(directory.path, 'checkpoints', hash('sha256', log.origin, 'hex'))
  const note = readFileSync(file)
  writeFileSync(file, note.subarray(0, 50))
  expectRefusal(await inProcess(args), 1, /a witness must not lose its last checkpoints/)
  writeFileSync(file, note)
  expectRefusal(await inProcess(args.with(1, witness.vkey)), 2, /not a verifier key of a log/)
  expectRefusal(await inProcess(args.with(3, 'a b')), 2, /--name must not contain white space/)
})
