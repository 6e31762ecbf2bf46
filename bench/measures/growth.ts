import { DatabaseSync } from 'node:sqlite'
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { placeOf } from '../compare.ts'
import { findWords } from '../corpus.ts'
import { type Loader, startLoader } from '../load/loader.ts'
import { CORES, signalTree } from '../processes.ts'
import { median } from '../results.ts'
import { keptData, palimpsest, type Service, startService } from '../targets/palimpsest.ts'
import { figure, type Measure } from './measure.ts'

const SMALL = 10_000
/** Minimum ratio between the numbers of entries of both stores. */
const TIMES = 5
const SAMPLE = 2_000
const CONNECTIONS = 4
const SECONDS = 0.5
const ROUNDS = 3
/** Maximum time to request everything once, in seconds. */
const PATIENCE = 30
const NO_END = 1_000_000_000

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

type Store = { service: Service; reads: Record<string, string[]> }

/** The ratio of the times of each public read with many and with few entries, median of alternating rounds. */
export const growth: Measure = {
  name: 'growth',
  async measure(options) {
    const stores: Store[] = []
    const loader = startLoader(CORES.load)
    try {
      for (const entries of [Math.min(SMALL, Math.floor(options.large / TIMES)), options.large]) {
        const dataDir = await keptData(await placeOf(options, palimpsest, entries))
        const reads = readsOf(await sampleOf(dataDir))
        const service = await startService({ DATA_DIR: dataDir })
        signalTree(service.server.pid, 'SIGSTOP')
        stores.push({ service, reads })
      }
      const ratios: Record<string, number> = {}
      for (const read of Object.keys(stores[0]?.reads ?? {})) {
        const ratio = await ratioOf(loader, stores as [Store, Store], read)
        options.say(`growth: ${read} takes ${ratio.toFixed(2)} times as long`)
        ratios[read] = figure(ratio)
      }
      return { entries: options.large, ...ratios }
    } finally {
      loader.close()
      for (const { service } of stores) await service.server.stop()
    }
  },
}

async function ratioOf(loader: Loader, stores: [Store, Store], read: string): Promise<number> {
  // Requests each address once before the measurement, so that the service is compared and not the disk.
  const all = CONNECTIONS * (stores[0].reads[read]?.length ?? 0)
  for (const store of stores) await rate(loader, store, read, PATIENCE, all)
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [few, many] = [await rate(loader, stores[0], read), await rate(loader, stores[1], read)]
    ratios.push(few / many)
  }
  return median(ratios) as number
}

async function rate(
  loader: Loader,
  { service, reads }: Store,
  read: string,
  seconds = SECONDS,
  count = NO_END,
): Promise<number> {
  const { pid } = service.server
  signalTree(pid, 'SIGCONT')
  const situation = { driver: 'palimpsest', urls: [service.url], addresses: reads[read] ?? [], words: [], tokens: [''] }
  const order = { situation, operation: 'GET', connections: CONNECTIONS, count, from: 0 } as const
  try {
    return (await loader.run({ ...order, seconds })).perSecond
  } finally {
    signalTree(pid, 'SIGSTOP')
  }
}
