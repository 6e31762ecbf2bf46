import { basename, join } from 'node:path'
import { type Cluster, findBinaries, startCluster } from '../../test/support/cluster.ts'
import { type Bound, judge } from './bounds.ts'
import { type Collection, foldersOf, readCollection } from './collection.ts'
import { measureDrafts } from './drafts.ts'
import { type CollectionResult, measure } from './measure.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { measureScale } from './scale.ts'
import { openFts5 } from './systems/fts5.ts'
import { openService } from './systems/service.ts'
import type { Maker } from './systems/system.ts'
import { boundTable, calibrationTable, figureTable, missTable } from './tables.ts'
import { withTypos } from './typos.ts'

const OWN = join(import.meta.dirname, 'judged')
/** Questions that were not used to set constants of the ranking, over the entries of both sets. */
const HELD_OUT = join(import.meta.dirname, 'held-out')

/**
 * The project's own sets first, then those under `--collections`. Adds questions with typing errors, and the foreign questions of the own
 * set.
 */
function collectionsOf({ collections, only }: Options): Collection[] {
  const own = readCollection(OWN)
  const foreign = own.questions.filter(({ kind }) => kind === 'foreign')
  const folders = collections === undefined ? [] : foldersOf(collections)
  const others = [readCollection(HELD_OUT, [OWN]), ...folders.map(folder => readCollection(folder))].map(other => {
    const lent = other.questions.some(({ kind }) => kind === 'foreign') ? [] : foreign
    const typos = other.questions.some(({ kind }) => kind === 'typo') ? [] : withTypos(other.questions)
    return { ...other, questions: [...other.questions, ...typos, ...lent] }
  })
  const all = [own, ...others]
  const unknown = only.find(name => !all.some(one => one.name === name))
  if (unknown !== undefined) {
    throw new Error(`--only: there is no collection "${unknown}"; there are ${all.map(({ name }) => name).join(', ')}.`)
  }
  return all.filter(({ name }) => only.length === 0 || only.includes(name))
}

/** Starts PostgreSQL for the whole run, if it is measured. */
async function openCluster({ postgres }: Options): Promise<Cluster | undefined> {
  if (!postgres) return undefined
  const binaries = findBinaries()
  if (binaries === undefined) throw new Error('There is no PostgreSQL here; install the package postgresql.')
  return startCluster(binaries)
}

function makersOf(options: Options, cluster: Cluster | undefined): Maker[] {
  const both = options.embedded && options.postgres
  return [
    ...(options.embedded ? [openService(undefined, both)] : []),
    ...(options.postgres ? [openService(cluster, both)] : []),
    openFts5,
  ]
}

async function measureAll(collection: Collection, makers: Maker[], options: Options): Promise<CollectionResult> {
  const systems: CollectionResult['systems'] = []
  const drafts: Bound[] = []
  for (const make of makers) {
    const opened = await make(collection.entries)
    try {
      for (const system of opened.systems) {
        options.say(`${collection.name}: ${system.name} answers ${collection.questions.length} questions`)
        systems.push(await measure(system, collection))
        if (collection.name === basename(OWN)) drafts.push(...(await measureDrafts(system)))
      }
    } finally {
      await opened.close()
    }
  }
  return { name: collection.name, entries: collection.entries.length, systems, drafts }
}

/** The bounds of every path of the service that answered. */
function boundsOf(results: CollectionResult[]): { system: string; bounds: Bound[] }[] {
  const paths =
    results[0]?.systems.map(({ name }) => name).filter(name => /^(postgres )?(find|search)$/.test(name)) ?? []
  const drafts = results.flatMap(result => result.drafts)
  return [
    ...paths.map(system => ({ system, bounds: judge(system, results) })),
    ...(drafts.length === 0 ? [] : [{ system: 'similar', bounds: drafts }]),
  ]
}

/** Prints all tables. Resolves with whether all bounds are met. */
async function benchSearch(options: Options): Promise<boolean> {
  const collections = collectionsOf(options)
  const cluster = await openCluster(options)
  try {
    const makers = makersOf(options, cluster)
    const results: CollectionResult[] = []
    for (const collection of collections) {
      const result = await measureAll(collection, makers, options)
      results.push(result)
      if (options.json) continue
      process.stdout.write(`${figureTable(result)}\n\n${calibrationTable(result)}\n\n`)
      if (options.misses) process.stdout.write(`${missTable(result)}\n\n`)
    }
    const judged = boundsOf(results)
    if (options.json)
      process.stdout.write(`${JSON.stringify({ results: results.map(withoutAnswers), judged }, null, 1)}\n`)
    else for (const { system, bounds } of judged) process.stdout.write(`${system}\n${boundTable(bounds)}\n\n`)
    return judged.every(({ bounds }) => bounds.every(({ held }) => held !== false))
  } finally {
    await cluster?.close()
  }
}

const withoutAnswers = ({ systems, ...rest }: CollectionResult) => ({
  ...rest,
  systems: systems.map(({ asked: _, ...figures }) => figures),
})

/** Prints the times of searches in a store with `entries` entries. Resolves with whether all bounds are met. */
async function benchScale(entries: number, options: Options): Promise<boolean> {
  const { tables, bounds } = await measureScale(entries, options)
  if (options.json) process.stdout.write(`${JSON.stringify({ entries, bounds }, null, 1)}\n`)
  else process.stdout.write(`${[...tables, boundTable(bounds)].join('\n\n')}\n`)
  return bounds.every(({ held }) => held !== false)
}

const args = process.argv.slice(2)
try {
  if (args.includes('--help')) process.stdout.write(USAGE)
  else {
    const options = readOptions(args)
    const held = options.scale === undefined ? await benchSearch(options) : await benchScale(options.scale, options)
    if (!held) process.exitCode = 1
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
}
