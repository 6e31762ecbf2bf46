import { isDeepStrictEqual } from 'node:util'
import { hasWordnet } from '../scripts/wordnet.ts'
import { judge } from './claims.ts'
import { compare, reasonOf } from './compare.ts'
import { MEASURES } from './measures/index.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { CORES } from './processes.ts'
import { newResults, readResults, saveResults } from './results.ts'
import { claimTable, ratioTable } from './tables.ts'
import { besideTargets, TARGETS } from './targets/index.ts'

/**
 * Measures the service, the physical limit and the peers in alternating rounds of one run, and prints tables of medians and ratios.
 * Progress goes to standard error. All figures are written as JSON after each step, so that `--resume` can continue an interrupted run.
 */
async function bench(options: Options): Promise<void> {
  const { entries, seconds, rounds, connections, output } = options
  const all = options.beside === undefined ? TARGETS : [...TARGETS, ...besideTargets(options.beside)]
  const targets = all.filter(({ name }) => options.targets.includes(name))
  const kept = options.resume ? readResults(output) : undefined
  if (kept !== undefined && !isDeepStrictEqual(kept.settings, { entries, seconds, rounds, connections })) {
    throw new Error(
      `${output} was measured with ${JSON.stringify(kept.settings)}: resume with the same, or give another --output.`,
    )
  }
  const results = kept ?? newResults({ entries, seconds, rounds, connections }, CORES.server !== undefined)
  const save = (): void => {
    results.claims = judge(results)
    saveResults(output, results)
  }
  await compare(targets, options, results, save)
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (!options.measures.includes(name) || name in results.measures) continue
    try {
      results.measures[name] = await measure(options)
      delete results.skipped[name]
      options.say(`${name}: ${JSON.stringify(results.measures[name])}`)
    } catch (error) {
      results.skipped[name] = reasonOf(error)
      options.say(`${name} IS SKIPPED: ${reasonOf(error)}`)
    }
    save()
  }
  save()
  process.stdout.write(`${ratioTable(results)}\n\n${claimTable(results.claims)}\n`)
}

const args = process.argv.slice(2)
try {
  if (args.includes('--help')) {
    process.stdout.write(USAGE)
    process.exit()
  }
  if (!hasWordnet()) throw new Error("The corpus is not here: install Debian's package wordnet-base.")
  await bench(
    readOptions(args, {
      targets: TARGETS.map(({ name }) => name),
      beside: besideTargets('').map(({ name }) => name),
      measures: Object.keys(MEASURES),
    }),
  )
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
