import { createHash } from 'node:crypto'
import type { Text } from '../../corpus.ts'
import { loadFrom } from '../../install.ts'
import { pick, seeded } from '../../seeded.ts'
import type { Connection, ConnectOptions, Situation } from '../order.ts'

export type NostrTools = {
  getPublicKey(key: Uint8Array): string
  getEventHash(event: object): string
  finalizeEvent(template: object, key: Uint8Array): { id: string }
}
/** Long-form articles (NIP-23). */
const ARTICLE = 30_023
export const AUTHORS = 32
/** Number of entries that one connection replaces in turn: the first ones of its author. */
export const OWN = 8
/** Number of events that are signed before the measurement, because signing takes the load as long as verification takes the relay. */
const SIGNED = 100
const PAGE = 20

/** The secret keys of the authors, the same in each run. */
export const secretKeys = (): Uint8Array[] =>
  Array.from({ length: AUTHORS }, (_, n) => createHash('sha256').update(`author ${n}`).digest())

/** An entry as an unsigned event. `number` identifies it among the entries of its author. */
export const eventOf = ({ title, summary, content, tags }: Text, number: number, at: number) => ({
  kind: ARTICLE,
  created_at: at,
  tags: [['d', `e${number}`], ['title', title], ['summary', summary], ...tags.map(tag => ['t', tag])],
  content,
})

/** Uses NIP-01 and NIP-50 over a WebSocket. */
export async function connect(situation: Situation, options: ConnectOptions): Promise<Connection> {
  const { urls, addresses, words, installed = '' } = situation
  const { number, next, operation } = options
  const tools = loadFrom<NostrTools>(installed, 'nostr-tools/pure')
  const key = secretKeys()[number % AUTHORS] as Uint8Array
  const random = seeded(number)
  const socket = await openSocket(urls[0] as string)
  let turn = 0
  const now = Math.floor(Date.now() / 1_000)
  const sign = (replace: boolean): string => {
    turn++
    const of = replace ? number + AUTHORS * (turn % OWN) : `${now}-${number}-${turn}`
    const event = eventOf(next(), 0, now + turn)
    event.tags[0] = ['d', `e${of}`]
    return JSON.stringify(['EVENT', tools.finalizeEvent(event, key)])
  }
  const ready = 'WU'.includes(operation) ? Array.from({ length: SIGNED }, () => sign(operation === 'U')) : []
  const ask = async (filter: object, least: number): Promise<void> => {
    const subscription = `s${turn++}`
    const found = await socket.ask(JSON.stringify(['REQ', subscription, filter]), 'EOSE')
    socket.send(JSON.stringify(['CLOSE', subscription]))
    if (found < least) throw new Error(`${JSON.stringify(filter)} found ${found}.`)
  }
  const put = async (replace: boolean): Promise<void> => {
    await socket.ask(ready.pop() ?? sign(replace), 'OK')
  }
  return {
    R: () => ask({ ids: [pick(random, addresses)] }, 1),
    L: () => ask({ kinds: [ARTICLE], limit: PAGE }, PAGE),
    S: () => ask({ kinds: [ARTICLE], search: pick(random, words), limit: PAGE }, 0),
    W: () => put(false),
    U: () => put(true),
    close: socket.close,
  }
}

/** Sends one message at a time. Resolves with the number of events received before its end. */
async function openSocket(url: string) {
  const socket = new WebSocket(url)
  let events = 0
  let waiting: { end: string; resolve(events: number): void; reject(error: Error): void } | undefined
  socket.addEventListener('message', ({ data }: { data: string }) => {
    if (data.startsWith('["EVENT"')) {
      events++
      return
    }
    const [kind, , fine, reason] = JSON.parse(data) as [string, string, boolean, string]
    if (kind === 'OK' && !fine) waiting?.reject(new Error(`The relay refused an event: ${reason}`))
    else if (kind === waiting?.end) waiting.resolve(events)
    else if (kind === 'NOTICE' || kind === 'CLOSED') waiting?.reject(new Error(data))
  })
  socket.addEventListener('close', () => waiting?.reject(new Error('The relay closed the connection.')))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('The relay took no connection.')))
  })
  return {
    ask: (text: string, end: string) =>
      new Promise<number>((resolve, reject) => {
        events = 0
        waiting = { end, resolve, reject }
        socket.send(text)
      }),
    send: (text: string) => socket.send(text),
    close: () => socket.close(),
  }
}
