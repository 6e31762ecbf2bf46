import type { Text } from '../../corpus.ts'
import { pick, seeded } from '../../seeded.ts'
import { openHttp, requestText } from '../http.ts'
import type { Connection, ConnectOptions, Situation } from '../order.ts'

export const COLLECTION = 'org.example.entry'
/** Number of records that one connection revises in turn. */
const OWN = 8

export const recordOf = (text: Text) => ({ $type: COLLECTION, ...text, createdAt: '2026-01-01T00:00:00.000Z' })

/** Uses XRPC. The n-th connection writes as the n-th account, which owns every k-th address for k accounts. */
export async function connect(situation: Situation, options: ConnectOptions): Promise<Connection> {
  const { urls, addresses, tokens } = situation
  const { number, next, operation } = options
  const http = openHttp(urls[0] as string)
  const random = seeded(number)
  const account = number % tokens.length
  const [did = '', token = ''] = (tokens[account] as string).split(' ')
  const ask = async (text: string): Promise<{ cid: string }> => {
    const answer = await http.send(text)
    if (answer.status === 200) return JSON.parse(answer.text())
    throw new Error(`${text.slice(0, text.indexOf('\r\n'))} was answered ${answer.status}: ${answer.text()}`)
  }
  const get = (method: string, query: string) =>
    ask(requestText('GET', `/xrpc/com.atproto.repo.${method}?collection=${COLLECTION}&${query}`))
  const post = (method: string, body: object) =>
    ask(
      requestText(
        'POST',
        `/xrpc/com.atproto.repo.${method}`,
        `authorization: Bearer ${token}\r\n`,
        JSON.stringify({ repo: did, collection: COLLECTION, validate: false, ...body }),
      ),
    )
  const read = (address: string) => {
    const [repo, rkey] = address.split('/')
    return get('getRecord', `repo=${repo}&rkey=${rkey}`)
  }
  const own: { rkey: string; cid: string }[] = []
  for (let at = 0; operation === 'U' && at < OWN; at++) {
    const address = addresses[account + at * tokens.length]
    if (address === undefined) throw new Error('There are too few entries for so many connections.')
    own.push({ rkey: address.split('/')[1] ?? '', cid: (await read(address)).cid })
  }
  let turn = 0
  return {
    async R() {
      await read(pick(random, addresses))
    },
    async L() {
      await get(
        'listRecords',
        `repo=${(tokens[Math.floor(random() * tokens.length)] as string).split(' ')[0]}&limit=20`,
      )
    },
    async W() {
      await post('createRecord', { record: recordOf(next()) })
    },
    async U() {
      const base = own[turn++ % OWN] as (typeof own)[number]
      const { cid } = await post('putRecord', { rkey: base.rkey, record: recordOf(next()), swapRecord: base.cid })
      base.cid = cid
    },
    close: http.close,
  }
}
