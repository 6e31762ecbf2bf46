import { Agent, request } from 'node:http'
import type { Answer } from '../support/client.ts'

export type Sending = {
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is. */
  raw?: string | Uint8Array
  /** Sent chunked, one chunk each, without Content-Length. */
  chunks?: readonly (string | Uint8Array)[]
  /** Instead of application/json; null sends none. */
  type?: string | null
  token?: string | undefined
  bearer?: string | undefined
  headers?: Record<string, string>
}

export type Wire = {
  send(method: string, path: string, sending?: Sending): Promise<Answer>
  close(): void
}

const PATIENCE = 60_000

/** A client that sends paths, fields and bytes unchanged, over persistent connections. */
export function openWire(base: string, maxSockets = 16): Wire {
  const { hostname, port } = new URL(base)
  const agent = new Agent({ keepAlive: true, maxSockets })
  const send = (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(sending)
      const headers = fieldsOf(sending, bytes)
      const call = request({ agent, hostname, port, method, path, headers, timeout: PATIENCE }, response => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        let settled = false
        const settle = (): void => {
          if (settled) return
          settled = true
          const text = Buffer.concat(parts).toString('utf8')
          const json = response.headers['content-type']?.startsWith('application/json') === true && text !== ''
          const fields = Object.entries(response.headersDistinct).flatMap(([name, values]) =>
            (values ?? []).map((value): [string, string] => [name, value]),
          )
          const body = (json ? JSON.parse(text) : {}) as Record<string, unknown>
          resolve({ status: response.statusCode ?? 0, headers: new Headers(fields), body, text })
        }
        response.on('end', settle)
        // A stream has no end: its first event is the answer.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          response.once('data', () => {
            settle()
            response.destroy()
          })
        }
      })
      call.on('error', reject)
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no answer within ${PATIENCE} ms`)))
      for (const chunk of sending.chunks ?? []) call.write(chunk)
      call.end(bytes)
    })
  return { send, close: () => agent.destroy() }
}

function bytesOf({ body, raw }: Sending): Buffer | undefined {
  if (raw !== undefined) return Buffer.from(raw as string)
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body))
}

function fieldsOf(sending: Sending, bytes: Buffer | undefined): Record<string, string> {
  const { type = 'application/json', token, bearer, headers } = sending
  const typed = type !== null && (bytes !== undefined || sending.chunks !== undefined || sending.type !== undefined)
  return {
    ...(typed ? { 'content-type': type } : {}),
    ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
    ...(token === undefined ? {} : { 'x-actor-token': token }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...headers,
  }
}

/** Runs `work` on every item, at most `width` at a time, in order of the items. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = items[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = source.next(); !next.done; next = source.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
