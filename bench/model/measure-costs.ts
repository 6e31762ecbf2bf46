import { statSync } from 'node:fs'
import { indexFile, storeFile } from '../../src/embedded/files.ts'
import { createCorpus, textBytes } from '../corpus.ts'
import { CORES } from '../processes.ts'
import { newResults } from '../results.ts'
import { keptData, palimpsest } from '../targets/palimpsest.ts'
import { calibrate, type Readings } from './calibrate.ts'
import { calibratePostgres, type PostgresReadings } from './calibrate-postgres.ts'
import { COSTS, type CostName, type Costs, type CostValues, type SavedCosts, type SavedReading } from './costs.ts'
import { type AllReadings, orSkipped, placeFor } from './measure.ts'
import { measurePurges, measureVarnish } from './measured-caches.ts'
import { measureMirror } from './measured-mirror.ts'
import type { Options } from './options.ts'
import { CALIBRATION } from './points.ts'
import { POSTGRES_CALIBRATION } from './postgres-points.ts'

const SAMPLED = 200

/** Costs from the readings and from the parts that are measured separately. Skipped parts retain the figures of an earlier run. */
export async function measureCosts(
  options: Options,
  readings: AllReadings,
  earlier: SavedCosts['figures'],
): Promise<SavedCosts> {
  const { entries, seconds, rounds, parts } = options
  const named = Object.entries(CALIBRATION).map(([name, point]) => [name, readings.embedded[point.name]])
  const { health, health16, find } = readings.embedded
  const sizes = { ...(await measureSizes(options)), cachedBytes: readings.cachedBytes }
  const embedded = calibrate({ ...Object.fromEntries(named), health, health16, find } as Readings, sizes)
  const others = [
    readings.postgres[POSTGRES_CALIBRATION.writes32.name] && calibratePostgres(postgresReadings(readings), embedded),
    parts.includes('mirror') && (await orSkipped(options, 'mirror', mirror)),
    parts.includes('purges') && (await orSkipped(options, 'purges', purges)),
    parts.includes('varnish') && (await orSkipped(options, 'varnish', varnish)),
  ].map(found => found || {})
  const values: Partial<CostValues> = Object.assign({}, embedded, ...others)
  const figures = Object.entries(values).map(([name, value]) => [name, measured(name as CostName, value)])
  const { date, machine } = newResults({ entries, seconds, rounds, connections: 1 }, CORES.server !== undefined)
  return {
    date,
    machine,
    settings: { entries, seconds, rounds },
    figures: { ...earlier, ...(Object.fromEntries(figures) as Partial<Costs>) },
    readings: savedReadings({ ...readings.embedded, ...readings.postgres }),
  }
}

const savedReadings = (readings: Record<string, SavedReading>): SavedCosts['readings'] => {
  const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)
  return JSON.parse(JSON.stringify(readings, rounded)) as SavedCosts['readings']
}

const measured = (name: CostName, value: number): Costs[CostName] => ({
  value: Number(value.toPrecision(4)),
  origin: 'measured',
  how: COSTS[name][1],
})

const postgresReadings = ({ postgres }: AllReadings): PostgresReadings =>
  Object.fromEntries(
    Object.entries(POSTGRES_CALIBRATION).map(([name, point]) => [name, postgres[point.name]]),
  ) as PostgresReadings

const mirror = async (options: Options) =>
  measureMirror(await placeFor(options, palimpsest, 'mirrored', options.entries), options.seconds)
const purges = async (options: Options) =>
  measurePurges(await placeFor(options, palimpsest, 'purges', options.entries), options.seconds, options.rounds)
const varnish = async (options: Options) =>
  measureVarnish(await placeFor(options, palimpsest, 'varnish', options.entries), options.seconds)

/** Bytes of an entry on disk, and of its text. */
async function measureSizes(options: Options) {
  const data = await keptData(await placeFor(options, palimpsest, 'sizes', options.entries))
  const textOf = await createCorpus()
  const sample = Array.from({ length: SAMPLED }, (_, n) =>
    textBytes(textOf(Math.floor((n * options.entries) / SAMPLED))),
  )
  return {
    entryBytes: statSync(storeFile(data)).size / options.entries,
    indexBytes: statSync(indexFile(data)).size / options.entries,
    textBytes: sample.reduce((sum, one) => sum + one, 0) / SAMPLED,
  }
}
