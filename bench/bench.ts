import { hasWordnet } from '../scripts/wordnet.ts'
import { judge } from './claims.ts'
import { compare } from './compare.ts'
import { type Options, readOptions } from './options.ts'
import { CORES } from './processes.ts'
import { newResults, readResults, saveResults } from './results.ts'
import { claimTable, ratioTable } from './tables.ts'
import { TARGETS } from './targets/index.ts'

/**
 * Measures the service beside the physical limit and its peers, in alternating rounds of one run, and prints tables of medians and ratios.
 * Progress goes to standard error; all figures are written as JSON after each step, so that `--resume` goes on where a run was broken off.
 */
async function bench(options: Options): Promise<void> {
  const { entries, seconds, rounds, connections, output } = options
  const kept = options.resume ? readResults(output) : undefined
  const results = kept ?? newResults({ entries, seconds, rounds, connections }, CORES.server !== undefined)
  const save = (): void => saveResults(output, { ...results, claims: judge(results) })
  const targets = TARGETS.filter(({ name }) => options.targets.includes(name))
  await compare(targets, options, results, save)
  save()
  process.stdout.write(`${ratioTable(results)}\n\n${claimTable(judge(results))}\n`)
}

try {
  if (!hasWordnet()) throw new Error("The corpus is not here: install Debian's package wordnet-base.")
  await bench(readOptions(process.argv.slice(2), { targets: TARGETS.map(({ name }) => name), measures: [] }))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
