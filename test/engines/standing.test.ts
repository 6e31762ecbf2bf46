import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Activity, Blame, Entry, Standing } from '../../src/contract/resources.ts'
import { expectDone, palimpsest, temporaryDirectory } from '../cli/command.ts'
import { openCopy } from '../cli/mirror/copy.ts'
import { call, expectStatus } from '../support/client.ts'
import { databaseOf } from '../support/engine.ts'
import { startServer } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { NO_POSTGRES, startPair } from './pair.ts'
import { createPlay } from './standing-play.ts'

const SEQUENCES = Number(process.env.SEQUENCES ?? 4)
const STEPS = 60
const directory = temporaryDirectory()
after(() => directory.remove())

const readAt = async <T>(base: string, entry: string, what: string): Promise<T> =>
  expectStatus(await call<T>(base, 'GET', `/api/entries/${entry}/${what}`), 200)
const standingAt = (base: string, entry: string) => readAt<Standing>(base, entry, 'standing')
/** The entry as it stood at a sequence, or the status of the refusal. */
const thenAt = async (base: string, entry: string, sequence: number): Promise<object | number> => {
  const { status, body } = await call(base, 'GET', `/api/asof/${sequence}/entries/${entry}`)
  return status === 200 ? body : status
}
const readFeed = async (base: string): Promise<{ items: Activity[] }> =>
  expectStatus(await call<{ items: Activity[] }>(base, 'GET', '/api/activity?limit=1'), 200)
const blameAt = (base: string, entry: string) => readAt<Blame>(base, entry, 'blame')
/** What remains of a standing where ids and times are others. */
const counted = ({ state, tally, earlier, kept, contradictions }: Standing) => ({
  ...{ state, tally, earlier, kept },
  contradictions: contradictions.map(one => [one.kind, one.status, one.kept, one.rationale]),
})

const countedBlame = ({ pieces, revisions, evidence, lookedAt }: Blame) => ({
  pieces: pieces.map(one => [one.text, revisions.findIndex(({ id }) => id === one.revisionId), one.evidence]),
  evidence: evidence.map(({ state, tally, objections }) => [state, tally, objections.length]),
  lookedAt,
})

test('random sequences of revisions, evidence and moderation have one standing on both engines, in the model, and in every copy', {
  skip: NO_POSTGRES,
  timeout: 600_000,
}, async () => {
  const random = seededRandom('standings')
  const pair = await startPair({ settings: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  try {
    const { app, names } = pair.sides[0]
    const mirror = await openCopy(app.url)
    const addresses: string[] = []
    for (let sequence = 0; sequence < SEQUENCES; sequence++) {
      const play = await createPlay(pair, random, sequence)
      for (let n = 0; n < STEPS; n++) {
        await play.step()
        if (random.below(8) === 0) await mirror.catchUp()
      }
      await play.restoreAll()
      await play.assertAsOf()
      addresses.push(...play.entries.map(({ id }) => names.actual(id)))
    }
    const originals = await Promise.all(addresses.map(id => standingAt(app.url, id)))
    const { items } = await readFeed(app.url)
    const middle = Math.ceil(Number(items[0]?.sequence) * 0.8)
    const thens = await Promise.all(addresses.map(id => thenAt(app.url, id, middle)))
    const blames = await Promise.all(addresses.map(id => blameAt(app.url, id)))
    const assertEqual = async (base: string, label: string): Promise<void> => {
      for (const [index, id] of addresses.entries()) {
        assert.deepEqual(await standingAt(base, id), originals[index], label)
        assert.deepEqual(await blameAt(base, id), blames[index], label)
        assert.deepEqual(await thenAt(base, id, middle), thens[index], label)
      }
    }
    await mirror.catchUp()
    await assertEqual(mirror.app.url, 'a mirror')
    const late = await openCopy(app.url)
    await late.catchUp()
    await assertEqual(late.app.url, 'a mirror that was made at the end')
    await app.restart()
    await assertEqual(app.url, 'after a restart')

    const slugs = await Promise.all(
      addresses.map(async id => expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${id}`), 200).slug),
    )
    await assertCopies(app.dataDir, addresses, { originals, blames }, slugs)
  } finally {
    await pair.close()
  }
})

/** Serves every kind of copy of a store, and asserts that its standings are the same. */
async function assertCopies(
  dataDir: string,
  addresses: readonly string[],
  { originals, blames }: { originals: readonly Standing[]; blames: readonly Blame[] },
  slugs: readonly string[],
): Promise<void> {
  const at = (name: string): string => `${directory.path}/${name}`
  expectDone(await palimpsest(['verify', '--data-dir', dataDir]))
  expectDone(await palimpsest(['backup', '--to', at('backup.db'), '--data-dir', dataDir]))
  expectDone(await palimpsest(['restore', '--from', at('backup.db'), '--data-dir', at('restored')]))
  expectDone(await palimpsest(['export', '--to', at('lines'), '--data-dir', dataDir]))
  expectDone(await palimpsest(['import', '--from', at('lines'), '--data-dir', at('imported')]))
  expectDone(await palimpsest(['verify', '--data-dir', at('imported')]))
  const database = await databaseOf('standings')
  expectDone(await palimpsest(['copy', '--from', dataDir, '--to', database]))
  for (const [name, env] of [
    ['restored', {}],
    ['moved', { DATABASE_URL: database }],
  ] as const) {
    const server = await startServer(at(name), { env })
    for (const [n, id] of addresses.entries()) {
      assert.deepEqual(await standingAt(server.url, id), originals[n], name)
      assert.deepEqual(await blameAt(server.url, id), blames[n], name)
    }
    server.kill('SIGTERM')
    await server.ended
  }
  const imported = await startServer(at('imported'))
  for (const [n, slug] of slugs.entries()) {
    assert.deepEqual(counted(await standingAt(imported.url, slug)), counted(originals[n] as Standing), 'imported')
    assert.deepEqual(countedBlame(await blameAt(imported.url, slug)), countedBlame(blames[n] as Blame), 'imported')
  }
  imported.kill('SIGTERM')
  await imported.ended
}
