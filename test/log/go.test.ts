import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { NO_GO, verifyWithGo } from '../support/go.ts'
import { MemoryLog, someWitness } from '../support/log-files.ts'

async function directoryOf(files: Map<string, Uint8Array>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-log-'))
  after(() => rm(directory, { recursive: true, force: true }))
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), bytes)
  }
  return directory
}

test('Go’s sumdb packages accept checkpoint, tiles, consistency and every inclusion proof', {
  skip: NO_GO,
}, async () => {
  const log = await new MemoryLog().append(600)
  const witness = someWitness()
  const files = await log.files()
  files.set('checkpoint', Buffer.from(await log.checkpoint(600, [witness])))
  files.set('older', Buffer.from(await log.checkpoint(300)))
  for (const record of [1, 300, 600]) files.set(`${record}.tlog-proof`, Buffer.from(await log.proof(record)))
  const directory = await directoryOf(files)
  const options = ['-key', log.signer.vkey, '-witness', witness.vkey, '-older', join(directory, 'older')]
  const { text } = await verifyWithGo([...options, '-proofs', directory, directory])
  assert.equal(
    text,
    'begins with the 300 records of the older checkpoint\n600 records are in the log that 2 keys signed\n3 proofs hold\n',
  )
})

test('Go’s sumdb packages refuse a changed entry, a changed tile, a rewritten past and a foreign key', {
  skip: NO_GO,
}, async () => {
  const log = await new MemoryLog().append(300)
  const files = await log.files()
  const key = ['-key', log.signer.vkey]
  const refused = async (changes: [string, Uint8Array][], options: string[] = key): Promise<string> => {
    const directory = await directoryOf(new Map([...files, ...changes]))
    const { holds, text } = await verifyWithGo([...options, directory])
    assert.equal(holds, false, text)
    return text
  }
  const turned = (path: string, at: number): [string, Uint8Array] => {
    const bytes = Uint8Array.from(files.get(path) ?? [])
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return [path, bytes]
  }
  assert.match(await refused([turned('tile/entries/000', 60)]), /Record 1: invalid transparency proof/)
  assert.match(await refused([turned('tile/0/001.p/44', 5)]), /downloaded inconsistent tile|invalid/)
  const other = new MemoryLog()
  assert.match(await refused([], ['-key', other.signer.vkey]), /no verifiable signatures/)
  assert.match(await refused([], [...key, '-witness', someWitness().vkey]), /did not cosign/)
  const past = await new MemoryLog(log.origin, log.signer).append(200, 'other')
  const older = join(await directoryOf(new Map([['older', Buffer.from(await past.checkpoint())]])), 'older')
  assert.match(await refused([], [...key, '-older', older]), /The older checkpoint: invalid transparency proof/)
})
