import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { expectDone, expectRefusal } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { call, newActor } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { checkpointOf, makeWorld } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'
import { withNodes, writeThrough } from '../support/nodes.ts'
import { eventually, makeDirectory, spawnService } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const { inProcess } = commandLine()
const PATIENCE = 60_000
const KILLS = 3
const directory = makeDirectory()
after(() => directory.remove())

test('a mirror of nodes follows their log through kills and moderation, and names a row that was changed', {
  skip: NO_POSTGRES,
}, async () => {
  const random = seededRandom('mirror of nodes')
  await withNodes({ count: 2, shared: true }, async ({ urls, database }) => {
    const [one = '', two = ''] = urls
    const { token } = await newActor(one)
    const { entry, relation } = await makeWorld(two, token)
    const data = join(directory.path, 'copy')
    const writing = writeThrough(urls, 4, 'mirrored')
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = spawnService(['mirror', one, '--data-dir', data])
      await setTimeout(700 + random.below(1_500))
      await moderate(two, 'ENTRY', entry.id, kill % 2 === 0 ? 'HIDE' : 'RESTORE')
      child.kill('SIGKILL')
      const { code, stderr } = await ended
      assert.equal(code, null, stderr)
    }
    await writing.stop()
    const { record } = await withClient(
      database,
      async client => (await client.query('SELECT record FROM head')).rows[0],
    )
    const { note } = await checkpointOf(one, Number(record))
    expectDone(await inProcess(['mirror', one, '--once', '--data-dir', data]))
    expectDone(await inProcess(['check', '--log', '--data-dir', data]))
    const { child, ended } = spawnService(['mirror', one, '--serve', '--data-dir', data])
    let url = ''
    child.stdout.on('data', chunk => {
      url ||= /ready at (http:\S+)/.exec(String(chunk))?.[1] ?? ''
    })
    await eventually('the mirror to serve', PATIENCE, async () => (url === '' ? undefined : url))
    assert.equal((await call(url, 'GET', '/log/checkpoint')).text, note)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
    await withClient(database, client =>
      client.query("UPDATE relation SET rationale = 'Another.' WHERE id = $1", [relation.id]),
    )
    const fresh = await inProcess(['mirror', one, '--once', '--data-dir', join(directory.path, 'fresh')])
    expectRefusal(fresh, 1, /^Record \d+ \(sequence \d+\) \(relation\) does not match its leaf in the public log/)
  })
})
