import { placeOf } from '../compare.ts'
import { findWords, type Words } from '../corpus.ts'
import { startLoader } from '../load/loader.ts'
import type { Options } from '../options.ts'
import { CORES } from '../processes.ts'
import { keptData, palimpsest, startService } from '../targets/palimpsest.ts'
import { openNodes, palimpsestPostgres } from '../targets/palimpsest-postgres.ts'
import { figure, type Measure } from './measure.ts'

const SORTS = ['recent', 'relevance'] as const
/** Searches for each kind of word in each order, one after the other, each for another word where there are so many. */
const COUNT = 400
const PATIENCE = 120

/** Milliseconds of searches one at a time: `recent common p99` and so on. */
async function time(url: string, options: Options, name: string): Promise<Record<string, number>> {
  const words = await findWords()
  const loader = startLoader(CORES.load)
  const figures: Record<string, number> = { entries: options.large }
  try {
    for (const sort of SORTS) {
      for (const kind of Object.keys(words) as (keyof Words)[]) {
        const addresses = words[kind].map(word => `/api/search?q=${word}&sort=${sort}`)
        const situation = { driver: 'palimpsest', urls: [url], addresses, words: [], tokens: [''] }
        const order = { situation, operation: 'GET', connections: 1, seconds: PATIENCE, count: COUNT, from: 0 } as const
        const { p50, p99 } = await loader.run(order)
        options.say(`${name}: ${kind} by ${sort}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
        figures[`${sort} ${kind} p50`] = figure(p50)
        figures[`${sort} ${kind} p99`] = figure(p99)
      }
    }
    return figures
  } finally {
    loader.close()
  }
}

export const search: Measure = {
  name: 'search',
  async measure(options) {
    const dataDir = await keptData(await placeOf(options, palimpsest, options.large))
    const { url, server } = await startService({ DATA_DIR: dataDir })
    try {
      return await time(url, options, 'search')
    } finally {
      await server.stop()
    }
  },
}

export const searchPostgres: Measure = {
  name: 'search-postgres',
  async measure(options) {
    const place = await placeOf(options, palimpsestPostgres, options.large)
    await palimpsestPostgres.prepare(place)
    const nodes = await openNodes(place.kept, place.scratch, 1)
    try {
      return await time(nodes.urls[0] as string, options, 'search-postgres')
    } finally {
      await nodes.close()
    }
  },
}
