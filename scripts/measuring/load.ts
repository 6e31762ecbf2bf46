import type { ActorIssued, Entry } from '../../src/contract/resources.ts'
import { createCorpus } from './corpus.ts'
import type { Loaded, Order } from './loader.ts'
import { openRawClient, type RawClient } from './raw-client.ts'

/** A process that loads services as it is told by messages: creates entries, or reads those that it created. */
const ACTORS = 32
/** Slugs remembered for reading. */
const SLUGS = 20_000
const slugs: string[] = []
let number = 0

process.on('message', (order: Order) => {
  run(order).then(
    loaded => process.send?.({ loaded }),
    (error: Error) => process.send?.({ error: error.stack }),
  )
})

async function run({ kind, urls, connections, seconds, count, seed }: Order): Promise<Loaded> {
  const clients = Array.from({ length: connections }, (_, at) => openRawClient(urls[at % urls.length] ?? ''))
  const request = kind === 'create' ? await creating(clients, seed) : reading
  const times: number[] = []
  const began = performance.now()
  let sent = 0
  const open = (): boolean => (performance.now() - began) / 1_000 < seconds && sent < count
  await Promise.all(
    clients.map(async (client, at) => {
      while (open()) {
        sent += 1
        const start = performance.now()
        await request(client, at)
        times.push(performance.now() - start)
        if (times.length % 1_000 === 0) process.send?.({ progress: times.length })
      }
    }),
  )
  const took = (performance.now() - began) / 1_000
  for (const client of clients) client.close()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
  return { count: times.length, perSecond: times.length / took, p50: at(0.5), p99: at(0.99) }
}

type Request = (client: RawClient, at: number) => Promise<void>

async function creating(clients: RawClient[], seed: number): Promise<Request> {
  const textOf = createCorpus(seed)
  const tokens: string[] = []
  for (let actor = 0; actor < ACTORS; actor++) {
    const { body } = await (clients[0] as RawClient).send('POST', '/api/actors', '{}')
    tokens.push((JSON.parse(body) as ActorIssued).token)
  }
  return async (client, at) => {
    const text = JSON.stringify(textOf(number++))
    const { status, body } = await client.send('POST', '/api/entries', text, tokens[at % ACTORS])
    if (status !== 201) throw new Error(`A create was answered ${status}: ${body}`)
    if (slugs.length < SLUGS) slugs.push((JSON.parse(body) as Entry).slug)
  }
}

const reading: Request = async client => {
  const slug = slugs[Math.floor(Math.random() * slugs.length)]
  const { status, body } = await client.send('GET', `/api/entries/${slug}`)
  if (status !== 200) throw new Error(`A read was answered ${status}: ${body}`)
}
