import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../processes.ts'
import { filled, type Store, type Target } from '../target.ts'
import { addressesIn, keptData, startService } from './palimpsest.ts'

const LIST = '/api/entries'
const FILE = 'answers.json'

/** Header fields that node:http sends by default. */
const BY_ITSELF = ['date', 'connection', 'keep-alive']

/** Addresses, and the answer of the service for each path: its fields as alternating names and values, and its body. */
export type Answers = { addresses: string[]; answers: Record<string, { fields: string[]; body: string }> }

const STORE: Store = {
  name: 'limit-http',
  async fill(directory, place) {
    const dataDir = await keptData(place)
    const addresses = addressesIn(dataDir)
    const { url, server } = await startService({ DATA_DIR: dataDir }, undefined)
    const answers: Answers['answers'] = {}
    for (const path of [LIST, ...addresses.map(address => `${LIST}/${address}`)]) {
      const answer = await fetch(url + path, { headers: { 'accept-encoding': 'identity' } })
      const fields = [...answer.headers].filter(([name]) => !BY_ITSELF.includes(name)).flat()
      answers[path] = { fields, body: await answer.text() }
    }
    await server.stop()
    writeFileSync(join(directory, FILE), JSON.stringify({ addresses, answers } satisfies Answers))
  },
}

/** The limit of R and L: node:http and a map of the service's answers to the requested addresses, or only of their bodies. */
const limit = (name: string, whole: boolean, about: string): Target => ({
  name,
  operations: ['R', 'L'],
  most: 1_000_000,
  async start(place) {
    const path = join(await filled(place, STORE), FILE)
    const { addresses } = JSON.parse(readFileSync(path, 'utf8')) as Answers
    const script = join(import.meta.dirname, 'limit-http-server.ts')
    const server = startServer([process.execPath, script, path, whole ? 'whole' : 'bodies'], {})
    const [, url = ''] = await server.until(/ready at (http:\S+)/)
    return {
      about: `plain node:http, ${about} from memory`,
      pids: [server.pid],
      situation: { driver: 'palimpsest', urls: [url], addresses },
      stop: () => server.stop(),
    }
  },
})

export const limitHttp = limit('limit-http', true, 'the same bytes, fields and body,')
export const limitHttpBodies = limit('limit-http-bodies', false, 'the same bodies with their type and length alone')
