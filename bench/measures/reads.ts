import { DatabaseSync } from 'node:sqlite'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import type { Situation } from '../load/order.ts'
import { atMost } from '../targets/palimpsest.ts'
import { type Figures, type Measure, medians, withServices } from './measure.ts'

const ADDRESSES = 1_000
const NOT_MODIFIED = 304

/** The kinds of reads, by the name of their claim. The first is R. */
function readsOf(dataDir: string, token = ''): Record<string, Pick<Situation, 'addresses' | 'fields' | 'status'>> {
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
export const reads: Measure = options =>
  withServices(options, [{}], ([{ dataDir, situation, run }]) => {
    const kinds = Object.entries(readsOf(dataDir, situation.tokens?.[0]))
    return medians(options, async () => {
      const rates: Figures = {}
      for (const [kind, read] of kinds) {
        rates[kind] = (await run({ situation: { ...situation, ...read }, operation: 'GET' })).perSecond
      }
      const { entry = 0, ...others } = rates
      return Object.fromEntries(Object.entries(others).map(([kind, rate]) => [kind, rate / entry]))
    })
  })
