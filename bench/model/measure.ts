import { join } from 'node:path'
import { BESIDES_JSON } from '../../src/operations/entries/entry-cache.ts'
import { placeOf, reasonOf } from '../compare.ts'
import { median } from '../results.ts'
import type { Place } from '../target.ts'
import { palimpsest } from '../targets/palimpsest.ts'
import { palimpsestPostgres } from '../targets/palimpsest-postgres.ts'
import { MeasuredPostgres, type PostgresReading } from './measured-postgres.ts'
import { MeasuredService, type Reading } from './measured-service.ts'
import { benchOptions, type Options } from './options.ts'
import { CALIBRATION, VALIDATION } from './points.ts'
import { POSTGRES_CALIBRATION, POSTGRES_VALIDATION } from './postgres-points.ts'

/** Number of entries of the store over PostgreSQL, which fills more slowly. */
const ON_POSTGRES = 10_000
const WARM = 4
/** Number of questions to /api/find that are sent in turn, and number of words of each. */
const QUESTIONS = 200
const WORDS = 3

/** The readings of all points, by name: calibration points if costs are measured, validation points if the model is compared. */
export type AllReadings = {
  embedded: Record<string, Reading>
  postgres: Record<string, PostgresReading>
  /** Bytes of an entry in the memory of the service. */
  cachedBytes: number
}

/** The median of each figure over the rounds. */
export function medianOf<T extends PostgresReading>(rounds: readonly T[]): T {
  const of = (figure: (one: T) => number): number => median(rounds.map(figure)) as number
  const [first] = rounds as [T]
  const threads = Object.keys(Object.assign({}, ...rounds.map(one => one.threads)))
  const figures = Object.entries(first).filter(([, value]) => typeof value === 'number')
  return {
    ...first,
    ...Object.fromEntries(figures.map(([name]) => [name, of(one => one[name as keyof T] as number)])),
    threads: Object.fromEntries(threads.map(name => [name, of(one => one.threads[name] ?? 0)])),
  }
}

/** The directories of a part of the measurement, with a separate scratch directory. */
export async function placeFor(
  options: Options,
  target: typeof palimpsest,
  part: string,
  entries: number,
): Promise<Place> {
  const place = await placeOf(benchOptions(options), target, entries)
  return { ...place, scratch: join(place.scratch, part) }
}

/** Measures all points, in alternating rounds. */
export async function measurePoints(options: Options): Promise<AllReadings> {
  const embedded = await measureEmbedded(options)
  const postgres = options.parts.includes('postgres')
    ? await orSkipped(options, 'postgres', measurePostgres)
    : undefined
  return { ...embedded, postgres: postgres ?? {} }
}

async function measureEmbedded(options: Options): Promise<Omit<AllReadings, 'postgres'>> {
  const { seconds, rounds, measure, validate, say } = options
  const place = await placeFor(options, palimpsest, 'points', options.entries)
  const service = await MeasuredService.start(place)
  const points = [...(measure ? Object.values(CALIBRATION) : []), ...(validate ? VALIDATION : [])]
  const all: Record<string, Reading[]> = {}
  let cachedBytes = 0
  const note = (name: string, reading: Reading): void => {
    all[name] = [...(all[name] ?? []), reading]
    const others = `${Math.round(100 * reading.others)} % of the core used by others`
    say(`${name}: ${Math.round(reading.perSecond)}/s, p99 ${reading.p99.toFixed(2)} ms, ${others}`)
  }
  try {
    await service.warm(WARM)
    cachedBytes = (await service.bodyBytes()) + BESIDES_JSON
    for (let round = 0; round < rounds; round++) {
      for (const point of points) note(point.name, await service.measure(point, seconds))
      if (!measure) continue
      note('health', await service.measurePaths(['/health'], 1, seconds))
      note('health16', await service.measurePaths(['/health'], 16, seconds))
      note('find', await service.measurePaths(questions(place), 1, seconds))
    }
  } finally {
    await service.stop()
  }
  return { embedded: medians(all), cachedBytes }
}

const medians = <T extends PostgresReading>(all: Record<string, T[]>): Record<string, T> =>
  Object.fromEntries(Object.entries(all).map(([name, readings]) => [name, medianOf(readings)]))

const questions = ({ words }: Place): string[] =>
  Array.from({ length: QUESTIONS }, (_, at) => {
    const asked = Array.from({ length: WORDS }, (_, word) => words[(at * WORDS + word) % words.length])
    return `/api/find?q=${encodeURIComponent(asked.join(' '))}`
  })

async function measurePostgres(options: Options): Promise<Record<string, PostgresReading>> {
  const { seconds, rounds, measure, validate, say } = options
  const place = await placeFor(options, palimpsestPostgres, '', ON_POSTGRES)
  const points = [...(measure ? Object.values(POSTGRES_CALIBRATION) : []), ...(validate ? POSTGRES_VALIDATION : [])]
  const all: Record<string, PostgresReading[]> = {}
  const service = await MeasuredPostgres.start(place)
  try {
    await service.warm(WARM)
    for (let round = 0; round < rounds; round++) {
      for (const point of points) {
        const reading = await service.measure(point, seconds)
        all[point.name] = [...(all[point.name] ?? []), reading]
        say(`${point.name}: ${Math.round(reading.perSecond)}/s, p99 ${reading.p99.toFixed(2)} ms`)
      }
    }
  } finally {
    await service.stop()
  }
  return medians(all)
}

/** Runs a part of the measurement; undefined, with the reason on standard error, if it cannot be measured here. */
export async function orSkipped<T>(
  options: Options,
  part: string,
  measure: (options: Options) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await measure(options)
  } catch (error) {
    options.say(`${part} IS SKIPPED: ${reasonOf(error)}`)
    return undefined
  }
}
