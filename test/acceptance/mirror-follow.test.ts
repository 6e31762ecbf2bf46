import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { follow } from '../../src/cli/mirror.ts'
import { sql } from '../../src/engine/database.ts'
import { openSource, type Source } from '../../src/mirror/source.ts'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import { startApp, useApp } from '../support/app.ts'
import { newActor, newEntry } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'

const QUIET = { phase: () => {}, update: () => {}, end: () => {} }
const HOUR = 3_600_000
/** Writes whose way to the mirror is timed. */
const ROUNDS = 20

let copy: Copy
let token: string
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  ;({ token } = await newActor(app.url))
  await newEntry(app.url, token)
  await signedCheckpoint(app)
  copy = await openCopy(app.url)
})

/** Follows the server while `work` runs. */
async function following(
  settings: { pollInterval: number; source?: Source; to?: Copy },
  work: () => Promise<void>,
): Promise<void> {
  const { pollInterval, to = copy } = settings
  const ending = new AbortController()
  const { signal } = ending
  const source = settings.source ?? openSource(app.url, signal)
  const done = follow({ store: to.app.store, source, progress: QUIET, signal, pollInterval })
  try {
    await Promise.race([work(), done.then(() => assert.fail('the mirror no longer follows'))])
  } finally {
    ending.abort()
    await done
  }
}

const has = async (id: string, withdrawn = 0): Promise<boolean> =>
  (await copy.app.store.reader.one(sql`SELECT 1 AS one FROM entry WHERE id = ${id} AND withdrawn = ${withdrawn}`)) !==
  undefined
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await condition()); await sleep(2)) {
    assert.ok(performance.now() < end, 'the mirror does not have it within 60 s')
  }
}

/** Resolves when this process, in which the mirror runs, has opened its next stream of changes. */
function streamOpened(): Promise<void> {
  return new Promise(resolve => {
    const onHeaders = (message: unknown): void => {
      const { request, response } = message as { request: { path: string }; response: { statusCode: number } }
      if (!request.path.startsWith('/api/activity/changes/stream') || response.statusCode !== 200) return
      unsubscribe('undici:request:headers', onHeaders)
      resolve()
    }
    subscribe('undici:request:headers', onHeaders)
  })
}

test('the stream of its original wakes a mirror, for writes and for moderation', async context => {
  const opened = streamOpened()
  await following({ pollInterval: HOUR }, async () => {
    await opened
    const lags: number[] = []
    for (let n = 0; n < ROUNDS; n++) {
      const { id } = await newEntry(app.url, token)
      const since = performance.now()
      await until(() => has(id))
      lags.push(performance.now() - since)
    }
    lags.sort((a, b) => a - b)
    const [median, longest] = [lags[ROUNDS / 2], lags.at(-1)].map(lag => Math.round(lag ?? 0))
    context.diagnostic(`a mirror has an answered write after ${median} ms (median), ${longest} ms (longest)`)
    const { id } = await newEntry(app.url, token)
    await until(() => has(id))
    await moderate(app.url, 'ENTRY', id, 'HIDE')
    await until(() => has(id, 1))
  })
})

test('a stopped mirror follows its stream again after the next start', async () => {
  await copy.reopen()
  const opened = streamOpened()
  await following({ pollInterval: HOUR }, async () => {
    await opened
    // The look of the start may have the first entry. Only the stream wakes the mirror for one that is written after that.
    for (let n = 0; n < 3; n++) {
      const { id } = await newEntry(app.url, token)
      await until(() => has(id))
    }
  })
})

test('without a stream a mirror polls', async () => {
  const ending = new AbortController()
  const source = { ...openSource(app.url, ending.signal), url: 'http://127.0.0.1:1' }
  await following({ pollInterval: 100, source }, async () => {
    const { id } = await newEntry(app.url, token)
    await until(() => has(id))
  })
})

test('a mirror asks no more than the limit of its original allows while that is written to', async () => {
  await using limited = await startApp({ TLOG_INTERVAL_SECONDS: '0.05', READ_LIMIT_PER_MINUTE: '120' })
  const writer = await newActor(limited.url)
  await newEntry(limited.url, writer.token)
  await signedCheckpoint(limited)
  const other = await openCopy(limited.url)
  const ending = new AbortController()
  const own = openSource(limited.url, ending.signal)
  const following = { store: other.app.store, source: own, progress: QUIET, signal: ending.signal }
  const done = follow(following)
  for (const end = performance.now() + 4_000; performance.now() < end; await sleep(20)) {
    await newEntry(limited.url, writer.token)
  }
  const { remaining, quota } = own.limit()
  ending.abort()
  await done
  assert.equal(quota, 120)
  assert.ok(remaining > 30 && remaining < 110, `${remaining} of ${quota} remain`)
  await other.close()
})
