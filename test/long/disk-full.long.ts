import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { mountSmallDisk } from '../faults/tools.ts'
import { newActor } from '../support/client.ts'
import { fill, fullDiskRound, SLACKS } from '../support/full-disk.ts'
import { assertWhole } from '../support/integrity.ts'
import { makeDirectory, spawnService, startServer } from '../support/process.ts'
import { inspect } from '../support/reader.ts'

const ROUNDS = 10
/** In milliseconds of space. */
const RECOVERED_WITHIN = 5_000
const directory = makeDirectory()
const disk = join(directory.path, 'disk')
const unmount = mountSmallDisk(disk, '64m')
const options = { skip: unmount === false && 'no small disk can be mounted' }
const dataDir = join(disk, 'data')

after(() => {
  if (unmount !== false) unmount()
  directory.remove()
})

test(
  `a service whose disk is full ${ROUNDS} times loses nothing, and recovers within 5 s of free space each time`,
  options,
  async () => {
    const server = await startServer(dataDir)
    try {
      const { token } = await newActor(server.url)
      const recovered: number[] = []
      for (let round = 0; round < ROUNDS; round++)
        recovered.push(await fullDiskRound(server, disk, SLACKS[round % SLACKS.length] ?? 0, token))
      assert.ok(Math.max(...recovered) < RECOVERED_WITHIN, `recovered after ${recovered.map(Math.round)} ms`)
      await inspect(dataDir, assertWhole)
    } finally {
      await server.stop()
    }
    assert.equal((await server.ended).code, 0)
  },
)

test(
  'a backup to a full disk fails with a sentence and leaves no file, and succeeds with free space',
  options,
  async () => {
    const source = join(directory.path, 'source')
    cpSync(dataDir, source, { recursive: true })
    rmSync(dataDir, { recursive: true })
    const target = join(disk, 'copy')
    const backup = () => spawnService(['backup', '--to', target], { env: { DATA_DIR: source } }).ended
    for (const slack of SLACKS) {
      const ballast = fill(disk, slack)
      const { code, stderr } = await backup()
      assert.equal(code, 1, stderr)
      assert.match(stderr, /no space left for .*copy; free some and run again\.$/m)
      assert.deepEqual(readdirSync(disk), ['ballast'], 'nothing is left')
      rmSync(ballast)
    }
    const { code, stderr } = await backup()
    assert.equal(code, 0, stderr)
    assert.ok(existsSync(target))
  },
)
