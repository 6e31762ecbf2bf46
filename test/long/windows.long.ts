import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { makeDirectory } from '../support/process.ts'
import { percentile } from '../support/times.ts'
import { canFindOwner, Window, windowRounds } from '../support/windows.ts'

const SKIP = canFindOwner ? {} : { skip: 'needs /proc, to find the process that owns the store' }

test(
  '10 windows write 1,000 entries each while each owner is killed after a second: none is lost or doubled',
  SKIP,
  async t => {
    const directory = makeDirectory()
    t.after(directory.remove)
    const counted = await windowRounds(directory.path, { windows: 10, writes: 1_000, killEvery: 1_000, kills: 10_000 })
    t.diagnostic(JSON.stringify(counted))
    assert.ok(counted.unknown <= counted.killed)
  },
)

const ROUNDS = 20
const READY_WITHIN_MS = 300

test('a further window has answered the handshake and the list of tools within 300 ms of its start', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const owner = new Window(directory.path)
  await owner.open()
  const timed = async (work: () => unknown): Promise<number> => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const starts: number[] = []
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const further = new Window(directory.path)
    starts.push(await timed(() => further.open()))
    await further.end()
    bare.push(await timed(() => spawnSync(process.execPath, ['-e', '0'])))
  }
  await owner.end()
  const [ready, node] = [percentile(starts, 50), percentile(bare, 50)].map(Math.round)
  t.diagnostic(`ready after ${ready} ms (median of ${ROUNDS}); Node alone takes ${node} ms`)
  assert.ok((ready ?? 0) <= READY_WITHIN_MS, `${ready} ms`)
})
