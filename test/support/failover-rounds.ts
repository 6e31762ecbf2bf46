import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../../src/contract/resources.ts'
import { call, newActor } from './client.ts'
import { keyedEntry, sendUntilDone, startKeyedWriters } from './keyed-writes.ts'
import { type Sent, startWriters } from './load.ts'
import type { Member, PatroniCluster } from './patroni.ts'
import { eventually } from './process.ts'
import type { seededRandom } from './random.ts'

const PATIENCE = 120_000
const WRITERS = 2
/** Pause of a writer before each entry, in milliseconds. The test checks the outcome of writes, not their rate. */
const PAUSE = 50
/** Number of writes through each node before the primary is killed. */
const WRITES = 20
/** After every fourth kill the member is started again at once, otherwise when writes are acknowledged again. */
const AT_ONCE_EVERY = 4

export type Failovers = {
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
export type Rounds = (
  cluster: PatroniCluster,
  urls: readonly string[],
  rounds: number,
  random: Random,
) => Promise<Failovers>

/** Kills the primary `rounds` times under load, and starts the member again. */
export const killRounds: Rounds = (cluster, urls, rounds, random) =>
  failoverRounds(cluster, urls, rounds, async (leader, round, isBack) => {
    await setTimeout(random.below(1_000))
    await leader.kill()
    const atOnce = round % AT_ONCE_EVERY === AT_ONCE_EVERY - 1
    if (atOnce) leader.start()
    await isBack()
    if (!atOnce) leader.start()
  })

/** Suspends the primary `rounds` times under load, and resumes it once another member is the primary. */
export const freezeRounds: Rounds = (cluster, urls, rounds, random) =>
  failoverRounds(cluster, urls, rounds, async (leader, _, isBack) => {
    await setTimeout(random.below(1_000))
    leader.freeze()
    await isBack()
    leader.thaw()
  })

/** Suspends a standby `rounds` times under load, and resumes it once writes are acknowledged without it. */
export const standbyRounds: Rounds = (cluster, urls, rounds, random) =>
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
export async function switchOver(cluster: PatroniCluster, urls: readonly string[]): Promise<Failovers> {
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
export const writesOf = ({ sent, keyed }: Failovers): Sent[] => [
  ...sent,
  ...keyed.map(title => ({ kind: 'create' as const, mark: `Content of ${title}`, sentAt: 0 })),
]

/** The longest time in milliseconds between a write and its answer. */
export const longestWait = ({ sent }: Failovers): number =>
  Math.round(Math.max(...sent.map(one => answeredAt(one) - one.sentAt).filter(Number.isFinite)))

/** Asserts that each title occurs exactly once. */
export function assertOnce(titles: readonly string[], found: readonly string[]): void {
  const counts = new Map<string, number>()
  for (const title of found) counts.set(title, (counts.get(title) ?? 0) + 1)
  assert.deepEqual(
    titles.filter(title => counts.get(title) !== 1).map(title => `${title}: ${counts.get(title) ?? 0} times`),
    [],
  )
}
