import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import type { Loaded } from '../load/order.ts'
import { figure } from '../numbers.ts'
import { untilIndexed } from '../targets/palimpsest.ts'
import { type Measure, type Measured, medians, withServices } from './measure.ts'

const WRITERS = 32
const READERS = 8
const PROOFS = 500
const PATIENCE = 120
const FRESH = 1_950_000_000
const STEP = 10_000_000
/** Milliseconds between two checks of size and age of the log. */
const LOOK = 50
/** The maximum interval between two checkpoints. A store whose log is complete at the start gets no checkpoint during the measurement. */
const NEVER = '3600'

/**
 * The cost of the public log, with and without it in alternating rounds: creates per second, p99 of concurrent reads, age of the newest
 * checkpoint under this load. Then: proofs one at a time.
 */
export const log: Measure = options => {
  const side = (interval: string) => ({ writes: true, settings: { TLOG_INTERVAL_SECONDS: interval } })
  return withServices(options, [side('1'), side(NEVER)], async ([logged, unlogged]) => {
    for (const service of [logged, unlogged]) await service.awake(() => untilLogged(service))
    let longest = 0
    const ratios = await medians(options, async round => {
      const from = FRESH + round * STEP
      const [withLog, without] = [await load(logged, from), await load(unlogged, from)]
      if (round > 0) longest = Math.max(longest, withLog.age)
      return {
        'creates ratio': withLog.writes.perSecond / without.writes.perSecond,
        'R p99 ratio': withLog.reads.p99 / without.reads.p99,
      }
    })
    return {
      entries: logged.entries,
      ...ratios,
      'seconds until a checkpoint': figure(longest),
      'proof p50': await logged.awake(() => proof(logged)),
    }
  })
}

type Standing = { record: number; size: number }

/** The number of records of a store, and the number of records in its log. */
function openStanding({ dataDir }: Measured): { read(): Standing; close(): void } {
  const database = new DatabaseSync(storeFile(dataDir), { readOnly: true, timeout: 5_000 })
  const select = database.prepare('SELECT (SELECT record FROM head) AS record, (SELECT size FROM log) AS size')
  return { read: () => select.get() as Standing, close: () => database.close() }
}

/** Resolves with the number of records once the log has all of them. */
async function untilLogged(service: Measured): Promise<number> {
  const standing = openStanding(service)
  let now = standing.read()
  for (; now.size < now.record; now = standing.read()) await setTimeout(LOOK)
  standing.close()
  return now.size
}

type Round = { writes: Loaded; reads: Loaded; age: number }

/** Writes and measures how long a record waits for a checkpoint that includes it. Then writes and reads at the same time. */
const load = (service: Measured, from: number): Promise<Round> =>
  service.awake(async () => {
    const watched = watchAge(service)
    try {
      const writes = await service.run({ operation: 'W', connections: WRITERS, from })
      const age = await watched.end()
      const [reads] = await Promise.all([
        service.run({ operation: 'R', connections: READERS }),
        service.run({ operation: 'W', connections: WRITERS, from: from + STEP / 2 }),
      ])
      return { writes, reads, age }
    } finally {
      await watched.end()
    }
  })

/** Watches store and checkpoint until `end`, which resolves with the longest time in seconds that a record waited for a checkpoint. */
function watchAge(service: Measured): { end(): Promise<number> } {
  const standing = openStanding(service)
  const seen: { at: number; record: number }[] = []
  let [ended, longest] = [false, 0]
  const watching = (async () => {
    while (!ended) {
      seen.push({ at: performance.now(), record: standing.read().record })
      const size = Number((await (await fetch(`${service.url}/log/checkpoint`)).text()).split('\n')[1])
      while (seen.length > 0 && (seen[0]?.record ?? 0) <= size) seen.shift()
      const oldest = seen[0]
      if (oldest !== undefined) longest = Math.max(longest, (performance.now() - oldest.at) / 1_000)
      await setTimeout(LOOK)
    }
    standing.close()
  })()
  return {
    async end() {
      ended = true
      await watching
      return longest
    },
  }
}

/** Milliseconds of proofs, one at a time, for records in all parts of the store, once log and index are complete. */
async function proof(service: Measured): Promise<number> {
  const size = await untilLogged(service)
  await untilIndexed(service.url)
  const addresses = Array.from(
    { length: PROOFS },
    (_, n) => `/api/log/records/${1 + ((n * 7_919 * 104_729) % size)}/proof`,
  )
  const situation = { ...service.situation, addresses }
  const order = { situation, operation: 'GET', connections: 1, seconds: PATIENCE, count: PROOFS } as const
  await service.run(order)
  return figure((await service.run(order)).p50)
}
