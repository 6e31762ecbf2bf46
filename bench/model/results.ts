import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SavedCosts } from './costs.ts'
import type { Scenarios } from './scenarios.ts'
import type { Comparison } from './validate.ts'

/** The comparison with the measured machine, and the predictions of the model for larger loads. */
export type ModelResults = {
  validation: { date: string; machine: SavedCosts['machine']; seconds: number; rounds: number; points: Comparison[] }
  /** The share of hits by Che's approximation and in a simulated LRU cache, for cases where both can be computed. */
  hitRatios: HitRatio[]
  settings: { requests: number; seed: number }
  scenarios: Scenarios
}
export type HitRatio = { entries: number; exponent: number; capacity: number; analytic: number; simulated: number }

export const MODEL_FILE = join(import.meta.dirname, '../results/model.json')

export const readModel = (path = MODEL_FILE): ModelResults | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ModelResults) : undefined

/** Writes a value as JSON, atomically. */
export function saveJson(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`)
  renameSync(`${path}.new`, path)
}
