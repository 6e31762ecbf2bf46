import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { FoundList } from '../../src/contract/resources.ts'
import { nodeIndexFile } from '../../src/stores/embedded/directory.ts'
import { expectDone, expectRefusal, palimpsest } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'

const { inProcess } = commandLine()
const ENTRIES = 30
const place = makeDirectory()
after(() => place.remove())

const find = async (node: ServerProcess, q: string): Promise<string[]> => {
  const answer = await callPatiently<FoundList>(node.url, 'GET', `/api/find?${new URLSearchParams({ q, limit: '20' })}`)
  return expectStatus(answer, 200).items.map(({ title }) => title)
}

/** From which record on the index of a node follows, as it logged last. */
const begunAt = (node: ServerProcess): Promise<{ from: number; of: number }> =>
  eventually('the index follows', 60_000, async () => {
    const lines = node
      .stderr()
      .split('\n')
      .filter(line => line.includes('follows the store from this record'))
    const last = lines.at(-1)
    return last === undefined ? undefined : (JSON.parse(last) as { from: number; of: number })
  })

test('a node that starts with a copied index searches at once and indexes only later records', {
  skip: NO_POSTGRES,
}, async () => {
  const env = { DATABASE_URL: await databaseWithTables('index copy'), LOG_LEVEL: 'info' }
  const first = await startServer(join(place.path, 'first'), { env })
  const { token } = await newActor(first.url)
  for (let n = 0; n < ENTRIES; n++) {
    await newEntry(first.url, token, { title: `Harbour ${n}`, summary: 'Of tides', content: `Tide table ${n}` })
  }
  assert.equal((await find(first, 'harbour tides')).length, 20)
  const second = join(place.path, 'second')
  const said = expectDone(await inProcess(['index', 'copy', '--from', first.dataDir, '--to', second]))
  const [, copied = ''] = /up to record (\d+)/.exec(said) ?? []
  assert.equal(statSync(nodeIndexFile(second)).mode & 0o077, 0)
  await newEntry(first.url, token, { title: 'Lighthouse', summary: 'Written later', content: 'Of its lamp' })

  const node = await startServer(second, { env })
  assert.deepEqual(await find(node, 'lighthouse lamp'), ['Lighthouse'])
  assert.deepEqual(await find(node, 'harbour tides'), await find(first, 'harbour tides'))
  const { from, of } = await begunAt(node)
  assert.equal(from, Number(copied))
  assert.ok(from >= ENTRIES && of > from, `${from} of ${of}`)

  const again = ['index', 'copy', '--from', first.dataDir, '--to', second]
  expectRefusal(await palimpsest(again), 1, /in use by another palimpsest process; stop that one first/)
  assert.equal((await node.stop()).code, 0)
  expectRefusal(await palimpsest(again), 1, /exists already and is not overwritten/)

  // A node over another database takes nothing from the copy.
  const third = join(place.path, 'third')
  expectDone(await inProcess(['index', 'copy', '--from', nodeIndexFile(second), '--to', third]))
  const strange = await startServer(third, { env: { ...env, DATABASE_URL: await databaseWithTables('other store') } })
  assert.deepEqual(await find(strange, 'harbour tides'), [])
  assert.equal((await begunAt(strange)).from, 0)
  for (const server of [first, strange]) {
    assert.equal((await server.stop()).code, 0)
  }
})

test('a file that is not a search index is not copied, and nothing remains', async () => {
  const to = join(place.path, 'empty')
  const file = join(place.path, 'notes.txt')
  writeFileSync(file, 'no database at all, but long enough to be read as one'.repeat(100))
  const copy = (from: string) => inProcess(['index', 'copy', '--from', from, '--to', to])
  expectRefusal(await copy(file), 1, /is not a search index that can be copied/)
  expectRefusal(await copy(join(place.path, 'nowhere')), 1, /There is no search index at .*nowhere/)
  expectRefusal(await inProcess(['index', 'move', '--from', file, '--to', to]), 2, /the action is copy/)
  assert.ok(!existsSync(nodeIndexFile(to)))
})
