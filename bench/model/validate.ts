import { predictPoint } from './calibrate.ts'
import { predictPostgresPoint } from './calibrate-postgres.ts'
import type { CostValues } from './costs.ts'
import type { AllReadings } from './measure.ts'
import { CALIBRATION, type Point, VALIDATION } from './points.ts'
import { POSTGRES_CALIBRATION, POSTGRES_VALIDATION, type PostgresPoint } from './postgres-points.ts'

type Figures = { perSecond: number; p50: number; p99: number }
/** A point as measured, and as predicted by the model. If `isJudged`, a throughput outside the tolerance makes the command fail. */
export type Comparison = {
  name: string
  about: string
  use: Point['use']
  connections: number
  isJudged: boolean
  measured: Figures
  model: Figures
}

/** Maximum relative difference between the modelled and the measured throughput. */
export const TOLERANCE = 0.2

/** Compares the model with each measured point, over the same number of seconds. */
export function compareAll(costs: CostValues, { embedded, postgres }: AllReadings, seconds: number): Comparison[] {
  const own = [...VALIDATION, ...Object.values(CALIBRATION)].flatMap(point => {
    const reading = embedded[point.name]
    return reading === undefined ? [] : [compared(point, reading, predictPoint(costs, point, seconds))]
  })
  const onPostgres = [...POSTGRES_VALIDATION, ...Object.values(POSTGRES_CALIBRATION)].flatMap(point => {
    const reading = postgres[point.name]
    return reading === undefined ? [] : [compared(point, reading, predictPostgresPoint(costs, point, seconds))]
  })
  return [...own, ...onPostgres]
}

const compared = (point: Point | PostgresPoint, measured: Figures, model: Figures): Comparison => ({
  ...{ name: point.name, about: point.about, use: point.use, connections: point.connections },
  isJudged: point.use === 'validation',
  measured: rounded(measured),
  model: rounded(model),
})

const rounded = ({ perSecond, p50, p99 }: Figures): Figures => ({
  perSecond: Number(perSecond.toPrecision(4)),
  p50: Number(p50.toPrecision(3)),
  p99: Number(p99.toPrecision(3)),
})

export const ratioOf = ({ measured, model }: Comparison): number => model.perSecond / measured.perSecond

/** Whether the modelled throughput is within the tolerance. */
export const isWithin = (one: Comparison): boolean => Math.abs(ratioOf(one) - 1) <= TOLERANCE
