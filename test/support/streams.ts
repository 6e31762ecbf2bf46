import assert from 'node:assert/strict'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Activity } from '../../src/contract/resources.ts'
import { eventually } from './process.ts'

export type Streamed = { id: string; event: string; data: Activity }
export type Stream = {
  status: number
  headers: IncomingMessage['headers']
  /** The events received so far. */
  events: Streamed[]
  /** The last id received, with or without an event. */
  lastId(): string
  /** The number of comment lines, which are heartbeats. */
  comments(): number
  /** Resolves with true if the answer ended properly, with false if it was cut. */
  ended: Promise<boolean>
  until(what: string, met: (events: Streamed[]) => boolean): Promise<void>
  /** Stops reading from the connection. */
  pause(): void
  resume(): void
  close(): void
}
export type StreamOptions = {
  after?: string
  lastEventId?: string
  from?: string
  method?: string
  /** Opens the stream of changes with this query instead of the stream of activity. */
  changes?: Record<string, string>
}

const PATIENCE = 60_000

/** Opens a stream of activity; `from` is the address that a proxy would forward. Resolves when the answer has begun. */
export function openStream(
  url: string,
  { after, lastEventId, from, method = 'GET', changes }: StreamOptions = {},
): Promise<Stream> {
  const address = new URL(changes === undefined ? '/api/activity/stream' : '/api/activity/changes/stream', url)
  for (const [name, value] of Object.entries({ ...changes, ...(after === undefined ? {} : { after }) }))
    address.searchParams.set(name, value)
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    ...(from === undefined ? {} : { 'x-forwarded-for': from }),
  }
  return new Promise((resolve, reject) => {
    const call = request(address, { method, headers, agent: false }, response => resolve(streamOf(call, response)))
    call.on('error', reject)
    call.end()
  })
}

/** Opens `count` streams at the same time. */
export const openStreams = (url: string, count: number, options: StreamOptions = {}): Promise<Stream[]> =>
  Promise.all(Array.from({ length: count }, () => openStream(url, options)))

function streamOf(call: ClientRequest, response: IncomingMessage): Stream {
  const events: Streamed[] = []
  let rest = ''
  let lastId = ''
  let comments = 0
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith(':')) comments += 1
      const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s, 2))) as Record<
        string,
        string
      >
      lastId = fields.id ?? lastId
      if (fields.data === undefined) continue
      events.push({ id: String(fields.id), event: String(fields.event), data: JSON.parse(fields.data) as Activity })
    }
  })
  response.on('error', () => {})
  call.on('error', () => {})
  const ended = new Promise<boolean>(resolve => response.once('close', () => resolve(response.complete)))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    lastId: () => lastId,
    comments: () => comments,
    ended,
    until: async (what, met) => {
      await eventually(what, PATIENCE, async () => (met(events) ? true : undefined)).catch(cause => {
        const state = response.closed ? (response.complete ? 'ended by the server' : 'cut') : 'open'
        const seen = `${events.length} events, the last id ${lastId}, ${comments} comments; the stream is ${state}`
        throw new Error(`${(cause as Error).message} ${seen}.`, { cause })
      })
    },
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => call.destroy(),
  }
}

/** Asserts that events are rows of the feed in its order, each once and with its own sequence as id. */
export function assertInOrder(events: readonly Streamed[]): void {
  let last = -1n
  for (const { id, event, data } of events) {
    assert.equal(event, 'activity')
    assert.equal(id, data.sequence)
    assert.ok(BigInt(id) > last, `${id} after ${last}`)
    last = BigInt(id)
  }
}
