import { placeOf } from '../compare.ts'
import { findWords, type Words } from '../corpus.ts'
import { startLoader } from '../load/loader.ts'
import type { Options } from '../options.ts'
import { CORES } from '../processes.ts'
import { keptData, palimpsest, startService, untilIndexed } from '../targets/palimpsest.ts'
import { openNodes, palimpsestPostgres } from '../targets/palimpsest-postgres.ts'
import { figure, type Measure } from './measure.ts'

const SORTS = ['recent', 'relevance'] as const
/** Number of consecutive searches for each kind of word in each order, each for another word as far as there are enough words. */
const COUNT = 400
const PATIENCE = 120

/** The queries, by kind. */
function queriesOf({ rare, middling, common }: Words): Record<string, string[]> {
  const after = (n: number): string => middling[(n + 1) % middling.length] as string
  return {
    rare,
    middling,
    common,
    'prefix of three': [...new Set(middling.map(word => word.slice(0, 3)))],
    'two middling': middling.map((word, n) => `${word} ${after(n)}`),
    'phrase of common': common.flatMap(first => common.map(second => `"${first} ${second}"`)),
  }
}

/** Milliseconds of searches one at a time: `recent common p99` and so on. */
async function time(url: string, options: Options, name: string): Promise<Record<string, number>> {
  const queries = Object.entries(queriesOf(await findWords()))
  const loader = startLoader(CORES.load)
  const figures: Record<string, number> = { entries: options.large }
  try {
    for (const sort of SORTS) {
      for (const [kind, list] of queries) {
        const addresses = list.map(q => `/api/search?${new URLSearchParams({ q, sort })}`)
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
    // The index of the node is retained, because it takes minutes to fill.
    const nodes = await openNodes(place.kept, place.kept, 1)
    try {
      await Promise.all(nodes.urls.map(untilIndexed))
      return await time(nodes.urls[0] as string, options, 'search-postgres')
    } finally {
      await nodes.close()
    }
  },
}
