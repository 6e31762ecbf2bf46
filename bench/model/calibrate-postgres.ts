import { availableParallelism } from 'node:os'
import type { CostName, CostValues } from './costs.ts'
import type { PostgresReading } from './measured-postgres.ts'
import { POSTGRES_CALIBRATION, type PostgresPoint } from './postgres-points.ts'
import type { Prediction } from './predict.ts'
import { predictPostgres } from './predict-postgres.ts'

export type PostgresReadings = Record<keyof typeof POSTGRES_CALIBRATION, PostgresReading>

/** Number of corrections, as in calibrate.ts. */
const ROUNDS = 40
const STEP = 0.4
const SECONDS = 1

const of = ({ threads }: PostgresReading, name: string): number => threads[name] ?? 0
/** Processor time of the threads of the node that neither answer nor index. */
const others = ({ threads }: PostgresReading): number =>
  Object.entries(threads).reduce(
    (sum, [name, time]) => (['main', 'index', 'postgres'].includes(name) ? sum : sum + time),
    0,
  )

export const predictPostgresPoint = (
  costs: CostValues,
  { operation, connections }: PostgresPoint,
  seconds = SECONDS,
): Prediction => predictPostgres(costs, { operation, connections, nodes: 1, cores: availableParallelism(), seconds })

/** Fits the costs of a node over PostgreSQL, so that the model agrees with the readings of the calibration points. */
export function calibratePostgres(readings: PostgresReadings, embedded: Partial<CostValues>): Partial<CostValues> {
  const { reads2, reads16, writes1, writes32 } = readings
  const guess: Partial<CostValues> = {
    nodeReads: of(reads2, 'main') - of(reads16, 'main'),
    nodeRead: of(reads16, 'main') + others(reads16),
    primaryReads: of(reads2, 'postgres') - of(reads16, 'postgres'),
    primaryRead: of(reads16, 'postgres'),
    nodeWrite: of(writes32, 'main'),
    nodeGroup: of(writes1, 'main') - of(writes32, 'main'),
    primaryEach: of(writes32, 'postgres'),
    primaryGroup: of(writes1, 'postgres') - of(writes32, 'postgres'),
    primaryFlush: 1_000,
    nodeIndex: of(writes32, 'index'),
    nodeOther: others(writes32),
  }
  const costs = { ...embedded, ...guess } as CostValues
  for (let round = 0; round < ROUNDS; round++) correct(costs, readings)
  return Object.fromEntries(Object.keys(guess).map(name => [name, costs[name as CostName]]))
}

function correct(costs: CostValues, readings: PostgresReadings): void {
  const { reads2, reads16, writes1, writes32 } = readings
  const [few, read, one, many] = (['reads2', 'reads16', 'writes1', 'writes32'] as const).map(name =>
    predictPostgresPoint(costs, POSTGRES_CALIBRATION[name]),
  ) as [Prediction, Prediction, Prediction, Prediction]
  const add = (name: CostName, difference: number): void => {
    costs[name] = Math.max(0, costs[name] + STEP * difference)
  }
  add('nodeReads', of(reads2, 'main') + others(reads2) - (few.busy.main ?? 0))
  add('primaryReads', of(reads2, 'postgres') - (few.busy['postgres reads'] ?? 0))
  add('primaryRead', of(reads16, 'postgres') - (read.busy['postgres reads'] ?? 0))
  add('nodeRead', of(reads16, 'main') + others(reads16) - (read.busy.main ?? 0))
  add('nodeWrite', of(writes32, 'main') - (many.busy.main ?? 0))
  add('nodeGroup', of(writes1, 'main') - (one.busy.main ?? 0))
  add('primaryEach', of(writes32, 'postgres') - (many.busy['postgres writes'] ?? 0))
  add('primaryGroup', of(writes1, 'postgres') - (one.busy['postgres writes'] ?? 0))
  add('primaryFlush', 1e6 / writes1.perSecond - 1e6 / one.perSecond)
}
