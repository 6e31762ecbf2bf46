import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { socketPath } from '../../src/local-socket.ts'
import { expectDone, expectRefusal, palimpsest } from '../cli/command.ts'
import { newActor, newEntry } from '../support/client.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'
import { canFindOwner, Window, windowRounds } from '../support/windows.ts'

const SKIP = canFindOwner ? {} : { skip: 'needs /proc, to find the process that owns the store' }

test('while the owner of a private memory is killed, the other windows lose and double no write', SKIP, async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const counted = await windowRounds(directory.path, { windows: 3, writes: 25, killEvery: 500, kills: 2 })
  assert.ok(counted.killed > 0)
  assert.ok(counted.unknown <= counted.killed)
  t.diagnostic(JSON.stringify(counted))
})

test('a second window reads what the first wrote, as the same actor, and takes over when it ends', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const [first, second] = [new Window(directory.path), new Window(directory.path)]
  await first.open()
  await second.open()
  const socket = socketPath(directory.path)
  assert.equal(statSync(socket).mode & 0o777, 0o600)
  const entry = { title: 'Tea water', summary: 'Not boiling.', content: 'About 80 degrees.' }
  await first.call('publish', entry)
  assert.match((await second.call('find', { q: 'tea water' })) ?? '', /tea-water/)
  assert.equal(await first.end(), 0)
  await second.call('publish', { ...entry, title: 'Coffee water', content: 'About 95 degrees.', summary: 'Hotter.' })
  const read = (await second.call('read', { entry: 'coffee-water' })) ?? ''
  const author = /"actorId":"([0-9a-f-]{36})"/.exec(read)?.[1]
  assert.ok((await second.call('read', { entry: 'tea-water' }))?.includes(author ?? 'no actor'), read)
  assert.match((await second.call('forget', { entry: 'tea-water', reason: 'Old.' })) ?? '', /Withdrew/)
  assert.equal(await second.end(), 0)
  assert.equal(first.stderr + second.stderr, '')
  assert.equal(existsSync(socket), false)
})

test('find asks further services too, names the memory of each row, and names a service without an answer', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const shared = makeDirectory()
  t.after(shared.remove)
  const server = await startServer(shared.path)
  t.after(() => {
    server.kill('SIGTERM')
    return server.ended
  })
  const { token } = await newActor(server.url)
  await newEntry(server.url, token, { title: 'Oolong water', summary: 'Of oolong.', content: 'About 90 degrees.' })
  const [silent, dead] = [createServer(() => {}), await freePort()]
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  t.after(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const others = [server.url, `http://127.0.0.1:${port}`, `http://127.0.0.1:${dead}`]
  const window = new Window(directory.path, '--from', others.join(','))
  await window.open()
  await window.call('publish', { title: 'Green tea water', summary: 'Of tea.', content: 'About 80 degrees.' })
  // On a busy machine a service may need longer for an answer than the window waits.
  const found = await eventually('an answer of the service', 120_000, async () => {
    const text = await window.call('find', { q: 'oolong water' })
    return text?.includes(`${server.url} has no answer`) ? undefined : text
  })
  assert.ok(found.includes(`## ${server.url}: Oolong water`), found)
  assert.ok(found.includes(`http://127.0.0.1:${port} has no answer`) && /2 s/.test(found), found)
  assert.ok(found.includes(`http://127.0.0.1:${dead} has no answer`), found)
  assert.match(
    (await window.call('find', { q: 'green tea water' })) ?? '',
    /^Answerable: true.*\n.*\n.*\n+## Green tea/s,
  )
  assert.equal(await window.end(), 0)
  expectRefusal(await palimpsest(['mcp', '--data-dir', directory.path, '--from', 'ftp://x']), 2, /--from must be http/)
})

test('a further window opens its session with the answers of the owner, each of them once', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const owner = new Window(directory.path)
  const answers = await owner.open()
  assert.match(JSON.stringify(answers), /"name":"forget"/)
  const [further, idle] = [new Window(directory.path), new Window(directory.path)]
  assert.deepEqual(await further.open(), answers)
  assert.deepEqual(await idle.open(), answers)
  assert.match((await further.call('publish', { title: 'T', summary: 'S', content: 'C' })) ?? '', /^Published/)
  for (const window of [further, idle, owner]) assert.equal(await window.end(), 0)
  assert.equal(further.stderr + idle.stderr, '')
})

test('a further window whose host reads no more ends, and reports no fault', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const [first, second] = [new Window(directory.path), new Window(directory.path)]
  await first.open()
  assert.equal(await second.leave(), 0)
  assert.doesNotMatch(second.stderr, /Error \[|at /)
  assert.equal(await first.end(), 0)
})

test('a directory whose path is too long for a socket has its socket elsewhere', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const path = join(directory.path, 'd'.repeat(60), 'e'.repeat(60))
  mkdirSync(path, { recursive: true })
  const windows = [new Window(path), new Window(path)]
  for (const window of windows) await window.open()
  const socket = socketPath(path)
  assert.ok(Buffer.byteLength(socket) < 104 && existsSync(socket), socket)
  await windows[1]?.call('publish', { title: 'T', summary: 'S', content: 'C' })
  assert.match(readFileSync(join(path, 'mcp-actor-token'), 'utf8'), /^plm_/)
  for (const window of windows) assert.equal(await window.end(), 0)
})

test('the socket of another user is refused with one sentence', { skip: process.getuid?.() !== 0 }, async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const owner = new Window(directory.path)
  await owner.open()
  chmodSync(directory.path, 0o755)
  chownSync(socketPath(directory.path), 65_534, 65_534)
  const other = new Window(directory.path)
  assert.equal(await other.ended, 1)
  assert.match(other.stderr, /^The socket .* belongs to another user; .*\n$/)
  await owner.end()
})

test('commands for people use the directory of an open window, and open it themselves after the window', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const memory = join(directory.path, 'memory')
  const at = ['--data-dir', memory]
  const run = (...args: string[]) =>
    palimpsest([...args, ...at], { env: { XDG_CONFIG_HOME: directory.path }, input: DRAFT })
  expectRefusal(await run('search', 'tea'), 1, /^There is no store in .*memory/)
  const window = new Window(memory)
  await window.open()
  await window.call('publish', { title: 'Tea water', summary: 'Not boiling.', content: 'About 80 degrees.' })
  assert.match(expectDone(await run('search', 'tea', 'water')), /tea-water/)
  assert.match(
    expectDone(await run('publish', '-')),
    /^Published coffee-water\n {2}palimpsest show coffee-water --data-dir /,
  )
  assert.match((await window.call('find', { q: 'coffee water' })) ?? '', /coffee-water/)
  expectRefusal(await run('search', 'tea', '--url', 'http://127.0.0.1:1'), 2, /exclude each other/)
  assert.equal(await window.end(), 0)
  assert.match(expectDone(await run('show', 'coffee-water')), /95 degrees/)
  assert.match(expectDone(await run('whoami')), /memory\n/)
  assert.equal(existsSync(socketPath(memory)), false)
})
const DRAFT = '---\nsummary: Hotter.\n---\n\n# Coffee water\n\nAbout 95 degrees.\n'

test('a service at a loopback address shares the directory of an open window, and takes over when it ends', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const window = new Window(directory.path)
  await window.open()
  await window.call('publish', { title: 'Tea water', summary: 'Not boiling.', content: 'About 80 degrees.' })
  const service = await startServer(directory.path, { env: { PORT: String(await freePort()) } })
  const read = async () => (await fetch(`${service.url}/api/entries/tea-water`)).status
  assert.equal(await read(), 200)
  assert.equal(await window.end(), 0)
  await eventually('the service has taken over', 200_000, async () =>
    (await read().catch(() => 0)) === 200 ? true : undefined,
  )
  const later = new Window(directory.path)
  await later.open()
  assert.match((await later.call('find', { q: 'tea water' })) ?? '', /tea-water/)
  assert.equal(await later.end(), 0)
  assert.equal((await service.stop()).code, 0)
  await assertRefusedBeside(directory.path)
})

test('a service whose directory can have no socket starts, and says so', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  mkdirSync(join(directory.path, 'palimpsest.sock'))
  const service = await startServer(directory.path)
  assert.equal((await fetch(`${service.url}/ready`)).status, 200)
  const { code, stderr } = await service.stop()
  assert.equal(code, 0)
  assert.match(stderr, /no other process can share the data directory/)
})

/** A relay would pass the limits of the service by, so an address that other machines can reach is refused. */
async function assertRefusedBeside(path: string): Promise<void> {
  const window = new Window(path)
  await window.open()
  const ended = await palimpsest(['serve', '--data-dir', path], { env: { PORT: '0', HOST: '0.0.0.0' } })
  expectRefusal(ended, 1, /in use by another palimpsest process/)
  await window.end()
}
