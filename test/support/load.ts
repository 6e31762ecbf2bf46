import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { ActorIssued, Entry } from '../../src/contract/resources.ts'
import { eventually } from './process.ts'

export type Answered = { status: number; headers: NodeJS.Dict<string | string[]>; text: string }

/** A client with its own persistent connections. A request rejects if its answer is incomplete. */
export function createClient(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'lifo' })
  const { hostname, port } = new URL(url)
  return {
    send(method: string, path: string, body?: unknown, token?: string): Promise<Answered> {
      const text = body === undefined ? undefined : JSON.stringify(body)
      return new Promise((resolve, reject) => {
        const headers = {
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...(token === undefined ? {} : { 'x-actor-token': token }),
        }
        const sent = request({ agent, hostname, port, method, path, headers }, response => {
          let answer = ''
          response.setEncoding('utf8')
          response.on('data', chunk => {
            answer += chunk
          })
          response.on('error', reject)
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer }),
          )
        })
        sent.on('error', reject)
        sent.end(text)
      })
    },
    close: () => agent.destroy(),
  }
}
/** A writer sends a stale revision in every seventh turn, so that about every twentieth command fails. */
const STALE_EVERY = 7

export type Client = ReturnType<typeof createClient>

/** Repeats a request as long as it is refused temporarily. */
export async function sendPatiently(client: Client, ...request: Parameters<Client['send']>): Promise<Answered> {
  for (;;) {
    const answer = await client.send(...request)
    if (answer.status !== 503) return answer
    await setTimeout(Number(answer.headers['retry-after']) * 1_000)
  }
}

export async function issueToken(client: Client): Promise<string> {
  const answer = await sendPatiently(client, 'POST', '/api/actors', {})
  if (answer.status !== 201) throw new Error(`No actor: ${answer.status} ${answer.text}`)
  return (JSON.parse(answer.text) as ActorIssued).token
}

/** A sent write. `mark` is in its text and in no other; `status` is undefined if no complete answer arrived. */
export type Sent = {
  kind: 'create' | 'revise' | 'stale' | 'verify'
  mark: string
  sentAt: number
  answeredAt?: number
  status?: number
  id?: string
  error?: string
  /** True if the service answered that it does not know whether the write is stored. */
  unknown?: true
}

/**
 * Starts writers that each create, revise and verify entries as fast as they are answered, until `stop` or the end of the service. Some
 * revisions are stale on purpose. Writers pause for `pause` milliseconds before each entry. `sent` contains every write, with the id of a
 * 201.
 */
export function startWriters(url: string, count: number, label: string, pause = 0) {
  const client = createClient(url, count)
  const sent: Sent[] = []
  let stopping = false

  const post = async (kind: Sent['kind'], mark: string, path: string, body: object, token: string) => {
    const one: Sent = { kind, mark, sentAt: performance.now() }
    sent.push(one)
    const answer = await client.send('POST', path, body, token).catch((error: NodeJS.ErrnoException) => {
      one.error = error.code ?? error.message
      return undefined
    })
    if (answer === undefined) return undefined
    one.status = answer.status
    one.answeredAt = performance.now()
    if (answer.text.includes('"OUTCOME_UNKNOWN"')) one.unknown = true
    if (answer.status !== 201) return undefined
    const made = JSON.parse(answer.text) as Entry
    one.id = kind === 'verify' ? made.id : made.currentRevisionId
    return made
  }
  const writer = async (number: number): Promise<void> => {
    const token = await issueToken(client).catch(() => undefined)
    for (let turn = 0; token !== undefined && !stopping; turn++) {
      if (pause > 0) await setTimeout(pause)
      const mark = (kind: string): string => `${label}-${number}-${turn}-${kind}`
      const text = { title: 'A note', summary: 'A summary', content: mark('create') }
      const entry = await post('create', mark('create'), '/api/entries', text, token)
      if (entry === undefined) {
        if (sent.at(-1)?.error !== undefined || stopping) return
        continue
      }
      const at = `/api/entries/${entry.id}`
      const revision = {
        ...text,
        content: mark('revise'),
        previousRevisionId: entry.currentRevisionId,
        changeType: 'EXPAND',
        rationale: 'More.',
      }
      const revised = await post('revise', mark('revise'), `${at}/revisions`, revision, token)
      // If the connection closed before the answer to a revision arrived, the next revision may be the first one.
      if (revised !== undefined && turn % STALE_EVERY === 0) {
        await post('stale', mark('stale'), `${at}/revisions`, { ...revision, content: mark('stale') }, token)
      }
      const judgement = {
        revisionId: entry.currentRevisionId,
        result: 'SUPPORTED',
        confidence: 1,
        rationale: mark('verify'),
      }
      await post('verify', mark('verify'), `${at}/verify`, judgement, token)
    }
  }
  const done = Promise.all(Array.from({ length: count }, (_, number) => writer(number)))
  return {
    sent,
    acknowledged: () => sent.filter(({ status }) => status === 201),
    /** Resolves when every writer has ended, after `stop` or with the end of the service. */
    async stop(): Promise<void> {
      stopping = true
      await done
      client.close()
    },
  }
}

/** Resolves when more than `writes` writes of the writers were acknowledged. */
export const underWay = (writers: { acknowledged(): readonly Sent[] }, writes: number): Promise<true> =>
  eventually('writes are under way', 100_000, async () => writers.acknowledged().length > writes || undefined)
