import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Activity, Blame, Standing } from '../../src/contract/resources.ts'
import { expectDone } from '../cli/command.ts'
import { openCopy } from '../cli/mirror/copy.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { startApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { databaseOf, dropDatabaseOf } from '../support/engine.ts'
import { seededRandom } from '../support/random.ts'
import { startPair } from './pair.ts'
import { createPlay } from './standing-play.ts'

const { scratch, inProcess } = commandLine()

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
/**
 * Runs random sequences of revisions, evidence and moderation on both engines, and asserts that all entries have one
 * standing there and in every kind of copy.
 */
export async function runStandings({ sequences, steps }: { sequences: number; steps: number }): Promise<void> {
  const random = seededRandom('standings')
  await using pair = await startPair({ settings: { TRUSTED_PROXIES: '127.0.0.0/8', TLOG_INTERVAL_SECONDS: '0.05' } })
  const { app, names } = pair.sides[0]
  const mirror = await openCopy(app.url)
  const addresses: string[] = []
  for (let sequence = 0; sequence < sequences; sequence++) {
    const play = await createPlay(pair, random, sequence)
    for (let n = 0; n < steps; n++) {
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

  await assertCopies(app.dataDir, addresses, { originals, blames })
}

/** Serves every kind of copy of a store, and asserts that its standings are the same. */
async function assertCopies(
  dataDir: string,
  addresses: readonly string[],
  { originals, blames }: { originals: readonly Standing[]; blames: readonly Blame[] },
): Promise<void> {
  const at = (name: string): string => join(scratch(), name)
  const run = async (...args: string[]) => expectDone(await inProcess(args))
  const served = async (name: string, env: Record<string, string>, check: (url: string) => Promise<void>) => {
    const app = await startApp({ DATA_DIR: at(name), ...env }, { engine: 'embedded' })
    await check(app.url)
    await app.close()
  }
  const isSame = (label: string) => async (url: string) => {
    for (const [n, id] of addresses.entries()) {
      assert.deepEqual(await standingAt(url, id), originals[n], label)
      assert.deepEqual(await blameAt(url, id), blames[n], label)
    }
  }
  await run('check', '--data-dir', dataDir)
  await run('backup', '--to', at('backup.db'), '--data-dir', dataDir)
  await run('restore', '--from', at('backup.db'), '--data-dir', at('restored'))
  await run('export', '--to', at('lines'), '--data-dir', dataDir)
  await run('import', '--from', at('lines'), '--original', 'http://127.0.0.1:1', '--data-dir', at('imported'))
  await run('check', '--data-dir', at('imported'))
  const DATABASE_URL = await databaseOf('standings')
  await run('copy', '--from', dataDir, '--to', DATABASE_URL)
  await served('restored', {}, isSame('restored'))
  await served('moved', { DATABASE_URL }, isSame('moved'))
  await dropDatabaseOf('standings')
  await served('imported', {}, isSame('imported'))
}
