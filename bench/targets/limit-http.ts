import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHttp, requestText } from '../load/http.ts'
import { startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'
import { addressesIn, atMost, keptData, startService } from './palimpsest.ts'

/** So many bodies are held: as many as do not fit into the caches of a processor, as with the service. */
const BODIES = 20_000
const LIST = '/api/entries'

/** Addresses, and bodies by path as the service answers them, kept in one file. */
export type Bodies = { addresses: string[]; bodies: Record<string, string> }

async function keptBodies(place: Place): Promise<string> {
  const path = join(place.kept, 'bodies.json')
  if (existsSync(path)) return path
  const dataDir = await keptData({ ...place, kept: join(place.kept, '../../palimpsest', String(place.entries)) })
  const addresses = atMost(addressesIn(dataDir), BODIES)
  const { url, server } = await startService({ DATA_DIR: dataDir }, undefined)
  const http = openHttp(url)
  const bodies: Record<string, string> = {}
  for (const one of [LIST, ...addresses.map(address => `${LIST}/${address}`)]) {
    bodies[one] = (await http.send(requestText('GET', one))).text()
  }
  http.close()
  await server.stop()
  writeFileSync(path, JSON.stringify({ addresses, bodies } satisfies Bodies))
  return path
}

/** The limit of R and L: nothing but node:http and a map, answering the bodies of the service. */
export const limitHttp: Target = {
  name: 'limit-http',
  operations: ['R', 'L'],
  most: 1_000_000,
  async prepare(place) {
    await keptBodies(place)
  },
  async start(place) {
    const path = await keptBodies(place)
    const { addresses } = JSON.parse(readFileSync(path, 'utf8')) as Bodies
    const server = startServer([process.execPath, join(import.meta.dirname, 'limit-http-server.ts'), path], {})
    const [, url = ''] = await server.until(/ready at (http:\S+)/)
    return {
      about: `plain node:http, the same bodies from memory`,
      pids: [server.pid],
      situation: { driver: 'palimpsest', urls: [url], addresses, words: [], tokens: [''] },
      stop: () => server.stop(),
    }
  },
}
