import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newActor } from '../support/client.ts'
import { fullDiskRound, SLACKS } from '../support/full-disk.ts'
import { assertWhole } from '../support/integrity.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import { inspect } from '../support/reader.ts'
import { mountSmallDisk, NO_MOUNT } from './tools.ts'

const directory = makeDirectory()
const disk = join(directory.path, 'disk')
const unmount = mountSmallDisk(disk, '16m')

test('on a full disk writes are refused and reads answered; with free space the service recovers', {
  skip: NO_MOUNT,
}, async () => {
  const server = await startServer(join(disk, 'data'))
  try {
    const { token } = await newActor(server.url)
    for (const slack of SLACKS) await fullDiskRound(server, disk, slack, token)
    await inspect(server.dataDir, assertWhole)
  } finally {
    await server.stop()
  }
  assert.equal((await server.ended).code, 0)
})

process.on('exit', () => {
  if (unmount !== false) unmount()
  directory.remove()
})
