import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { expectDone, palimpsest } from '../cli/command.ts'
import { assertOneTree, type Seen, watchCheckpoints } from '../support/checkpoints.ts'
import {
  assertOnce,
  type Failovers,
  freezeRounds,
  killRounds,
  longestWait,
  type Rounds,
  standbyRounds,
  switchOver,
  writesOf,
} from '../support/failover-rounds.ts'
import { listTitles } from '../support/keyed-writes.ts'
import { assertSound } from '../support/nodes.ts'
import { NO_PATRONI, startPatroni } from '../support/patroni.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { inspectPostgres } from '../support/reader.ts'

const KILLS = Number(process.env.FAILOVERS ?? 20)
const FREEZES = Math.ceil(KILLS / 5)
/** How long writes may be refused after a fault, in milliseconds. */
const BACK_WITHIN = 15_000
const TIMELINE = 'SELECT timeline_id AS n FROM pg_control_checkpoint()'
const options = { skip: NO_PATRONI }

/** Asserts that nothing acknowledged is lost or doubled, no number is missing, and the log continues everything that was shown. */
async function assertKeptAll(context: TestContext, database: string, made: Failovers, seen: readonly Seen[]) {
  assert.deepEqual(made.missed, [], 'a node finds what another one acknowledged')
  const timeline = await inspectPostgres(database, async store => {
    const origins = await assertOneTree(store, seen)
    context.diagnostic(`${seen.length} checkpoints shown under ${origins} origin(s)`)
    return (await store.one<{ n: number }>({ text: TIMELINE, values: [] }))?.n ?? 0
  })
  await assertSound(database, writesOf(made), timeline - 1)
  const directory = makeDirectory()
  context.after(() => directory.remove())
  const file = join(directory.path, 'checkpoint')
  writeFileSync(file, String(seen.at(-1)?.note))
  expectDone(await palimpsest(['check', '--log', '--checkpoint', file], { env: { DATABASE_URL: database } }))
}

/** Runs rounds on two nodes of the service over a cluster of their own, hands over once, and checks the outcome. */
async function failOver(context: TestContext, rounds: Rounds, count: number): Promise<void> {
  const directory = makeDirectory()
  context.after(() => directory.remove())
  const cluster = await startPatroni()
  context.after(() => cluster.close())
  const readUrls = cluster.members.map(({ url }) => url).join()
  const env = { DATABASE_URL: cluster.primary, DATABASE_READ_URL: readUrls, TLOG_INTERVAL_SECONDS: '0.2' }
  const nodes = [
    await startServer(join(directory.path, 'node0'), { env }),
    await startServer(join(directory.path, 'node1'), { env }),
  ]
  const urls = nodes.map(({ url }) => url)
  const checkpoints = watchCheckpoints(urls)
  const faults = await rounds(cluster, urls, count, seededRandom('failover'))
  const handedOver = await switchOver(cluster, urls)
  const seen = await checkpoints.stop()
  const titles = await listTitles(String(urls[0]))
  for (const node of nodes) {
    node.kill('SIGTERM')
    const { code, stderr } = await node.ended
    assert.equal(code, 0, stderr)
  }
  const sent = [...faults.sent, ...handedOver.sent]
  const made = { ...faults, sent, keyed: [...faults.keyed, ...handedOver.keyed] }
  const acknowledged = sent.filter(({ status }) => status === 201).length
  context.diagnostic(`the longest times without a write are ${faults.outages.toSorted((a, b) => a - b).join(', ')} ms`)
  context.diagnostic(`at a switchover it is ${handedOver.outages.join()} ms`)
  context.diagnostic(`${acknowledged} writes and ${made.keyed.length} keyed writes acknowledged`)
  context.diagnostic(`${faults.replayed + handedOver.replayed} retries got the stored answer`)
  context.diagnostic(`the longest answer took ${longestWait(made)} ms`)
  assertOnce(made.keyed, titles)
  await assertKeptAll(context, cluster.primary, made, seen)
  assert.ok(Math.max(...faults.outages) < BACK_WITHIN, `${faults.outages} ms`)
}

test(`no acknowledged write is lost if the primary is killed ${KILLS} times and switched over once`, options, context =>
  failOver(context, killRounds, KILLS),
)

test(
  `no acknowledged write is lost if the primary is suspended ${FREEZES} times and resumes as a standby`,
  options,
  context => failOver(context, freezeRounds, FREEZES),
)

test(
  `no acknowledged write is lost if a standby is suspended ${FREEZES} times, and writes continue without it`,
  options,
  context => failOver(context, standbyRounds, FREEZES),
)
