import type { CostName, CostValues } from './costs.ts'
import type { Reading } from './measured-service.ts'
import { CALIBRATION, type Point } from './points.ts'
import { type Prediction, predict } from './predict.ts'
import { totalOf } from './threads.ts'

export type Readings = Record<keyof typeof CALIBRATION | 'health' | 'health16' | 'find', Reading>

/**
 * Number of corrections of the costs, each by a part of the difference between reading and prediction. They are repeated because one cost
 * changes the effect of others.
 */
const ROUNDS = 40
const STEP = 0.4
const SECONDS = 1
const SEED = 1
/**
 * The share of all requests that are a read or a search directly after a write, if half of the requests are writes and each request follows
 * the previous one.
 */
const AFTER_WRITE = 0.25

const of = (reading: Reading, thread: string): number => reading.threads[thread] ?? 0
const clientTime = ({ busy, perSecond }: Reading): number => (1e6 * busy) / perSecond
const latency = ({ perSecond }: { perSecond: number }, connections = 1): number => (1e6 * connections) / perSecond

/** Fits the costs of the embedded service, so that the model agrees with the readings of the calibration points. */
export function calibrate(readings: Readings, sizes: Pick<CostValues, 'cachedBytes'>): Partial<CostValues> {
  const costs = { ...firstGuess(readings), ...sizes } as CostValues
  for (let round = 0; round < ROUNDS; round++) {
    const predicted = Object.fromEntries(
      Object.entries(CALIBRATION).map(([name, point]) => [name, predictPoint(costs, point)]),
    ) as Record<keyof typeof CALIBRATION, Prediction>
    correct(costs, readings, predicted)
  }
  const { diskRead: _, ...calibrated } = costs
  return calibrated
}

export const predictPoint = (costs: CostValues, { connections, shares, popularity }: Point, seconds = SECONDS) =>
  predict(costs, { connections, shares, popularity, seconds, seed: SEED })

/** Costs that follow from the readings without the model. */
function firstGuess(readings: Readings): Partial<CostValues> {
  const { reads2, reads16, writes1, writes32, searches1, health, health16, find } = readings
  const group = writes32.group
  const writeEach = (of(writes32, 'writer') * group - of(writes1, 'writer')) / (group - 1)
  return {
    wake: Math.max(0, (latency(health) - clientTime(health) - totalOf(health.threads)) / 2),
    idle: Math.max(0, of(health, 'main') - of(health16, 'main')),
    clientIdle: Math.max(0, clientTime(health) - clientTime(health16)),
    turn: of(reads2, 'main') - of(reads16, 'main'),
    clientTurn: clientTime(reads2) - clientTime(reads16),
    clientRead: clientTime(reads16),
    clientWrite: clientTime(writes32),
    clientSearch: clientTime(searches1),
    readHit: of(reads16, 'main'),
    readOther: totalOf(reads16.threads) - of(reads16, 'main'),
    readMiss: totalOf(readings.misses16.threads),
    switch: 50,
    catchUp: 0,
    writeMain: of(writes32, 'main'),
    writeMessage: 0,
    writeEach,
    writeGroup: of(writes1, 'writer') - writeEach,
    writeHelpers: of(writes32, 'helpers') + of(writes32, 'other'),
    flush: 500,
    indexEach: of(writes32, 'index'),
    indexBatch: 0,
    logEach: of(writes32, 'log'),
    searchMain: of(searches1, 'main'),
    search: totalOf(searches1.threads) - of(searches1, 'main'),
    searchCatchUp: 0,
    searchReload: 0,
    find: totalOf(find.threads),
    available: 1,
    diskRead: 0,
  }
}

/** Corrects each cost by the reading that depends on it most. */
function correct(costs: CostValues, readings: Readings, predicted: Record<keyof typeof CALIBRATION, Prediction>): void {
  const { available } = costs
  const add = (name: CostName, difference: number): void => {
    costs[name] = Math.max(0, costs[name] + STEP * difference)
  }
  /** Processor time of a thread that the prediction lacks. The times of the model are for a core that is only partly available. */
  const lacking = (point: keyof typeof CALIBRATION, thread: string): number =>
    of(readings[point], thread) - (predicted[point].busy[thread] ?? 0) * available
  add('readHit', lacking('reads16', 'main'))
  add('turn', lacking('reads2', 'main'))
  const misses = 1 - predicted.misses16.hits
  const missing = totalOf(readings.misses16.threads) - totalOf(predicted.misses16.busy) * available
  add('readMiss', missing / Math.max(0.1, misses))
  add('switch', (lacking('mixed4', 'main') + lacking('mixed4', 'writer')) / predicted.mixed4.switches)
  add('writeMain', lacking('writes32', 'main'))
  add('searchMain', lacking('searches1', 'main'))
  add('writeMessage', lacking('writes1', 'main'))
  add('catchUp', lacking('halves1', 'main') / AFTER_WRITE)
  add('search', lacking('searches1', 'search') + lacking('searches1', 'helpers'))
  add('searchCatchUp', lacking('searchesWrites1', 'main') / AFTER_WRITE)
  const reloading = lacking('searchesWrites1', 'search') + lacking('searchesWrites1', 'helpers')
  add('searchReload', reloading / AFTER_WRITE)
  add('indexBatch', lacking('searchesWrites1', 'index') / AFTER_WRITE)
  costs.indexEach = Math.max(0, of(readings.writes32, 'index') - costs.indexBatch / 200)
  costs.writeEach = Math.max(0, of(readings.writes32, 'writer') - costs.writeGroup / readings.writes32.group)
  costs.writeGroup = Math.max(0, of(readings.writes1, 'writer') - costs.writeEach)
  add('flush', latency(readings.writes1) - latency(predicted.writes1))
  const ratio = readings.reads16.perSecond / predicted.reads16.perSecond
  costs.available = Math.min(1, available * ratio)
}
