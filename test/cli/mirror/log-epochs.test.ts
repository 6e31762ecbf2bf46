import assert from 'node:assert/strict'
import { copyFileSync, cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { LogRecord } from '../../../src/contract/resources.ts'
import { logKeyFile } from '../../../src/secrets.ts'
import { storeFile } from '../../../src/stores/embedded/directory.ts'
import { logHeadFile } from '../../../src/tlog/key-files.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { checkpointOf, readExport } from '../../support/logged-world.ts'
import { moderate } from '../../support/moderation.ts'
import { makeDirectory, spawnService } from '../../support/process.ts'
import { expectDone, expectRefusal } from '../command.ts'
import { commandLine } from '../people/in-process.ts'

const directory = makeDirectory()
after(() => directory.remove())
const at = (name: string): string => join(directory.path, name)
const { inProcess } = commandLine()

/** Serves a directory; at the address of another service that has stopped, if there is one. */
const serve = (name: string, before?: TestApp): Promise<TestApp> => {
  const address = before === undefined ? {} : { PORT: new URL(before.url).port }
  return startApp({ DATA_DIR: at(name), TLOG_INTERVAL_SECONDS: '0.05', ...address }, { engine: 'embedded' })
}
async function publish(url: string, count: number): Promise<string[]> {
  const { token } = await newActor(url)
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await newEntry(url, token)).id)
  return ids
}
const copyOnce = (url: string, name: string, ...flags: string[]) =>
  inProcess(['mirror', url, '--once', '--data-dir', at(name), ...flags])
const check = (name: string) => inProcess(['check', '--log', '--data-dir', at(name)])
const firstKey = async (url: string): Promise<string> => (await call(url, 'GET', '/log/keys')).text.split('\n')[0] ?? ''

/** Serves a directory for the time of some work. */
async function whileServed<T>(name: string, work: (url: string) => Promise<T>): Promise<T> {
  await using server = await serve(name)
  return await work(server.url)
}

/** A stopped original of 3 records and its mirror: the address, the last checkpoint, and what the mirror printed. */
let stopped: { original: TestApp; origin: string; note: string; printed: string }
before(async () => {
  const original = await serve('stopped')
  await publish(original.url, 3)
  const { note, origin } = await checkpointOf(original.url, 3)
  const printed = expectDone(await copyOnce(original.url, 'stopped-copy'))
  await original.close()
  stopped = { original, origin, note, printed }
})
/** Makes a copy of the stopped original, and one of its mirror. */
function copyStopped(original: string, mirror?: string): void {
  cpSync(at('stopped'), at(original), { recursive: true })
  if (mirror !== undefined) cpSync(at('stopped-copy'), at(mirror), { recursive: true })
}

test('a mirror prints what it verified, is intact, and is served with the log of its original', async () => {
  const { note, origin, printed } = stopped
  assert.match(printed, /^The first 3 records are those of its public log, by the key localhost\/log\/\S+\.$/m)
  assert.match(expectDone(await check('stopped-copy')), new RegExp(`^The public log ${origin} has 3 records`, 'm'))
  await whileServed('stopped-copy', async url => {
    assert.equal((await call(url, 'GET', '/log/checkpoint')).text, note)
  })
})

test('a restored original is copied with the continuation record of its log; an earlier mirror stops', async () => {
  const before = await serve('lost')
  await publish(before.url, 4)
  await checkpointOf(before.url, 4)
  expectDone(await copyOnce(before.url, 'of-lost'))
  expectDone(await inProcess(['backup', '--to', at('backup'), '--data-dir', at('lost')]))
  await publish(before.url, 2)
  await before.close()
  expectDone(await inProcess(['restore', '--from', at('backup'), '--data-dir', at('restored')]))
  const restored = await serve('restored', before)
  const [, hidden = ''] = await publish(restored.url, 2)
  await moderate(restored.url, 'ENTRY', hidden, 'HIDE')
  const { note, size, origin } = await checkpointOf(restored.url, 8)
  // A billion sequence numbers were never assigned.
  const { lines, answers } = await readExport(restored.url)
  assert.ok(answers < 5, `${answers} answers`)
  assert.deepEqual(lines.flatMap(({ record }) => record ?? []).toSorted(), ['1', '2', '3', '4', '5', '6', '7', '8'])
  expectDone(await copyOnce(restored.url, 'of-restored'))
  expectDone(await check('of-restored'))
  await whileServed('of-restored', async url => {
    assert.equal((await call(url, 'GET', '/log/checkpoint')).text, note)
    for (let record = 1; record <= size; record++) {
      const path = `/api/log/records/${record}/proof`
      assert.equal((await call(url, 'GET', path)).text, (await call(restored.url, 'GET', path)).text, path)
    }
    const { kind, statement } = expectStatus(await call<LogRecord>(url, 'GET', '/api/log/records/5'), 200)
    assert.equal(kind, 'continuation')
    assert.notEqual((JSON.parse(statement ?? '') as { previousOrigin: string }).previousOrigin, origin)
  })
  expectRefusal(await copyOnce(restored.url, 'of-lost'), 1, /has another store than the one that was copied/)
  await restored.close()
})

test('a mirror follows its original to another origin with the same key', async () => {
  copyStopped('same-key', 'of-same-key')
  // Without it another log begins.
  rmSync(logHeadFile(at('same-key')))
  const original = await serve('same-key', stopped.original)
  await publish(original.url, 2)
  const { note, origin } = await checkpointOf(original.url, 6)
  assert.notEqual(origin, stopped.origin)
  expectDone(await copyOnce(original.url, 'of-same-key'))
  expectDone(await check('of-same-key'))
  await whileServed('of-same-key', async url => {
    assert.equal((await call(url, 'GET', '/log/checkpoint')).text, note)
    assert.equal((await call(url, 'GET', '/log/keys')).text, (await call(original.url, 'GET', '/log/keys')).text)
  })
  await original.close()
})

test('a mirror stops if another key signs, and continues once that key is named', async () => {
  copyStopped('new-key', 'of-new-key')
  rmSync(logKeyFile(at('new-key')))
  const original = await serve('new-key', stopped.original)
  await publish(original.url, 1)
  const { note } = await checkpointOf(original.url, 5)
  const sentence = /^The checkpoint of \S+ is not signed by the key that this mirror trusts, .*name it with --key\.$/
  expectRefusal(await copyOnce(original.url, 'of-new-key'), 1, sentence)
  expectRefusal(await copyOnce(original.url, 'of-new-key', '--key', 'no key'), 1, /^--key is a verifier key/)
  const key = await firstKey(original.url)
  expectDone(await copyOnce(original.url, 'of-new-key', '--key', key))
  await whileServed('of-new-key', async url => {
    assert.equal((await call(url, 'GET', '/log/checkpoint')).text, note)
  })
  await original.close()
})

test('a mirror stops at a store that lost records, and names the first that differs', async () => {
  copyStopped('cut')
  const file = storeFile(at('cut'))
  copyFileSync(file, at('cut.db'))
  const longer = await serve('cut', stopped.original)
  await publish(longer.url, 3)
  await checkpointOf(longer.url, 6)
  expectDone(await copyOnce(longer.url, 'of-cut'))
  await longer.close()
  copyFileSync(at('cut.db'), file)
  const shorter = await serve('cut', stopped.original)
  await publish(shorter.url, 6)
  const forked = await checkpointOf(shorter.url, 10)
  expectRefusal(
    await copyOnce(shorter.url, 'of-cut'),
    1,
    /^FORK: .* at 10 records does not continue the 6 records .*: record 4 is another one\./,
  )
  assert.equal(readFileSync(join(at('of-cut'), 'log-fork'), 'utf8'), forked.note)
  const { ended } = spawnService(['mirror', shorter.url, '--serve', '--data-dir', at('of-cut')])
  const { code, stderr } = await ended
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^FORK: /m)
  await shorter.close()
})

test('a mirror that began without the log is verified from its first row once the log is required', async () => {
  copyStopped('unverified')
  const original = await serve('unverified')
  const { note } = await checkpointOf(original.url, 3)
  assert.match(expectDone(await copyOnce(original.url, 'late', '--without-log')), /^Its public log was not copied/m)
  await whileServed('late', async url => assert.equal((await call(url, 'GET', '/log/checkpoint')).status, 404))
  expectDone(await copyOnce(original.url, 'late'))
  expectDone(await check('late'))
  await whileServed('late', async url => assert.equal((await call(url, 'GET', '/log/checkpoint')).text, note))
  expectRefusal(await copyOnce(original.url, 'late', '--without-log'), 1, /verifies the public log of its original/)
  expectRefusal(await copyOnce(original.url, 'late', '--without-log', '--key', 'x'), 2, /exclude each other/)
  await original.close()
})
