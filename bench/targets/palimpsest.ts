import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ActorIssued } from '../../src/contract/resources.ts'
import { indexFile, storeFile } from '../../src/stores/embedded/directory.ts'
import { openHttp, requestText } from '../load/http.ts'
import { startLoader } from '../load/loader.ts'
import type { Situation } from '../load/order.ts'
import { bytesUnder, CORES, type Server, startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'

/** The checkout that contains this file. */
export const HERE = join(import.meta.dirname, '../..')
/** The flags of `npm start`. */
const FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1024']
const ARENAS = { MALLOC_ARENA_MAX: '2' }
const ACTORS = 32
const FILLING = 64
/** Number of entries that are read, evenly spread. A small part of a shared memory receives most reads. */
const ADDRESSES = 1_000
const NO_END = 1_000_000

/** The settings of production, except for limits that are too high to reach. */
const SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  COOLDOWN_SECONDS: '0',
  READ_LIMIT_PER_MINUTE: '1000000000',
  WRITE_LIMIT_PER_MINUTE: '1000000000',
}

export type Service = { url: string; server: Server; readyAfter: number }

/** Starts the service of a checkout with these additional settings, or another command that serves. Resolves once it is ready. */
export async function startService(
  settings: Record<string, string>,
  cores = CORES.server,
  checkout = HERE,
  command = ['serve'],
): Promise<Service> {
  const began = performance.now()
  const env = { PATH: process.env.PATH, ...ARENAS, ...SETTINGS, ...settings }
  const server = startServer(
    [process.execPath, ...FLAGS, join(checkout, 'bin/palimpsest.js'), ...command],
    { env },
    cores,
  )
  const [, url = ''] = await server.until(/ready at (http:\S+)/)
  return { url, server, readyAfter: performance.now() - began }
}

/** The situation of services that share one store. The first service creates the actors. */
export async function situationOf(urls: string[], addresses: string[], words: string[]): Promise<Situation> {
  const http = openHttp(urls[0] as string)
  const tokens: string[] = []
  for (let actor = 0; actor < ACTORS; actor++) {
    const answer = await http.send(requestText('POST', '/api/actors', '', '{}'))
    if (answer.status !== 201) throw new Error(`No actor: ${answer.status} ${answer.text()}`)
    tokens.push((JSON.parse(answer.text()) as ActorIssued).token)
  }
  http.close()
  return { driver: 'palimpsest', urls, addresses, words, tokens }
}

/** Fills an empty service through its own interface, and waits until its search index is complete. */
export async function fillService(url: string, { entries, say }: Place): Promise<void> {
  const loader = startLoader(undefined)
  try {
    const situation = await situationOf([url], [], [])
    const shown = Math.max(10_000, entries / 10)
    const order = { situation, operation: 'W', connections: FILLING, seconds: NO_END, count: entries, from: 0 } as const
    await loader.run(order, count => {
      if (count % shown === 0) say(`${count} of ${entries} entries`)
    })
  } finally {
    loader.close()
  }
  await untilIndexed(url)
}

/** Resolves once the search index has every commit. Until then, a search is refused or waits. */
export async function untilIndexed(url: string): Promise<void> {
  const http = openHttp(url)
  while ((await http.send(requestText('GET', '/api/search?q=entity'))).status !== 200);
  http.close()
}

/** Selects at most `most` evenly spread elements of a list. */
export const atMost = <T>(list: T[], most: number): T[] => {
  const step = Math.ceil(list.length / most)
  return list.filter((_, at) => at % step === 0)
}

/** The addresses of entries in the store of a directory, up to a maximum number. */
export function addressesIn(dataDir: string, most = ADDRESSES): string[] {
  const database = new DatabaseSync(storeFile(dataDir), { readOnly: true })
  const rows = database.prepare('SELECT slug FROM entry ORDER BY number').all() as { slug: string }[]
  database.close()
  return atMost(rows, most).map(({ slug }) => slug)
}

/** Makes a filled data directory unless it exists. Returns its path. */
export async function keptData(place: Place, checkout = HERE): Promise<string> {
  const data = join(place.kept, 'data')
  const done = join(place.kept, 'done')
  if (existsSync(done)) return data
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  const { url, server } = await startService({ DATA_DIR: data }, undefined, checkout)
  try {
    await fillService(url, place)
  } finally {
    await server.stop()
  }
  for (const file of [storeFile(data), indexFile(data)]) {
    const database = new DatabaseSync(file)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
  }
  writeFileSync(done, '')
  return data
}

/** The service of a checkout, on its embedded store. */
export const onEmbedded = (name: string, checkout = HERE): Target => ({
  name,
  operations: ['R', 'L', 'S', 'W', 'U', 'M'],
  most: 1_000_000,
  async prepare(place) {
    await keptData(place, checkout)
  },
  async start(place) {
    const kept = await keptData(place, checkout)
    const dataDir = join(place.scratch, 'data')
    cpSync(kept, dataDir, { recursive: true })
    const bytes = bytesUnder(dataDir)
    const { url, server } = await startService({ DATA_DIR: dataDir }, CORES.server, checkout)
    return {
      about: `the service${checkout === HERE ? '' : ` of ${checkout}`}, embedded store, everything switched on`,
      pids: [server.pid],
      situation: await situationOf([url], addressesIn(dataDir), place.words),
      settle: () => untilIndexed(url),
      stop: () => server.stop(),
      bytes: () => bytes,
    }
  },
})

/** The service of this checkout, on its embedded store. */
export const palimpsest = onEmbedded('palimpsest')
