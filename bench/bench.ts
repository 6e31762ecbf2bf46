import { isDeepStrictEqual } from 'node:util'
import { hasWordnet } from '../scripts/wordnet.ts'
import { judge } from './claims.ts'
import { compare, placeOf, reasonOf } from './compare.ts'
import { MEASURES } from './measures/index.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { CORES } from './processes.ts'
import { newResults, readResults, saveResults } from './results.ts'
import { claimTable, ratioTable } from './tables.ts'
import type { Target } from './target.ts'
import { besideTargets, TARGETS } from './targets/index.ts'
import { palimpsest } from './targets/palimpsest.ts'
import { palimpsestPostgres } from './targets/palimpsest-postgres.ts'

/**
 * Measures the service, the physical limit and the peers in alternating rounds of one run, and prints tables of medians and ratios.
 * Progress goes to standard error. All figures are written as JSON after each step, so that `--resume` can continue an interrupted run.
 */
async function bench(options: Options): Promise<void> {
  const { entries, seconds, rounds, connections, output } = options
  const targets = targetsOf(options).filter(({ name }) => options.targets.includes(name))
  if (options.prepare) return prepareAll(targets, options)
  const kept = options.resume ? readResults(output) : undefined
  if (kept !== undefined && !isDeepStrictEqual(kept.settings, { entries, seconds, rounds, connections })) {
    throw new Error(
      `${output} was measured with ${JSON.stringify(kept.settings)}: resume with the same, or give another --output.`,
    )
  }
  const results = kept ?? newResults({ entries, seconds, rounds, connections }, CORES.server !== undefined)
  const save = (): void => saveResults(output, { ...results, claims: judge(results) })
  await compare(targets, options, results, save)
  for (const { name, measure } of MEASURES) {
    if (!options.measures.includes(name) || name in results.measures) continue
    try {
      results.measures[name] = await measure(options)
      delete results.skipped[name]
    } catch (error) {
      results.skipped[name] = reasonOf(error)
      options.say(`${name} IS SKIPPED: ${reasonOf(error)}`)
    }
    save()
  }
  results.claims = judge(results)
  save()
  process.stdout.write(`${ratioTable(results)}\n\n${claimTable(judge(results))}\n`)
}

/** The targets, with those of another checkout if one is given. */
function targetsOf({ beside }: Pick<Options, 'beside'>): readonly Target[] {
  return beside === undefined ? TARGETS : [...TARGETS, ...besideTargets(beside)]
}

/** Installs the packages and fills the stores of the targets and the measures. */
async function prepareAll(targets: Target[], options: Options): Promise<void> {
  const large = options.measures.some(name => ['growth', 'search', 'ready'].includes(name))
  const wanted = targets.map(target => ({ target, entries: options.entries }))
  if (large) wanted.push({ target: palimpsest, entries: 10_000 }, { target: palimpsest, entries: options.large })
  if (options.measures.includes('search-postgres')) wanted.push({ target: palimpsestPostgres, entries: options.large })
  for (const { target, entries } of wanted) {
    const place = await placeOf(options, target, entries)
    options.say(`${target.name}: preparing ${place.entries} entries`)
    await target.prepare(place).catch(error => options.say(`${target.name} CANNOT BE PREPARED: ${reasonOf(error)}`))
  }
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
      measures: MEASURES.map(({ name }) => name),
    }),
  )
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
