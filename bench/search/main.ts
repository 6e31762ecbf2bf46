import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Bound, judge } from './bounds.ts'
import { type Collection, foldersOf, readCollection } from './collection.ts'
import { measureDrafts } from './drafts.ts'
import { type CollectionResult, measure } from './measure.ts'
import { measureScale } from './scale.ts'
import { openSystems } from './systems.ts'
import { boundTable, figureTable } from './tables.ts'
import { withTypos } from './typos.ts'

const USAGE = `npm run bench:search -- [options]
  --collections DIR measures the collections in the folders of DIR too: corpus*.jsonl, queries*.jsonl, qrels/*.tsv
  --only A,B        only these collections, by the names of their folders; the project's own sets are "judged" and "held-out"
  --json            all figures as JSON on standard output
  --scale N         measures the time of searches in an embedded store of N entries (1000 to 1000000), not the quality
  --work DIR        where the store of --scale is kept between runs
`
const OWN = join(import.meta.dirname, 'judged')
/** Questions that were not used to set constants of the ranking, over the entries of both sets. */
const HELD_OUT = join(import.meta.dirname, 'held-out')

const { values } = parseArgs({
  options: {
    collections: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    scale: { type: 'string' },
    work: { type: 'string', default: join(tmpdir(), 'palimpsest-bench') },
    help: { type: 'boolean' },
  },
})

/**
 * The project's own sets first, then those under `--collections`. Adds questions with typing errors, and the foreign questions of the own
 * set.
 */
function collectionsOf(): Collection[] {
  const own = readCollection(OWN)
  const foreign = own.questions.filter(({ kind }) => kind === 'foreign')
  const folders = values.collections === undefined ? [] : foldersOf(values.collections)
  const others = [readCollection(HELD_OUT, [OWN]), ...folders.map(folder => readCollection(folder))].map(other => {
    const lent = other.questions.some(({ kind }) => kind === 'foreign') ? [] : foreign
    const typos = other.questions.some(({ kind }) => kind === 'typo') ? [] : withTypos(other.questions)
    return { ...other, questions: [...other.questions, ...typos, ...lent] }
  })
  const all = [own, ...others]
  const only = values.only?.split(',') ?? all.map(({ name }) => name)
  const unknown = only.find(name => !all.some(one => one.name === name))
  if (unknown !== undefined) {
    throw new Error(`--only: there is no collection "${unknown}"; there are ${all.map(({ name }) => name).join(', ')}.`)
  }
  return all.filter(({ name }) => only.includes(name))
}

type Judged = { system: string; bounds: Bound[] }

/** Measures the quality of searches. Prints the figures, and resolves with the bounds of each path of the service. */
async function benchSearch(): Promise<Judged[]> {
  const results: CollectionResult[] = []
  const drafts: Bound[] = []
  for (const collection of collectionsOf()) {
    const { systems, close } = await openSystems(collection.entries)
    const result: CollectionResult = { name: collection.name, entries: collection.entries.length, systems: [] }
    try {
      for (const system of systems) {
        process.stderr.write(`${collection.name}: ${system.name} answers ${collection.questions.length} questions\n`)
        result.systems.push(await measure(system, collection))
        if (collection.name === basename(OWN)) drafts.push(...(await measureDrafts(system)))
      }
    } finally {
      await close()
    }
    results.push(result)
    if (!values.json) process.stdout.write(`${figureTable(result)}\n\n`)
  }
  const judged = ['find', 'search'].map(system => ({ system, bounds: judge(system, results) }))
  if (drafts.length > 0) judged.push({ system: 'similar', bounds: drafts })
  const figures = results.map(({ systems, ...rest }) => ({
    ...rest,
    systems: systems.map(({ name, kinds }) => ({ name, kinds })),
  }))
  if (values.json) process.stdout.write(`${JSON.stringify({ results: figures, judged }, null, 1)}\n`)
  return judged
}

/** Measures the time of searches in a store with many entries. Prints the figures, and resolves with the bounds. */
async function benchScale(entries: number): Promise<Judged[]> {
  if (!Number.isInteger(entries) || entries < 1_000 || entries > 1_000_000) {
    throw new Error(`--scale must be a whole number from 1000 to 1000000, not "${values.scale}".`)
  }
  const { tables, bounds } = await measureScale(entries, values.work)
  if (values.json) process.stdout.write(`${JSON.stringify({ entries, bounds }, null, 1)}\n`)
  else process.stdout.write(`${tables.join('\n\n')}\n\n`)
  return [{ system: 'scale', bounds }]
}

try {
  if (values.help) process.stdout.write(USAGE)
  else {
    const judged = await (values.scale === undefined ? benchSearch() : benchScale(Number(values.scale)))
    if (!values.json)
      for (const { system, bounds } of judged) process.stdout.write(`${system}\n${boundTable(bounds)}\n\n`)
    if (judged.some(({ bounds }) => bounds.some(({ held }) => !held))) process.exitCode = 1
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
}
