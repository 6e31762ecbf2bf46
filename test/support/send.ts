import { Agent, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export type Sent = { status: number; type: string; readonly headers: Headers; text: string }
type Sending = {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array
  /** The address of the client, one of 127.0.0.0/8. */
  from?: string | undefined
}

/**
 * Maximum idle time of a reused connection in milliseconds. It is less than the idle time of any service or cache, so that no request is
 * sent on a connection that is being closed. A request in progress may take longer.
 */
const UNUSED_MAX = 2_000
/** Connections are reused, and do not keep the process running. */
const agent = new Agent({ keepAlive: true, timeout: UNUSED_MAX })
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { gzip: gunzipSync, br: brotliDecompressSync }
const REDIRECTS_MAX = 20

/**
 * Sends a request and follows redirects like `fetch`, in about half of the processor time: it requests no compression, and creates the
 * headers object only when a test reads it. Rejects if the connection fails.
 */
export async function send(url: string, sending: Sending, redirects = 0): Promise<Sent> {
  const answer = await answerOf(new URL(url), sending)
  const { statusCode: status = 0, headers, rawHeaders } = answer
  const { location } = headers
  if (location !== undefined && [301, 302, 303, 307, 308].includes(status)) {
    answer.resume()
    if (redirects === REDIRECTS_MAX) throw new Error(`More than ${REDIRECTS_MAX} redirects, the last to ${location}.`)
    const { method, headers: fields } = sending
    const again = status >= 307 || method === 'GET' || method === 'HEAD' ? sending : { method: 'GET', headers: fields }
    return send(new URL(location, url).href, again, redirects + 1)
  }
  const bytes = await bytesOf(answer)
  const decode = bytes.length > 0 ? DECODERS[headers['content-encoding'] ?? ''] : undefined
  const text = new TextDecoder().decode(decode === undefined ? bytes : decode(bytes))
  let made: Headers | undefined
  return {
    status,
    type: headers['content-type'] ?? '',
    text,
    get headers() {
      made ??= headersOf(rawHeaders)
      return made
    },
  }
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] as string, raw[at + 1] as string)
  return headers
}

function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () => resolve(Buffer.concat(chunks)))
    answer.on('error', reject)
  })
}

function answerOf(url: URL, { method, headers, body, from }: Sending): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string | number> = { accept: '*/*', 'user-agent': 'node' }
    for (const [name, value] of Object.entries(headers)) fields[name.toLowerCase()] = value
    if (body !== undefined) fields['content-length'] = Buffer.byteLength(body)
    const outgoing = request(url, {
      agent,
      method,
      headers: fields,
      ...(from === undefined ? {} : { localAddress: from }),
    })
    // An error after the start of the answer also ends the answer.
    outgoing.once('response', resolve).on('error', reject)
    outgoing.end(body)
  })
}
