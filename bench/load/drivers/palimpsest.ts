import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../../../src/contract/resources.ts'
import { pick, seeded } from '../../numbers.ts'
import { type Answer, openHttp, requestText } from '../http.ts'
import type { Connection, ConnectOptions, Situation } from '../order.ts'

/** A service that has too much to do refuses a request at once. It is sent again, and counts once. */
const OVERLOADED = 503
const RETRIES = 100
const RETRY_MS = 100

/** Number of entries that one connection alone revises in turn. */
const OWN = 8

/** Uses the interface of this project. The limit servers support its R, L and GET. */
export async function connect(situation: Situation, options: ConnectOptions): Promise<Connection> {
  const { urls, addresses, words = [], tokens = [''], fields, status = 200 } = situation
  const { number, next, operation } = options
  const http = openHttp(urls[number % urls.length] as string)
  const random = seeded(number)
  const token = `x-actor-token: ${tokens[number % tokens.length]}\r\n`
  const ask = async (status: number, text: string): Promise<Answer> => {
    let answer = await http.send(text)
    for (let time = 0; answer.status === OVERLOADED && time < RETRIES; time++) {
      await setTimeout(RETRY_MS)
      answer = await http.send(text)
    }
    if (answer.status === status) return answer
    throw new Error(`${text.slice(0, text.indexOf('\r\n'))} was answered ${answer.status}: ${answer.text()}`)
  }
  const get = async (path: string): Promise<void> => {
    await ask(200, requestText('GET', path))
  }
  let asked = number
  let turn = 0
  const own = operation === 'U' ? await ownEntries(path => ask(200, requestText('GET', path)), addresses, number) : []
  const list = requestText('GET', '/api/entries')
  return {
    R: () => get(`/api/entries/${pick(random, addresses)}`),
    L: async () => {
      await ask(200, list)
    },
    S: () => get(`/api/search?q=${encodeURIComponent(pick(random, words))}`),
    async GET() {
      await ask(status, requestText('GET', addresses[asked++ % addresses.length] as string, fields))
    },
    async W() {
      await ask(201, requestText('POST', '/api/entries', token, JSON.stringify(next())))
    },
    async U() {
      const at = turn++ % own.length
      const { slug, currentRevisionId } = own[at] as Entry
      const { tags: _, ...text } = next()
      const revision = { ...text, previousRevisionId: currentRevisionId, changeType: 'EXPAND', rationale: 'Measured.' }
      const path = `/api/entries/${slug}/revisions`
      own[at] = JSON.parse((await ask(201, requestText('POST', path, token, JSON.stringify(revision)))).text())
    },
    close: http.close,
  }
}

async function ownEntries(
  get: (path: string) => Promise<Answer>,
  addresses: string[],
  number: number,
): Promise<Entry[]> {
  const own: Entry[] = []
  for (let at = 0; at < OWN; at++) {
    const address = addresses[number * OWN + at]
    if (address === undefined) throw new Error('There are too few entries for so many connections.')
    own.push(JSON.parse((await get(`/api/entries/${address}`)).text()))
  }
  return own
}
