import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf } from '../compare.ts'
import { Loader } from '../load/loader.ts'
import type { Loaded, Order, Situation } from '../load/order.ts'
import { figure, median } from '../numbers.ts'
import type { Options } from '../options.ts'
import { CORES, signalTree } from '../processes.ts'
import { addressesIn, keptData, situationOf, startService } from '../targets/palimpsest.ts'

export type Figures = Record<string, number>
/** A measurement besides the comparison. Rejects with the reason if it cannot be made. */
export type Measure = (options: Options) => Promise<Figures>

/** The store of a service: its number of entries, whether the measurement writes into it, and settings of the service. */
type Wanted = { entries?: number; writes?: boolean; settings?: Record<string, string> }
export type Measured = {
  url: string
  pid: number
  dataDir: string
  entries: number
  situation: Situation
  /** Loads the service. By default the duration and the number of connections are those of the options. */
  run(order: Pick<Order, 'operation'> & Partial<Order>): Promise<Loaded>
  /** Runs some work while the service is not suspended. */
  awake<T>(work: () => Promise<T>): Promise<T>
}

/** Starts a service for each wanted store. If there are several, they are suspended. Ends them once `use` has ended. */
export async function withServices<T, const All extends readonly Wanted[]>(
  options: Options,
  wanted: All,
  use: (services: { [At in keyof All]: Measured }) => Promise<T>,
): Promise<T> {
  const loader = new Loader(CORES.load)
  const ends: (() => Promise<void>)[] = []
  try {
    const services: Measured[] = []
    for (const { entries, writes = false, settings } of wanted) {
      const place = await placeOf(options, `service-${services.length}`, entries)
      const kept = await keptData(place)
      const dataDir = writes ? join(place.scratch, 'data') : kept
      if (writes) cpSync(kept, dataDir, { recursive: true })
      const { url, server } = await startService({ DATA_DIR: dataDir, ...settings })
      ends.push(async () => {
        await server.stop()
        rmSync(place.scratch, { recursive: true, force: true })
      })
      const situation = await situationOf([url], addressesIn(dataDir), place.words)
      const awake: Measured['awake'] = async work => {
        signalTree(server.pid, 'SIGCONT')
        return await work().finally(() => signalTree(server.pid, 'SIGSTOP'))
      }
      const { seconds, connections } = options
      const run: Measured['run'] = order => loader.run({ situation, seconds, connections, ...order })
      if (wanted.length > 1) signalTree(server.pid, 'SIGSTOP')
      services.push({ url, pid: server.pid, dataDir, entries: place.entries, situation, run, awake })
    }
    return await use(services as { [At in keyof All]: Measured })
  } finally {
    loader.close()
    for (const end of ends) await end()
  }
}

/** Runs a warm-up and alternating rounds. Resolves with the median over the rounds of each figure. */
export async function medians(options: Options, one: (round: number) => Promise<Figures>): Promise<Figures> {
  await one(0)
  const rounds: Figures[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const figures = await one(round)
    options.say(`round ${round}: ${JSON.stringify(figures)}`)
    rounds.push(figures)
  }
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(names.map(name => [name, figure(median(rounds.map(of => of[name] ?? 0)) ?? 0)]))
}
