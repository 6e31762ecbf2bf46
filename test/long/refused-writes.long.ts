import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startApp, type TestApp } from '../support/app.ts'
import { withClient } from '../support/cluster.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { createClient, issueToken, startWriters, underWay } from '../support/load.ts'

const WRITERS = 48
const REFUSED = 4
const SECONDS = 8
/** The acknowledged writes before the first measurement. A service that has just started may shed some of the first ones. */
const WARM = 2_000
/** Every commit takes so long, in seconds, as on a slow disk. */
const COMMIT = 0.05

type Rates = { creates: number; writesPerCommit: number }

/** The rates of `WRITERS` clients that publish, while this many reports from new addresses are refused. */
async function measure(app: TestApp, refused: number, label: string): Promise<Rates> {
  const client = createClient(app.url, WRITERS)
  const tokens = await Promise.all(Array.from({ length: WRITERS }, () => issueToken(client)))
  const before = await app.store.metrics()
  const until = performance.now() + SECONDS * 1_000
  let creates = 0
  const write = async (token: string, writer: number): Promise<void> => {
    for (let turn = 0; performance.now() < until; turn++) {
      const body = { title: `${label} ${writer} ${turn}`, summary: 'S', content: 'C' }
      const { status, text } = await client.send('POST', '/api/entries', body, token)
      assert.equal(status, 201, text)
      creates += 1
    }
  }
  const report = async (): Promise<void> => {
    for (let turn = 1; turn <= refused; turn++) {
      await setTimeout((SECONDS * 1_000) / (refused + 1))
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${turn}` }
      const body = { targetType: 'ENTRY', targetId: '00000000-0000-0000-0000-000000000000', reason: 'SPAM' }
      const { status } = await fetch(`${app.url}/api/reports`, { method: 'POST', headers, body: JSON.stringify(body) })
      assert.equal(status, 404)
    }
  }
  await Promise.all([...tokens.map(write), report()])
  const after = await app.store.metrics()
  client.close()
  return {
    creates: creates / SECONDS,
    writesPerCommit: (after.committedWrites - before.committedWrites) / (after.commits - before.commits),
  }
}

const show = ({ creates, writesPerCommit }: Rates): string =>
  `${Math.round(creates)} creates/s, ${writesPerCommit.toFixed(1)} writes a commit`

test('four refused anonymous reports do not make the groups of 48 writers smaller', {
  skip: NO_POSTGRES,
}, async context => {
  const DATABASE_URL = await databaseOf('refused writes')
  const app = await startApp({ DATABASE_URL, TRUSTED_PROXIES: '127.0.0.1' })
  await withClient(DATABASE_URL, client =>
    client.query(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${COMMIT}); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER linger AFTER INSERT OR UPDATE ON writer DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION linger()`),
  )
  const warm = startWriters(app.url, WRITERS, 'warm')
  await underWay(warm, WARM)
  await warm.stop()
  const alone = await measure(app, 0, 'alone')
  const beside = await measure(app, REFUSED, 'beside')
  context.diagnostic(`without: ${show(alone)}; with ${REFUSED} refused reports: ${show(beside)}`)
  assert.ok(beside.writesPerCommit > 0.75 * alone.writesPerCommit)
})
