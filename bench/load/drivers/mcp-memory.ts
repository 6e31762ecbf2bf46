import { once } from 'node:events'
import { connect as open, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Text } from '../../corpus.ts'
import { pick, seeded } from '../../numbers.ts'
import type { Connection, ConnectOptions, Situation } from '../order.ts'

type Answer = { id: number; result?: { isError?: boolean; content?: unknown }; error?: unknown }
type Pipe = { call(name: string, input: object): Promise<void>; close(): void }

export const entityOf = ({ title, summary, content, tags }: Text, name: string) => ({
  name,
  entityType: tags[0] ?? 'entry',
  observations: [title, summary, content],
})

let pipe: Promise<Pipe> | undefined
let users = 0

/** All connections share the one pipe of such a server. Many requests are in progress on it at the same time. */
async function openPipe(url: string): Promise<Pipe> {
  const { hostname, port } = new URL(url)
  const socket: Socket = open(Number(port), hostname)
  await once(socket, 'connect')
  const waiting = new Map<number, (answer: Answer) => void>()
  let id = 0
  createInterface({ input: socket }).on('line', line => {
    const answer = JSON.parse(line) as Answer
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  const send = (method: string, params: object): Promise<Answer> =>
    new Promise(resolve => {
      waiting.set(++id, resolve)
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  await send('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  socket.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return {
    async call(name, input) {
      const answer = await send('tools/call', { name, arguments: input })
      if (answer.error === undefined && answer.result?.isError !== true) return
      throw new Error(`${name} was answered ${JSON.stringify(answer).slice(0, 500)}`)
    },
    close: () => socket.destroy(),
  }
}

export async function connect(situation: Situation, { number, next }: ConnectOptions): Promise<Connection> {
  const { urls, addresses, words = [] } = situation
  pipe ??= openPipe(urls[0] as string)
  users++
  const { call, close } = await pipe
  const random = seeded(number)
  const mark = `${Date.now()}-${number}`
  let turn = 0
  return {
    R: () => call('open_nodes', { names: [pick(random, addresses)] }),
    S: () => call('search_nodes', { query: pick(random, words) }),
    W: () => call('create_entities', { entities: [entityOf(next(), `${mark}-${turn++}`)] }),
    U: () =>
      call('add_observations', {
        observations: [{ entityName: pick(random, addresses), contents: [`${next().content} ${mark} ${turn++}`] }],
      }),
    close() {
      if (--users > 0) return
      pipe = undefined
      close()
    },
  }
}
