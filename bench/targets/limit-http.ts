import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openHttp, requestText } from '../load/http.ts'
import { startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'
import { addressesIn, keptData, startService } from './palimpsest.ts'

const LIST = '/api/entries'

/** Header fields that node:http sends by default. */
const BY_ITSELF = ['date', 'connection', 'keep-alive']

/** Addresses, and the answer of the service for each path: its fields as alternating names and values, and its body. Stored in one file. */
export type Answers = { addresses: string[]; answers: Record<string, { fields: string[]; body: string }> }

async function keptAnswers(place: Place): Promise<string> {
  const path = join(place.kept, '../../limit-http', String(place.entries), 'answers.json')
  if (existsSync(path)) return path
  const dataDir = await keptData({ ...place, kept: join(place.kept, '../../palimpsest', String(place.entries)) })
  const addresses = addressesIn(dataDir)
  const { url, server } = await startService({ DATA_DIR: dataDir }, undefined)
  const http = openHttp(url)
  const answers: Answers['answers'] = {}
  for (const one of [LIST, ...addresses.map(address => `${LIST}/${address}`)]) {
    const answer = await http.send(requestText('GET', one))
    const fields = answer.fields.filter(([name]) => !BY_ITSELF.includes(name.toLowerCase())).flat()
    answers[one] = { fields, body: answer.text() }
  }
  http.close()
  await server.stop()
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ addresses, answers } satisfies Answers))
  return path
}

/** The limit of R and L: node:http and a map of the service's answers to the requested addresses, or only of their bodies. */
const limit = (name: string, whole: boolean, about: string): Target => ({
  name,
  operations: ['R', 'L'],
  most: 1_000_000,
  async prepare(place) {
    await keptAnswers(place)
  },
  async start(place) {
    const path = await keptAnswers(place)
    const { addresses } = JSON.parse(readFileSync(path, 'utf8')) as Answers
    const script = join(import.meta.dirname, 'limit-http-server.ts')
    const server = startServer([process.execPath, script, path, whole ? 'whole' : 'bodies'], {})
    const [, url = ''] = await server.until(/ready at (http:\S+)/)
    return {
      about: `plain node:http, ${about} from memory`,
      pids: [server.pid],
      situation: { driver: 'palimpsest', urls: [url], addresses, words: [], tokens: [''] },
      stop: () => server.stop(),
    }
  },
})

export const limitHttp = limit('limit-http', true, 'the same bytes, fields and body,')
export const limitHttpBodies = limit('limit-http-bodies', false, 'the same bodies with their type and length alone')
