import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryDirectory } from '../cli/command.ts'
import { spawn } from '../support/children.ts'
import { MemoryLog, someWitness } from '../support/log-files.ts'
import { missing } from '../support/programs.ts'

const NO_OPENSSL = missing('openssl')
const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'log.md'), 'utf8')
const script = /```sh\n(#!\/bin\/sh\n.*?)```/s.exec(document)?.[1] ?? ''
const directory = temporaryDirectory()
after(directory.remove)
writeFileSync(join(directory.path, 'verify-proof.sh'), script)

/** The output of the script of the document for a proof; undefined if the proof is invalid. */
function verify(proof: string, vkey: string): Promise<string | undefined> {
  writeFileSync(join(directory.path, 'proof'), proof)
  const child = spawn('sh', ['verify-proof.sh', 'proof', vkey], { cwd: directory.path })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    printed += chunk
  })
  child.stderr.resume()
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve(code === 0 ? printed : undefined))
  })
}

test('the shell script of the document accepts proofs of any shape', { skip: NO_OPENSSL }, async () => {
  for (const size of [1, 2, 3, 7, 8, 300]) {
    let log = new MemoryLog()
    // The base64 of a key may have a plus, which also separates the parts of a verifier key.
    while (log.signer.vkey.split('+').length < 4) log = new MemoryLog()
    await log.append(size)
    for (const record of new Set([1, 2, 5, 256, 257, size - 1, size])) {
      if (record < 1 || record > size) continue
      const printed = await verify(await log.proof(record, [someWitness()]), log.signer.vkey)
      assert.equal(JSON.parse(printed ?? '{}').record, String(record), `record ${record} of ${size}`)
    }
  }
})

test('the shell script of the document refuses invalid proofs', { skip: NO_OPENSSL }, async () => {
  const log = await new MemoryLog().append(300)
  const proof = await log.proof(150)
  const [, extra = ''] = /^extra (.*)$/m.exec(proof) ?? []
  const forged = Buffer.from(extra, 'base64').toString('latin1').replace('HIDE', 'HIDD')
  for (const bad of [
    proof.replace(extra, Buffer.from(forged, 'latin1').toString('base64')),
    proof.replace('index 149', 'index 148'),
    proof.replace('\n300\n', '\n301\n'),
    proof.replace(/index 149\n.*\n/, 'index 149\n'),
    await log.proof(150, [], 299).then(other => proof.replace(/\n\n.*$/s, other.slice(other.indexOf('\n\n')))),
  ]) {
    assert.equal(await verify(bad, log.signer.vkey), undefined)
  }
  assert.equal(await verify(proof, new MemoryLog().signer.vkey), undefined)
  assert.notEqual(await verify(proof, log.signer.vkey), undefined)
})
