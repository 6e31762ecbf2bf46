import { DatabaseSync } from 'node:sqlite'
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { findWords } from '../corpus.ts'
import { figure, median } from '../numbers.ts'
import { type Figures, type Measure, withServices } from './measure.ts'

const SMALL = 10_000
/** Minimum ratio between the numbers of entries of both stores. */
const TIMES = 5
const SAMPLE = 2_000
const CONNECTIONS = 4
const SECONDS = 0.5
const ROUNDS = 3
/** Maximum time to request everything once, in seconds. */
const PATIENCE = 30

/** An entry, its current revision and its author, the newest sequence, and a record number. */
type Sample = Record<'slug' | 'id' | 'title' | 'summary' | 'revision' | 'actor' | 'tag' | 'word', string> &
  Record<'sequence' | 'record', number>

/** The addresses of every public read: one list per path of the contract, and per order of the lists. */
export function readsOf(sample: Sample[]): Record<string, string[]> {
  const rows = Object.values(OPERATIONS) as Operation[]
  const reads: Record<string, string[]> = {}
  for (const { method, path, access, query } of rows) {
    if (method !== 'GET' || access !== 'anyone' || path.endsWith('/stream') || path.endsWith('/export')) continue
    const { properties = {}, required = [] } = query as { properties?: object; required?: string[] }
    const known = Object.keys(properties)
    const queries: Record<string, (one: Sample) => string> = required.length === 0 ? { '': () => '' } : {}
    if (known.includes('q')) queries['?q'] = ({ word }) => `?q=${word}`
    if (known.includes('sort')) queries['?sort=evolution'] = () => '?sort=evolution'
    if (known.includes('tag') && required.length === 0) queries['?tag'] = ({ tag }) => `?tag=${encodeURIComponent(tag)}`
    if (known.includes('title')) {
      queries['?title&summary'] = ({ title, summary }) => `?${new URLSearchParams({ title, summary })}`
    }
    if (known.includes('ids')) queries['?ids'] = ({ id }) => `?ids=${id}`
    for (const [name, queryOf] of Object.entries(queries)) {
      reads[`${path}${name}`] = sample.map(one => `${pathOf(path, one)}${queryOf(one)}`)
    }
  }
  return reads
}

/** The path of the contract with the parameters of a sample. */
function pathOf(path: string, { slug, revision: revisionId, actor: id, sequence, record }: Sample): string {
  const parameters: Record<string, string | number> = { slug, revisionId, id, sequence, record }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]))
}

async function sampleOf(dataDir: string): Promise<Sample[]> {
  const database = new DatabaseSync(storeFile(dataDir), { readOnly: true })
  const { most } = database.prepare('SELECT max(number) AS most FROM entry').get() as { most: number }
  const find = database.prepare(
    `SELECT e.slug, e.id, r.title, r.summary, e.tags, r.id AS revision, a.id AS actor, (SELECT sequence FROM head) AS sequence
      FROM entry e JOIN revision r ON r.number = e.revision JOIN actor a ON a.number = e.actor WHERE e.number >= ? LIMIT 1`,
  )
  const words = (await findWords()).middling
  const size = Math.min(SAMPLE, most)
  const sample = Array.from({ length: size }, (_, n) => {
    const at = Math.floor((n * most) / size)
    const row = find.get(at) as Omit<Sample, 'record' | 'tag' | 'word'> & { tags: string }
    return {
      ...row,
      record: 1 + at,
      tag: String(JSON.parse(row.tags)[0]),
      word: words[n % words.length] as string,
    }
  })
  database.close()
  return sample
}

/** The ratio of the times of each public read with many and with few entries, median of alternating rounds. */
export const growth: Measure = options => {
  const [few, many] = [{ entries: Math.min(SMALL, Math.floor(options.large / TIMES)) }, { entries: options.large }]
  return withServices(options, [few, many], async services => {
    const stores = await Promise.all(
      services.map(async service => ({ service, reads: readsOf(await sampleOf(service.dataDir)) })),
    )
    const rates = async (read: string, limits: { seconds: number; count?: number }): Promise<number[]> => {
      const found: number[] = []
      for (const { service, reads } of stores) {
        const situation = { ...service.situation, addresses: reads[read] ?? [] }
        const order = { situation, operation: 'GET', connections: CONNECTIONS, ...limits } as const
        found.push((await service.awake(() => service.run(order))).perSecond)
      }
      return found
    }
    const ratios: Figures = { entries: options.large }
    for (const [read, { length }] of Object.entries(stores[0]?.reads ?? {})) {
      // Requests each address once before the measurement, so that the service is compared and not the disk.
      await rates(read, { seconds: PATIENCE, count: CONNECTIONS * length })
      const rounds: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const [ofFew = 0, ofMany = 0] = await rates(read, { seconds: SECONDS })
        rounds.push(ofFew / ofMany)
      }
      ratios[read] = figure(median(rounds) ?? 0)
      options.say(`growth: ${read} takes ${ratios[read]} times as long`)
    }
    return ratios
  })
}
