import type { Popularity, Workload } from './predict.ts'

/** A measured workload. Points of CALIBRATION determine costs. Points of VALIDATION are only compared with the model. */
export type Point = {
  name: string
  about: string
  use: 'calibration' | 'validation'
  connections: number
  shares: Workload['shares']
  popularity: Popularity
}

/** A number of entries that fits into the memory of the service. */
export const HOT: Popularity = { entries: 1_000, exponent: 0 }
/** More entries than the service has in memory. It remembers the observations of this many entries. */
export const MANY = 20_000
const EVEN: Popularity = { entries: MANY, exponent: 0 }
const ZIPF: Popularity = { entries: MANY, exponent: 0.9 }

const READS = { S: 0, W: 0 }
const WRITES = { S: 0, W: 1 }
const SEARCHES = { S: 1, W: 0 }

const calibration = (name: string, about: string, connections: number, shares: Point['shares'], popularity = HOT) =>
  ({ name, about, use: 'calibration', connections, shares, popularity }) satisfies Point

/** A validation point is named after its workload and connections. */
const validations = (
  name: string,
  about: string,
  connections: readonly number[],
  shares: Point['shares'],
  popularity = HOT,
): Point[] =>
  connections.map(count => ({
    ...{ name: `${name} ${count}`, about, use: 'validation', connections: count, shares, popularity },
  }))

/** The points that determine the costs. */
export const CALIBRATION = {
  reads2: calibration('reads 2', 'reads from memory', 2, READS),
  reads16: calibration('reads 16', 'reads from memory', 16, READS),
  misses16: calibration('misses 16', 'reads, mostly not from memory', 16, READS, EVEN),
  writes1: calibration('writes 1', 'creates', 1, WRITES),
  writes32: calibration('writes 32', 'creates', 32, WRITES),
  halves1: calibration('halves 1', 'half reads, half creates', 1, { S: 0, W: 0.5 }),
  searches1: calibration('searches 1', 'searches', 1, SEARCHES),
  mixed4: calibration('mixed 4', '82 % reads, 3 % searches, 15 % creates', 4, { S: 0.03, W: 0.15 }),
  searchesWrites1: calibration('searches+writes 1', 'half searches, half creates', 1, { S: 0.5, W: 0.5 }),
} as const satisfies Record<string, Point>

/** The points that are compared with the model. */
export const VALIDATION: readonly Point[] = [
  ...validations('R', 'reads from memory', [1, 8, 32], READS),
  ...validations('Z', `reads of ${MANY.toLocaleString('en-US')} entries by Zipf 0.9`, [8, 32], READS, ZIPF),
  ...validations('W', 'creates', [8, 16, 64], WRITES),
  ...validations('90/10', '90 % reads, 10 % creates', [1, 8, 32], { S: 0, W: 0.1 }),
  ...validations('M', '90 % reads, 5 % searches, 5 % creates', [1, 8, 32], { S: 0.05, W: 0.05 }),
]
