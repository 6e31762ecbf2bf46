import { writeFileSync } from 'node:fs'
import { hasWordnet } from '../../scripts/wordnet.ts'
import { CORES } from '../processes.ts'
import { newResults } from '../results.ts'
import { chanceOf } from './chance.ts'
import { drawScaling } from './chart.ts'
import { type Costs, readCosts, readSavedCosts, type SavedCosts, valuesOf } from './costs.ts'
import { hitRatio, NO_EXPIRY, simulatedHitRatio } from './hit-ratio.ts'
import { measurePoints } from './measure.ts'
import { measureCosts } from './measure-costs.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { type HitRatio, type ModelResults, readModel, saveJson } from './results.ts'
import { runScenarios } from './scenarios.ts'
import { costTable, hitTable, scenarioTables, validationTable } from './tables.ts'
import { compareAll, isWithin } from './validate.ts'

/** The cases for which both ways to compute a hit ratio are compared. */
const COMPARED = { entries: 100_000, reads: 400_000, capacities: [100, 1_000, 10_000] }
const EXPONENTS = [0.7, 0.9, 1.1]

/** Measures the requested parts, and runs the model. Resolves with whether the model agrees with the measurements. */
async function benchModel(options: Options): Promise<boolean> {
  const { measure, validate, requests, seed, output } = options
  if ((measure || validate) && !hasWordnet()) {
    throw new Error("The corpus is not here: install Debian's package wordnet-base.")
  }
  const validation = measure || validate ? await measureAndCompare(options) : readModel(output)?.validation
  if (validation === undefined) throw new Error(`${output} has no comparison yet; --validate makes it.`)
  const { saved, costs } = readCosts(options.costs)
  const scenarios = runScenarios(valuesOf(costs), { requests, seed })
  const results: ModelResults = { validation, hitRatios: hitRatios(seed), settings: { requests, seed }, scenarios }
  saveJson(output, results)
  writeFileSync(options.chart, drawScaling(results))
  printTables(saved, costs, results)
  return validation.points.every(one => !one.isJudged || isWithin(one))
}

async function measureAndCompare(options: Options): Promise<ModelResults['validation']> {
  const { measure, costs, seconds, rounds } = options
  const readings = await measurePoints(options)
  if (measure) saveJson(costs, await measureCosts(options, readings, readSavedCosts(costs)?.figures ?? {}))
  const { date, machine } = newResults({ entries: 0, seconds, rounds, connections: 0 }, CORES.server !== undefined)
  return { date, machine, seconds, rounds, points: compareAll(valuesOf(readCosts(costs).costs), readings, seconds) }
}

function hitRatios(seed: number): HitRatio[] {
  const { entries, reads, capacities } = COMPARED
  return EXPONENTS.flatMap(exponent =>
    capacities.map(capacity => {
      const readers = { entries, exponent, perSecond: 1 }
      const cache = { ...NO_EXPIRY, capacity }
      const simulated = simulatedHitRatio(readers, cache, reads, chanceOf(seed, `${exponent} ${capacity}`))
      return { entries, exponent, capacity, analytic: hitRatio(readers, cache), simulated }
    }),
  )
}

function printTables(saved: SavedCosts, costs: Costs, results: ModelResults): void {
  const tables = [
    costTable(saved, costs),
    validationTable(results.validation.points),
    hitTable(results.hitRatios),
    ...scenarioTables(results.scenarios),
  ]
  process.stdout.write(`${tables.join('\n\n')}\n`)
}

const args = process.argv.slice(2)
try {
  if (args.includes('--help')) process.stdout.write(USAGE)
  else if (!(await benchModel(readOptions(args)))) process.exitCode = 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
}
