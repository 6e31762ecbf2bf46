import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../../src/contract/resources.ts'
import type { Reader } from '../../src/engine/database.ts'
import { listEpochs, tilesOf } from '../../src/tlog/rows.ts'
import { rootOf } from '../../src/tlog/rules/tree.ts'
import { parseCheckpoint, parseNote } from '../../src/tlog/verify/note.js'
import { expectDone, palimpsest } from '../cli/command.ts'
import { call, newActor } from '../support/client.ts'
import { keyedEntry, listTitles, sendUntilDone, startKeyedWriters } from '../support/keyed-writes.ts'
import { type Sent, startWriters } from '../support/load.ts'
import { assertSound } from '../support/nodes.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { inspectPostgres } from '../support/reader.ts'
import { type Member, NO_PATRONI, type PatroniCluster, startPatroni } from './patroni.ts'

/** Pause of a reader of checkpoints, in milliseconds. */
const LOOK = 200

type Seen = { origin: string; size: number; root: string; note: string }

/** Reads the checkpoints of every node until `stop`. */
function watchCheckpoints(urls: readonly string[]) {
  const seen = new Map<string, Seen>()
  const failures: string[] = []
  let going = true
  const watch = async (url: string): Promise<void> => {
    while (going) {
      const answer = await call(url, 'GET', '/log/checkpoint').catch(() => undefined)
      if (answer?.status === 200) note(answer.text)
      await setTimeout(LOOK)
    }
  }
  const note = (text: string): void => {
    const { origin, size, root: bytes } = parseCheckpoint(parseNote(text).text)
    const one = { origin, size, root: Buffer.from(bytes).toString('base64'), note: text }
    const known = seen.get(`${origin} ${size}`)
    if (known === undefined) seen.set(`${origin} ${size}`, one)
    else if (known.root !== one.root) failures.push(`${origin} has two trees of ${size} records`)
  }
  const watching = Promise.all(urls.map(watch))
  return {
    /** Stops, and returns all checkpoints. Asserts that no two checkpoints of one size have different roots. */
    async stop(): Promise<Seen[]> {
      going = false
      await watching
      assert.deepEqual(failures, [])
      return [...seen.values()]
    },
  }
}

/** Asserts that the log of a store extends every served checkpoint of its origin. Returns the number of origins. */
async function assertOneTree(store: Reader, seen: readonly Seen[]): Promise<number> {
  const origin = (await listEpochs(store)).at(-1)?.origin
  for (const one of seen.filter(shown => shown.origin === origin)) {
    const root = Buffer.from(await rootOf(one.size, tilesOf(store))).toString('base64')
    assert.equal(root, one.root, `the log has another tree of ${one.size} records than was shown`)
  }
  return new Set(seen.map(shown => shown.origin)).size
}

const PATIENCE = 120_000
const WRITERS = 2
/** Pause of a writer before each entry, in milliseconds. The test checks the outcome of writes, not their rate. */
const PAUSE = 50
/** Number of writes through each node before the primary is killed. */
const WRITES = 20
/** After every fourth kill the member is started again at once, otherwise when writes are acknowledged again. */
const AT_ONCE_EVERY = 4

type Failovers = {
  /** The longest time in milliseconds without an acknowledged write at a node, for each fault. */
  outages: number[]
  sent: Sent[]
  /** Titles of keyed writes, and the number of these writes that received a stored answer. */
  keyed: string[]
  replayed: number
  /** Entries that a node did not find after another node had acknowledged them. */
  missed: string[]
}

type Random = ReturnType<typeof seededRandom>
type Rounds = (cluster: PatroniCluster, urls: readonly string[], rounds: number, random: Random) => Promise<Failovers>

/** Kills the primary `rounds` times under load, and starts the member again. */
const killRounds: Rounds = (cluster, urls, rounds, random) =>
  failoverRounds(cluster, urls, rounds, async (leader, round, isBack) => {
    await setTimeout(random.below(1_000))
    await leader.kill()
    const atOnce = round % AT_ONCE_EVERY === AT_ONCE_EVERY - 1
    if (atOnce) leader.start()
    await isBack()
    if (!atOnce) leader.start()
  })

/** Suspends the primary `rounds` times under load, and resumes it once another member is the primary. */
const freezeRounds: Rounds = (cluster, urls, rounds, random) =>
  failoverRounds(cluster, urls, rounds, async (leader, _, isBack) => {
    await setTimeout(random.below(1_000))
    leader.freeze()
    await isBack()
    leader.thaw()
  })

/** Suspends a standby `rounds` times under load, and resumes it once writes are acknowledged without it. */
const standbyRounds: Rounds = (cluster, urls, rounds, random) =>
  failoverRounds(cluster, urls, rounds, async (leader, _, isBack) => {
    const standbys = cluster.members.filter(member => member !== leader)
    const standby = standbys[random.below(standbys.length)] as Member
    standby.freeze()
    await isBack()
    standby.thaw()
  })

/** A fault of a member in a round. `isBack` resolves once writes are acknowledged again. */
type Fault = (leader: Member, round: number, isBack: () => Promise<void>) => Promise<void>

async function failoverRounds(
  cluster: PatroniCluster,
  urls: readonly string[],
  rounds: number,
  fault: Fault,
): Promise<Failovers> {
  const failovers: Failovers = { outages: [], sent: [], keyed: [], replayed: 0, missed: [] }
  const readers = startReaders(urls, failovers)
  for (let round = 0; round < rounds; round++) {
    const leader = await cluster.settled()
    await underLoad(urls, `round${round}`, failovers, isBack => fault(leader, round, isBack))
  }
  await readers.stop()
  return failovers
}

/** Switches over from the primary to its synchronous standby under load, as an operator does. Returns the new failovers. */
async function switchOver(cluster: PatroniCluster, urls: readonly string[]): Promise<Failovers> {
  const failovers: Failovers = { outages: [], sent: [], keyed: [], replayed: 0, missed: [] }
  const from = await cluster.settled()
  await underLoad(urls, 'switchover', failovers, async isBack => {
    await cluster.patronictl('switchover', 'palimpsest', '--master', from.name, '--force')
    await isBack()
  })
  assert.notEqual((await cluster.settled()).name, from.name)
  return failovers
}

/** Runs `fault` under load. `isBack` resolves when every node has acknowledged a write that was sent after its call. */
async function underLoad(
  urls: readonly string[],
  label: string,
  failovers: Failovers,
  fault: (isBack: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await Promise.all(urls.map(url => eventually(`${url} is ready`, PATIENCE, () => isReady(url))))
  const writing = urls.map((url, node) => startWriters(url, WRITERS, `${label}-node${node}`, PAUSE))
  let turn = 0
  const keyed = await startKeyedWriters(() => String(urls[turn++ % urls.length]), 2, `keyed ${label}`)
  const each = (is: (writers: (typeof writing)[number]) => boolean) => async () => writing.every(is) || undefined
  await eventually(
    'writes are under way',
    PATIENCE,
    each(writers => writers.acknowledged().length > WRITES),
  )
  await fault(async () => {
    const faultAt = performance.now()
    const isLater = ({ sentAt }: Sent): boolean => sentAt > faultAt
    await eventually(
      'writes are back',
      PATIENCE,
      each(writers => writers.acknowledged().some(isLater)),
    )
    failovers.outages.push(Math.round(Math.max(...writing.map(longestGap))))
  })
  await setTimeout(500)
  await Promise.all(writing.map(writers => writers.stop()))
  failovers.keyed.push(...(await keyed.stop()))
  failovers.replayed += keyed.replayed()
  failovers.sent.push(...writing.flatMap(({ sent }) => sent))
}

/** The longest time in milliseconds between two answers that acknowledged writes. */
function longestGap(writers: { acknowledged(): readonly Sent[] }): number {
  const times = writers
    .acknowledged()
    .map(answeredAt)
    .sort((a, b) => a - b)
  return Math.max(...times.slice(1).map((time, n) => time - Number(times[n])))
}

const isReady = async (url: string): Promise<true | undefined> =>
  (await call(url, 'GET', '/ready')).status === 200 || undefined

const answeredAt = (sent: Sent): number => sent.answeredAt ?? Number.POSITIVE_INFINITY

/** A client that writes through one node and immediately reads through the next node. */
function startReaders(urls: readonly string[], { missed, keyed }: Failovers) {
  let going = true
  const run = async (): Promise<void> => {
    const { token } = await newActor(String(urls[0]))
    for (let n = 0; going; n++) {
      const [writer, reader] = [String(urls[n % urls.length]), String(urls[(n + 1) % urls.length])]
      const title = `Read ${n}`
      const { slug } = (await sendUntilDone(() => writer, keyedEntry(title, token))).body as Partial<Entry>
      keyed.push(title)
      const { status } = await call(reader, 'GET', `/api/entries/${slug}`)
      if (status !== 200 && status !== 503) missed.push(`${slug}: ${status}`)
      await setTimeout(PAUSE)
    }
  }
  const running = run()
  running.catch(() => {})
  return {
    async stop(): Promise<void> {
      going = false
      await running
    },
  }
}

/** The writes of the rounds in the form of `assertSound`. Keyed writes are identified by their titles. */
const writesOf = ({ sent, keyed }: Failovers): Sent[] => [
  ...sent,
  ...keyed.map(title => ({ kind: 'create' as const, mark: `Content of ${title}`, sentAt: 0 })),
]

/** The longest time in milliseconds between a write and its answer. */
const longestWait = ({ sent }: Failovers): number =>
  Math.round(Math.max(...sent.map(one => answeredAt(one) - one.sentAt).filter(Number.isFinite)))

/** Asserts that each title occurs exactly once. */
function assertOnce(titles: readonly string[], found: readonly string[]): void {
  const counts = new Map<string, number>()
  for (const title of found) counts.set(title, (counts.get(title) ?? 0) + 1)
  assert.deepEqual(
    titles.filter(title => counts.get(title) !== 1).map(title => `${title}: ${counts.get(title) ?? 0} times`),
    [],
  )
}

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
    const { code, stderr } = await node.stop()
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
