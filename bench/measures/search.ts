import { placeOf } from '../compare.ts'
import { findWords } from '../corpus.ts'
import { Loader } from '../load/loader.ts'
import type { Loaded, Order } from '../load/order.ts'
import { figure } from '../numbers.ts'
import type { Options } from '../options.ts'
import { CORES } from '../processes.ts'
import { filled } from '../target.ts'
import { untilIndexed } from '../targets/palimpsest.ts'
import { openNodes, POSTGRES_STORE } from '../targets/palimpsest-postgres.ts'
import { type Figures, type Measure, withServices } from './measure.ts'

const SORTS = ['recent', 'relevance'] as const
/** Number of consecutive searches for each kind of word in each order, each for another word as far as there are enough words. */
const COUNT = 400
const PATIENCE = 120

/** Milliseconds of the slowest hundredth of searches for one word, one at a time: `recent common p99` and so on. */
async function time(run: (order: Order) => Promise<Loaded>, url: string, { large, say }: Options): Promise<Figures> {
  const figures: Figures = { entries: large }
  for (const sort of SORTS) {
    for (const [kind, words] of Object.entries(await findWords())) {
      const addresses = words.map(q => `/api/search?${new URLSearchParams({ q, sort })}`)
      const situation = { driver: 'palimpsest', urls: [url], addresses }
      const { p50, p99 } = await run({ situation, operation: 'GET', connections: 1, seconds: PATIENCE, count: COUNT })
      say(`${kind} words by ${sort}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
      figures[`${sort} ${kind} p99`] = figure(p99)
    }
  }
  return figures
}

export const search: Measure = options =>
  withServices(options, [{ entries: options.large }], ([{ run, url }]) => time(run, url, options))

export const searchPostgres: Measure = async options => {
  const kept = await filled(await placeOf(options, POSTGRES_STORE.name, options.large), POSTGRES_STORE)
  // The index of the node is retained, because it takes minutes to fill.
  const { urls, close } = await openNodes(kept, kept, 1)
  const loader = new Loader(CORES.load)
  try {
    const [url = ''] = urls
    await untilIndexed(url)
    return await time(order => loader.run(order), url, options)
  } finally {
    loader.close()
    await close()
  }
}
