import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseCheckpoint } from '../../src/tlog/checkpoint.js'
import { parseNote } from '../../src/tlog/note.js'
import { expectDone, palimpsest } from '../cli/command.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { withNodes } from '../support/nodes.ts'
import { eventually, makeDirectory } from '../support/process.ts'

const PATIENCE = 60_000
const directory = makeDirectory()
after(() => directory.remove())

type Head = ReturnType<typeof parseCheckpoint> & { note: string }
/** The newest checkpoint of a node, once it has more than so many records. */
const headAbove = (url: string, size: number): Promise<Head> =>
  eventually(`a checkpoint above ${size} at ${url}`, PATIENCE, async () => {
    const { status, text } = await call(url, 'GET', '/log/checkpoint')
    const head = status === 200 ? { note: text, ...parseCheckpoint(parseNote(text).text) } : undefined
    return head !== undefined && head.size > size ? head : undefined
  })

/** Holds checkpoints against the database. */
async function checkAll(database: string, heads: readonly Head[]): Promise<void> {
  for (const head of heads) {
    const file = join(directory.path, `checkpoint-${head.size}`)
    writeFileSync(file, head.note)
    expectDone(await palimpsest(['check', '--log', '--checkpoint', file], { env: { DATABASE_URL: database } }))
  }
}

test('three nodes keep one log, and go on when one of them is killed', { skip: NO_POSTGRES }, async () => {
  await withNodes({ count: 3 }, async ({ urls, servers, database }) => {
    const { token } = await newActor(urls[0] ?? '')
    const publish = (at: readonly string[]) =>
      Promise.all(at.flatMap(url => Array.from({ length: 20 }, () => newEntry(url, token))))
    await publish(urls)
    const heads = await Promise.all(urls.map(url => headAbove(url, 59)))
    assert.deepEqual(new Set(heads.map(({ origin }) => origin)).size, 1)
    const [first, ...others] = urls
    servers[0]?.kill('SIGKILL')
    await servers[0]?.ended
    await publish(others)
    const later = await Promise.all(others.map(url => headAbove(url, 99)))
    assert.ok(first !== undefined)
    await checkAll(database, [...heads, ...later])
  })
})

test('a database that lost records which were signed begins another log', { skip: NO_POSTGRES }, async () => {
  await withNodes({ count: 2 }, async ({ urls, database }) => {
    const [one = '', two = ''] = urls
    const { token } = await newActor(one)
    for (let n = 0; n < 5; n++) await newEntry(one, token)
    const before = await headAbove(one, 4)
    await headAbove(two, 4)
    // As a failover to a standby that lacks the newest commits: rows, log and identity are those of before.
    await withClient(database, async client => {
      await client.query(`BEGIN; LOCK TABLE head, log, log_checkpoint IN ACCESS EXCLUSIVE MODE;
        DELETE FROM activity WHERE revision > 3; DELETE FROM revision WHERE number > 3; DELETE FROM entry WHERE number > 3;
        DELETE FROM log_bundle; DELETE FROM log_checkpoint; UPDATE log SET size = 0, root = '';
        UPDATE head SET record = 3, entries = 3, revisions = 3; UPDATE cluster SET identity = 'another'; COMMIT`)
    })
    for (let n = 0; n < 4; n++) await newEntry(two, token)
    const after = await headAbove(two, 7)
    assert.notEqual(after.origin, before.origin)
    await Promise.all(urls.map(url => headAbove(url, 7)))
  })
})
