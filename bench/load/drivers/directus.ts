import type { Text } from '../../corpus.ts'
import { pick, seeded } from '../../seeded.ts'
import { openHttp, requestText } from '../http.ts'
import type { Connection, ConnectOptions, Situation } from '../order.ts'

/** Number of items that one connection revises in turn. */
const OWN = 8

export const itemOf = ({ title, summary, content, tags }: Text) => ({ title, summary, content, tags })

/** Uses the REST interface of items. A change does not name the version that it is based on: a revision is a PATCH of the item. */
export async function connect(situation: Situation, { number, next }: ConnectOptions): Promise<Connection> {
  const { urls, addresses, words, tokens } = situation
  const http = openHttp(urls[0] as string)
  const random = seeded(number)
  const fields = `authorization: Bearer ${tokens[0]}\r\n`
  const ask = async (method: string, path: string, body?: object): Promise<void> => {
    const text = requestText(
      method,
      `/items/entries${path}`,
      fields,
      body === undefined ? undefined : JSON.stringify(body),
    )
    const answer = await http.send(text)
    if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text()}`)
  }
  let turn = 0
  return {
    R: () => ask('GET', `/${pick(random, addresses)}`),
    L: () => ask('GET', '?sort=-id&limit=20'),
    S: () => ask('GET', `?search=${pick(random, words)}&sort=-id&limit=20`),
    W: () => ask('POST', '', itemOf(next())),
    U: () => ask('PATCH', `/${addresses[number * OWN + (turn++ % OWN)]}`, itemOf(next())),
    close: http.close,
  }
}
