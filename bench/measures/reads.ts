import { DatabaseSync } from 'node:sqlite'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { placeOf } from '../compare.ts'
import { startLoader } from '../load/loader.ts'
import type { Situation } from '../load/order.ts'
import { CORES } from '../processes.ts'
import { median } from '../results.ts'
import { atMost, keptData, palimpsest, situationOf, startService } from '../targets/palimpsest.ts'
import { figure, type Measure } from './measure.ts'

const ADDRESSES = 1_000
const NO_END = 1_000_000_000
const NOT_MODIFIED = 304

type Read = Pick<Situation, 'addresses' | 'fields' | 'status'>

/** The kinds of reads, by the name of their claim. The first is R. */
function readsOf(dataDir: string, token: string): Record<string, Read> {
  const database = new DatabaseSync(storeFile(dataDir), { readOnly: true })
  const rows = database
    .prepare('SELECT e.slug, r.id FROM entry e JOIN revision r ON r.number = e.revision ORDER BY e.number')
    .all() as { slug: string; id: string }[]
  database.close()
  const sample = atMost(rows, ADDRESSES)
  const entries = sample.map(({ slug }) => `/api/entries/${slug}`)
  return {
    entry: { addresses: entries },
    'with a token': { addresses: entries, fields: `x-actor-token: ${token}\r\n` },
    conditional: { addresses: entries, fields: 'if-none-match: *\r\n', status: NOT_MODIFIED },
    revision: { addresses: sample.map(({ slug, id }) => `/api/entries/${slug}/revisions/${id}`) },
    evidence: { addresses: entries.map(entry => `${entry}/evidence`) },
    activity: { addresses: ['/api/activity'] },
    page: { addresses: sample.map(({ slug }) => `/entries/${slug}`) },
  }
}

/** The rate of other reads divided by that of an entry, medians of alternating rounds. */
export const reads: Measure = {
  name: 'reads',
  async measure(options) {
    const place = await placeOf(options, palimpsest)
    const dataDir = await keptData(place)
    const { url, server } = await startService({ DATA_DIR: dataDir }, CORES.server)
    const loader = startLoader(CORES.load)
    try {
      const situation = await situationOf([url], [], [])
      const kinds = Object.entries(readsOf(dataDir, situation.tokens[0] as string))
      const { connections, seconds } = options
      const rateOf = async (read: Read): Promise<number> => {
        const order = {
          situation: { ...situation, ...read },
          operation: 'GET',
          connections,
          seconds,
          count: NO_END,
        } as const
        return (await loader.run({ ...order, from: 0 })).perSecond
      }
      const ratios: Record<string, number[]> = {}
      // The first round is a warm-up, as for each operation of the comparison.
      for (let round = -1; round < options.rounds; round++) {
        const rates: [string, number][] = []
        for (const [kind, read] of kinds) rates.push([kind, await rateOf(read)])
        const [[, ofEntry], ...others] = rates as [[string, number], ...[string, number][]]
        options.say(`reads: ${rates.map(([kind, rate]) => `${kind} ${Math.round(rate)}/s`).join(', ')}`)
        for (const [kind, rate] of round < 0 ? [] : others) ratios[kind] = [...(ratios[kind] ?? []), rate / ofEntry]
      }
      return Object.fromEntries(Object.entries(ratios).map(([kind, of]) => [kind, figure(median(of) ?? 0)]))
    } finally {
      loader.close()
      await server.stop()
    }
  },
}
