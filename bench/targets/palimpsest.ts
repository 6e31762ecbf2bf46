import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { ActorIssued } from '../../src/contract/resources.ts'
import { indexFile, storeFile } from '../../src/stores/embedded/directory.ts'
import { Loader } from '../load/loader.ts'
import type { Situation } from '../load/order.ts'
import { bytesUnder, CORES, type Server, startServer } from '../processes.ts'
import { filled, type Place, type Store, type Target } from '../target.ts'

/** The checkout that contains this file. */
export const HERE = join(import.meta.dirname, '../..')
/** The flags of `npm start`. */
const FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1024']
const ARENAS = { MALLOC_ARENA_MAX: '2' }
const ACTORS = 32
const FILLING = 64
/** Number of entries that are read. */
const ADDRESSES = 1_000
/** Milliseconds between two checks of the search index. */
const LOOK = 5

/** The settings of production, except for limits that are too high to reach. */
const SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  COOLDOWN_SECONDS: '0',
  READ_LIMIT_PER_MINUTE: '1000000000',
  WRITE_LIMIT_PER_MINUTE: '1000000000',
}

export type Service = { url: string; server: Server; readyAfter: number }

/** Starts the service of a checkout with these additional settings. Resolves once it is ready, with the milliseconds that this took. */
export async function startService(
  settings: Record<string, string>,
  cores = CORES.server,
  checkout = HERE,
): Promise<Service> {
  const began = performance.now()
  const env = { PATH: process.env.PATH, ...ARENAS, ...SETTINGS, ...settings }
  const program = [process.execPath, ...FLAGS, join(checkout, 'bin/palimpsest.js'), 'serve']
  const server = startServer(program, { env }, cores)
  const [, url = ''] = await server.until(/ready at (http:\S+)/)
  return { url, server, readyAfter: performance.now() - began }
}

/** The situation of services that share one store. The first service creates the actors. */
export async function situationOf(urls: string[], addresses: string[], words: string[] = []): Promise<Situation> {
  const tokens: string[] = []
  for (let actor = 0; actor < ACTORS; actor++) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${urls[0]}/api/actors`, { method: 'POST', headers, body: '{}' })
    if (!answer.ok) throw new Error(`No actor: ${answer.status} ${await answer.text()}`)
    tokens.push(((await answer.json()) as ActorIssued).token)
  }
  return { driver: 'palimpsest', urls, addresses, words, tokens }
}

/** Fills an empty service through its own interface, and waits until its search index is complete. Ends the service. */
export async function fillService({ url, server }: Service, { entries, say }: Place): Promise<void> {
  const loader = new Loader(undefined)
  try {
    const situation = await situationOf([url], [])
    const shown = Math.max(10_000, entries / 10)
    await loader.run({ situation, operation: 'W', connections: FILLING, count: entries }, count => {
      if (count % shown === 0) say(`${count} of ${entries} entries`)
    })
    await untilIndexed(url)
  } finally {
    loader.close()
    await server.stop()
  }
}

/** Resolves once the search index has every commit. Until then, a search is refused or waits. */
export async function untilIndexed(url: string): Promise<void> {
  while (!(await fetch(`${url}/api/search?q=entity`)).ok) await setTimeout(LOOK)
}

/** Selects at most `most` evenly spread elements of a list. A small part of a shared memory receives most reads. */
export const atMost = <T>(list: T[], most = ADDRESSES): T[] => {
  const step = Math.ceil(list.length / most)
  return list.filter((_, at) => at % step === 0)
}

/** The addresses of entries in the store of a directory, evenly spread. */
export function addressesIn(dataDir: string): string[] {
  const database = new DatabaseSync(storeFile(dataDir), { readOnly: true })
  const rows = database.prepare('SELECT slug FROM entry ORDER BY number').all() as { slug: string }[]
  database.close()
  return atMost(rows).map(({ slug }) => slug)
}

const storeOf = (name: string, checkout: string): Store => ({
  name,
  async fill(directory, place) {
    const data = join(directory, 'data')
    await fillService(await startService({ DATA_DIR: data }, undefined, checkout), place)
    for (const file of [storeFile(data), indexFile(data)]) {
      const database = new DatabaseSync(file)
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    }
  },
})

/** The service of a checkout, on its embedded store. */
export function onEmbedded(name: string, checkout = HERE): Target & { dataFor(place: Place): Promise<string> } {
  const store = storeOf(name, checkout)
  const dataFor = async (place: Place): Promise<string> => join(await filled(place, store), 'data')
  return {
    name,
    operations: ['R', 'L', 'S', 'W', 'U', 'M'],
    most: 1_000_000,
    dataFor,
    async start(place) {
      const dataDir = join(place.scratch, 'data')
      cpSync(await dataFor(place), dataDir, { recursive: true })
      const bytes = bytesUnder(dataDir)
      const { url, server } = await startService({ DATA_DIR: dataDir }, CORES.server, checkout)
      return {
        about: `the service${checkout === HERE ? '' : ` of ${checkout}`}, embedded store, everything switched on`,
        pids: [server.pid],
        situation: await situationOf([url], addressesIn(dataDir), place.words),
        settle: () => untilIndexed(url),
        stop: () => server.stop(),
        bytes,
      }
    },
  }
}

/** The service of this checkout, on its embedded store. */
export const palimpsest = onEmbedded('palimpsest')

/** A filled data directory of this checkout. */
export const keptData = palimpsest.dataFor
