import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { hasWordnet } from './wordnet.ts'

/**
 * Loads all of WordNet as `palimpsest import` does and times searches over it through HTTP.
 * Prints the rate of the import, what lies on the disk, and the median and slowest of each search.
 */
const RUNS = 30
const ROOT = join(import.meta.dirname, '..')
const WORDS: Record<string, string> = {
  rare: 'zymurgy',
  middling: 'water',
  'very common': 'the',
  'in every entry of a kind': 'noun',
  prefix: 'con',
  phrase: '"of the"',
  'eight common words': 'the of a in to and or with',
  hostile: `"${'a '.repeat(90)}"`,
}
const SORTS = ['recent', 'evolution', 'relevance']

const say = (text: string): boolean => process.stdout.write(`${text}\n`)

/** Runs a program to its end; what it writes goes where ours goes, or into a file. */
async function run(args: string[], into?: string): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', into === undefined ? 'inherit' : 'pipe', 'inherit'],
  })
  if (into !== undefined) child.stdout?.pipe(createWriteStream(into))
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.`)
}

async function sizes(directory: string): Promise<string> {
  const rows = await Promise.all(
    (await readdir(directory)).map(
      async name => `${name} ${((await stat(join(directory, name))).size / 1e6).toFixed(1)} MB`,
    ),
  )
  return rows.filter(row => !row.endsWith(' 0.0 MB')).join(', ')
}

async function timeSearches(url: string): Promise<void> {
  say('search | sort | found on the page | median ms | slowest ms')
  for (const [kind, q] of Object.entries(WORDS)) {
    for (const sort of SORTS) {
      const times: number[] = []
      let found = 0
      for (let n = 0; n < RUNS; n++) {
        const began = performance.now()
        const answer = await fetch(`${url}/api/search?q=${encodeURIComponent(q.trim())}&sort=${sort}`)
        found = ((await answer.json()) as { items: unknown[] }).items.length
        times.push(performance.now() - began)
      }
      times.sort((a, b) => a - b)
      say(`${kind} | ${sort} | ${found} | ${times[RUNS / 2]?.toFixed(1)} | ${times.at(-1)?.toFixed(1)}`)
    }
  }
}

if (!hasWordnet()) {
  process.stderr.write("WordNet is not here: install Debian's wordnet-base.\n")
  process.exit(1)
}
const directory = await mkdtemp(join(tmpdir(), 'palimpsest-measure-'))
try {
  const lines = join(directory, 'wordnet.ndjson')
  const dataDir = join(directory, 'data')
  await run(['scripts/wordnet-to-ndjson.ts'], lines)
  await run(['bin/palimpsest.js', 'import', '--from', lines, '--data-dir', dataDir])
  const logger = pino({ level: 'error' }, pino.destination(2))
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, READ_LIMIT_PER_MINUTE: '1000000' })
  const began = performance.now()
  const app = await openApp(config, { logger })
  say(`ready after ${Math.round(performance.now() - began)} ms`)
  let indexed = await fetch(`${app.url}/api/search?q=entity`)
  while (!indexed.ok) indexed = await fetch(`${app.url}/api/search?q=entity`)
  say(`search index made from nothing after ${Math.round(performance.now() - began)} ms`)
  await timeSearches(app.url)
  await app.close()
  say(`on disk: ${await sizes(dataDir)}`)
} finally {
  await rm(directory, { recursive: true, force: true })
}
