import { openHttp, requestText } from '../load/http.ts'
import { type Loader, startLoader } from '../load/loader.ts'
import type { Loaded } from '../load/order.ts'
import type { Place, Running } from '../target.ts'
import { palimpsestPostgres } from '../targets/palimpsest-postgres.ts'
import type { PostgresPoint } from './postgres-points.ts'
import { difference, type ThreadTimes, threadTimes } from './threads.ts'

/**
 * A measurement over PostgreSQL: processor time of each thread, in microseconds per request. PostgreSQL counts as the thread `postgres`.
 */
export type PostgresReading = Loaded & { threads: ThreadTimes }

const NO_END = 1_000_000_000
const STEP = 1_000_000
const FIRST = 1_700_000_000
/** Seconds for which a workload runs before it is measured. */
const SETTLE = 1

/** A node over PostgreSQL and a load. The system assigns their cores. */
export class MeasuredPostgres {
  readonly #running: Running
  readonly #loader: Loader
  #from = FIRST

  constructor(running: Running, loader: Loader) {
    this.#running = running
    this.#loader = loader
  }

  static async start(place: Place): Promise<MeasuredPostgres> {
    await palimpsestPostgres.prepare(place)
    const measured = new MeasuredPostgres(await palimpsestPostgres.start(place), startLoader(undefined))
    await measured.#untilIndexed()
    return measured
  }

  async warm(seconds: number): Promise<void> {
    for (const operation of ['R', 'W', 'R', 'W'] as const) await this.#run({ operation, connections: 8 }, seconds)
    await this.#untilIndexed()
  }

  /** Waits until the work of the previous point has ended, then measures. */
  async measure(point: Pick<PostgresPoint, 'operation' | 'connections'>, seconds: number): Promise<PostgresReading> {
    await this.#run(point, SETTLE)
    await this.#untilIndexed()
    const times = this.#times()
    const loaded = await this.#run(point, seconds)
    const during = difference(this.#times(), times)
    await this.#untilIndexed()
    const { index = 0, log = 0 } = difference(this.#times(), times)
    const taken = { ...during, index, log }
    const threads = Object.fromEntries(Object.entries(taken).map(([name, time]) => [name, time / loaded.count]))
    return { ...loaded, threads }
  }

  /** PostgreSQL is a child of this process. Excludes the times of this process itself and of the load. */
  #times(): ThreadTimes {
    const { postgres = 0 } = threadTimes([process.pid])
    return { ...threadTimes(this.#running.pids), postgres }
  }

  #run({ operation, connections }: Pick<PostgresPoint, 'operation' | 'connections'>, seconds: number): Promise<Loaded> {
    const { situation } = this.#running
    if (situation === undefined) throw new Error('There is nothing to load.')
    this.#from += STEP
    return this.#loader.run({ situation, operation, connections, seconds, count: NO_END, from: this.#from })
  }

  /** A search is refused until the index has every commit. */
  async #untilIndexed(): Promise<void> {
    const http = openHttp(this.#running.situation?.urls[0] as string)
    while ((await http.send(requestText('GET', '/api/search?q=entity'))).status !== 200);
    http.close()
  }

  async stop(): Promise<void> {
    this.#loader.close()
    await this.#running.stop()
  }
}
