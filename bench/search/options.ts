import { parseArgs } from 'node:util'

const ENGINES = ['embedded', 'postgres', 'both'] as const

export type Options = {
  embedded: boolean
  postgres: boolean
  /** A directory of further collections, each in a separate folder. */
  collections: string | undefined
  /** Names of collections to measure; all if it is empty. */
  only: string[]
  json: boolean
  /** Lists the questions whose exact entry is not among the first answers. */
  misses: boolean
  /** Number of entries of the store whose speed is measured instead of the quality. */
  scale: number | undefined
  /** A directory that retains the filled store of `scale` between runs. */
  work: string | undefined
  say(text: string): void
}

export const USAGE = `npm run bench:search -- [options]
  --engine E        embedded (by default), postgres or both
  --collections DIR measures the collections in the folders of DIR too: corpus*.jsonl, queries*.jsonl, qrels/*.tsv
  --only A,B        only these collections, by the names of their folders; the project's own sets are "judged" and "held-out"
  --misses          lists the questions whose exact entry is not among the first three answers
  --json            all figures as JSON on standard output
  --scale N         measures the time of searches in an embedded store of N entries (1000 to 1000000), not the quality
  --work DIR        keeps the store of --scale between runs
`

/** Parses the command line. Throws with one sentence that names the mistake. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      engine: { type: 'string', default: 'embedded' },
      collections: { type: 'string' },
      only: { type: 'string', default: '' },
      misses: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      scale: { type: 'string' },
      work: { type: 'string' },
    },
  })
  const engine = ENGINES.find(name => name === values.engine)
  if (engine === undefined) throw new Error(`--engine must be one of ${ENGINES.join(', ')}, not "${values.engine}".`)
  return {
    embedded: engine !== 'postgres',
    postgres: engine !== 'embedded',
    collections: values.collections,
    only: values.only === '' ? [] : values.only.split(','),
    json: values.json,
    misses: values.misses,
    scale: values.scale === undefined ? undefined : countOf(values.scale),
    work: values.work,
    say: text => process.stderr.write(`${text}\n`),
  }
}

function countOf(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1_000 || count > 1_000_000) {
    throw new Error(`--scale must be a whole number from 1000 to 1000000, not "${text}".`)
  }
  return count
}
