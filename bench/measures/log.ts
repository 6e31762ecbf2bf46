import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { placeOf } from '../compare.ts'
import { type Loader, startLoader } from '../load/loader.ts'
import type { Loaded, Situation } from '../load/order.ts'
import type { Options } from '../options.ts'
import { CORES, signalTree } from '../processes.ts'
import { median } from '../results.ts'
import {
  addressesIn,
  keptData,
  palimpsest,
  type Service,
  situationOf,
  startService,
  untilIndexed,
} from '../targets/palimpsest.ts'
import { figure, type Measure } from './measure.ts'

const WRITERS = 32
const READERS = 8
const PROOFS = 500
const PATIENCE = 120
const FRESH = 1_950_000_000
const STEP = 10_000_000
const NO_END = 1_000_000_000
/** Duration of the warm-up round, in seconds. */
const WARM = 1
/** Intervals in milliseconds: between two checks of size and age of the log, and between two progress reports. */
const LOOK = 50
const SAY = 2_000
/** The maximum interval between two checkpoints. A store whose log is complete at the start gets no checkpoint during the measurement. */
const NEVER = '3600'

/** One of the two services, its directory and its load. */
type Side = { dataDir: string; service: Service; situation: Situation }
type Loads = { writing: Loader; reading: Loader }

/**
 * The cost of the public log, with and without it in alternating rounds: creates per second, p99 of concurrent reads, age of the newest
 * checkpoint under this load. Then: proofs one at a time, bytes per record, and the time to log a store without a log.
 */
export const log: Measure = {
  name: 'log',
  async measure(options) {
    const place = await placeOf(options, palimpsest)
    const kept = await keptData(place)
    const sides: Side[] = []
    const loads = { writing: startLoader(CORES.load), reading: startLoader(CORES.load) }
    try {
      for (const interval of ['1', NEVER]) sides.push(await startSide(kept, join(place.scratch, interval), interval))
      const [logged, unlogged] = sides as [Side, Side]
      return {
        entries: place.entries,
        ...(await compare(options, loads, logged, unlogged)),
        ...(await proofs(loads.reading, logged)),
        ...(await stopped(logged)),
        ...(await backfill(options, logged.dataDir)),
      }
    } finally {
      loads.writing.close()
      loads.reading.close()
      for (const { service } of sides) await service.server.stop()
      rmSync(place.scratch, { recursive: true, force: true })
    }
  },
}

/** Starts a service on a copy of a store, waits until its log has every record, and suspends it. */
async function startSide(kept: string, dataDir: string, interval: string): Promise<Side> {
  cpSync(kept, dataDir, { recursive: true })
  const service = await startService({ DATA_DIR: dataDir, TLOG_INTERVAL_SECONDS: interval })
  const situation = await situationOf([service.url], addressesIn(dataDir), [])
  await untilLogged(dataDir, () => {})
  signalTree(service.server.pid, 'SIGSTOP')
  return { dataDir, service, situation }
}

type Standing = { record: number; size: number }

/** The number of records of a store, and the number of records in its log. */
function openStanding(dataDir: string): { read(): Standing; close(): void } {
  const database = new DatabaseSync(storeFile(dataDir), { readOnly: true, timeout: 5_000 })
  const select = database.prepare('SELECT (SELECT record FROM head) AS record, (SELECT size FROM log) AS size')
  return { read: () => select.get() as Standing, close: () => database.close() }
}

/** Resolves with the elapsed seconds once the log has all records. */
async function untilLogged(dataDir: string, say: (standing: Standing) => void): Promise<number> {
  const began = performance.now()
  const standing = openStanding(dataDir)
  let said = began
  for (;;) {
    const now = standing.read()
    if (now.size >= now.record) break
    if (performance.now() - said > SAY) {
      said = performance.now()
      say(now)
    }
    await setTimeout(LOOK)
  }
  standing.close()
  return (performance.now() - began) / 1_000
}

type Round = { writes: Loaded; reads: Loaded; age: number }

async function compare(options: Options, loads: Loads, logged: Side, unlogged: Side): Promise<Record<string, number>> {
  const rounds: { logged: Round; unlogged: Round }[] = []
  // The first round is a warm-up.
  for (let round = -1; round < options.rounds; round++) {
    const seconds = round < 0 ? WARM : options.seconds
    const from = FRESH + (round + 1) * STEP
    const one = {
      logged: await load(loads, logged, seconds, from),
      unlogged: await load(loads, unlogged, seconds, from),
    }
    if (round < 0) continue
    rounds.push(one)
    options.say(
      `log: W ${Math.round(one.logged.writes.perSecond)}/s with it, ${Math.round(one.unlogged.writes.perSecond)}/s without; R p99 beside writers ${figure(one.logged.reads.p99)} and ${figure(one.unlogged.reads.p99)} ms; a record waits ${figure(one.logged.age)} s at most`,
    )
  }
  const middle = (of: (round: (typeof rounds)[number]) => number): number => figure(median(rounds.map(of)) ?? 0)
  return {
    'creates per second': middle(one => one.logged.writes.perSecond),
    'creates per second without': middle(one => one.unlogged.writes.perSecond),
    'creates ratio': middle(one => one.logged.writes.perSecond / one.unlogged.writes.perSecond),
    'R p99 beside writers': middle(one => one.logged.reads.p99),
    'R p99 beside writers without': middle(one => one.unlogged.reads.p99),
    'R p99 ratio': middle(one => one.logged.reads.p99 / one.unlogged.reads.p99),
    'seconds until a checkpoint': figure(Math.max(...rounds.map(one => one.logged.age))),
  }
}

/** Writes and measures how long a record waits for a checkpoint that includes it. Then writes and reads at the same time. */
async function load({ writing, reading }: Loads, side: Side, seconds: number, from: number): Promise<Round> {
  const { situation, service, dataDir } = side
  const order = { situation, seconds, count: NO_END } as const
  const writes = { ...order, operation: 'W', connections: WRITERS } as const
  signalTree(service.server.pid, 'SIGCONT')
  const watched = watchAge(service.url, dataDir)
  try {
    const alone = await writing.run({ ...writes, from })
    const age = await watched.end()
    const [, reads] = await Promise.all([
      writing.run({ ...writes, from: from + STEP / 2 }),
      reading.run({ ...order, operation: 'R', connections: READERS, from }),
    ])
    return { writes: alone, reads, age }
  } finally {
    await watched.end()
    signalTree(service.server.pid, 'SIGSTOP')
  }
}

/** Watches store and checkpoint until `end`, which resolves with the longest time in seconds that a record waited for a checkpoint. */
function watchAge(url: string, dataDir: string): { end(): Promise<number> } {
  const standing = openStanding(dataDir)
  const seen: { at: number; record: number }[] = []
  let [ended, longest] = [false, 0]
  const watching = (async () => {
    while (!ended) {
      seen.push({ at: performance.now(), record: standing.read().record })
      const size = Number((await (await fetch(`${url}/log/checkpoint`)).text()).split('\n')[1])
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

/** Milliseconds of proofs and of records, one at a time, for records in all parts of the store, once log and index are complete. */
async function proofs(loader: Loader, { service, situation, dataDir }: Side): Promise<Record<string, number>> {
  signalTree(service.server.pid, 'SIGCONT')
  await untilLogged(dataDir, () => {})
  await untilIndexed(service.url)
  const standing = openStanding(dataDir)
  const { size } = standing.read()
  standing.close()
  const figures: Record<string, number> = { records: size }
  for (const [name, path] of [
    ['proof', '/proof'],
    ['record', ''],
  ] as const) {
    const addresses = Array.from(
      { length: PROOFS },
      (_, n) => `/api/log/records/${1 + ((n * 7_919 * 104_729) % size)}${path}`,
    )
    const asked = { ...situation, addresses }
    const order = {
      situation: asked,
      operation: 'GET',
      connections: 1,
      seconds: PATIENCE,
      count: PROOFS,
      from: 0,
    } as const
    await loader.run(order)
    const { p50, p99 } = await loader.run(order)
    figures[`${name} p50`] = figure(p50)
    figures[`${name} p99`] = figure(p99)
  }
  return figures
}

/** Stops the service and counts the bytes of its log. */
async function stopped({ service, dataDir }: Side): Promise<Record<string, number>> {
  await service.server.stop()
  const database = new DatabaseSync(storeFile(dataDir), { readOnly: true })
  const { bytes, size, note } = database
    .prepare(`SELECT (SELECT size FROM log) AS size, (SELECT max(length(note)) FROM log_checkpoint) AS note,
      (SELECT sum(length(kinds) + length(commitments)) FROM log_bundle)
        + (SELECT coalesce(sum(length(hashes)), 0) FROM log_tile) AS bytes`)
    .get() as { bytes: number; size: number; note: number }
  database.close()
  return { 'bytes a record': figure(bytes / size), 'bytes of a checkpoint': note }
}

/** Deletes the log of a store, as if an older version had made the store. Measures how long a start takes to create the log again. */
async function backfill(options: Options, dataDir: string): Promise<Record<string, number>> {
  const database = new DatabaseSync(storeFile(dataDir))
  database.exec("DELETE FROM log_bundle; DELETE FROM log_tile; UPDATE log SET size = 0, root = ''")
  const { record } = database.prepare('SELECT record FROM head').get() as { record: number }
  database.close()
  const { server, readyAfter } = await startService({ DATA_DIR: dataDir })
  try {
    const seconds = await untilLogged(dataDir, standing =>
      options.say(`log: ${standing.size} of ${standing.record} records logged`),
    )
    options.say(`log: ${record} records logged in ${seconds.toFixed(1)} s, ready after ${Math.round(readyAfter)} ms`)
    return { 'back-fill seconds': figure(seconds), 'back-fill records per second': figure(record / seconds) }
  } finally {
    await server.stop()
  }
}
