import assert from 'node:assert/strict'
import { connect } from 'node:net'

export type RawResponse = { status: number; headers: Map<string, string>; body: string }
export type RawOutcome = { responses: RawResponse[]; closed: boolean; leftover: string; ms: number }

/** How long after the last expected response the connection is watched for more. */
const QUIET = 250

/**
 * Writes bytes to a TCP connection and reads responses until it is closed, or until `expected` of them came and nothing followed.
 * Rejects when neither happens within `patience` milliseconds.
 */
export function exchange(
  base: string,
  bytes: Buffer,
  { expected, patience, bodiless }: { expected: number; patience: number; bodiless: boolean },
): Promise<RawOutcome> {
  const { hostname, port } = new URL(base)
  const began = performance.now()
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    let quiet: NodeJS.Timeout | undefined
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const finish = (closed: boolean): void => {
      clearTimeout(deadline)
      clearTimeout(quiet)
      socket.destroy()
      const { responses, rest } = parseResponses(received, bodiless)
      resolve({ responses, closed, leftover: rest.toString('latin1'), ms: performance.now() - began })
    }
    const deadline = setTimeout(() => {
      socket.destroy()
      reject(new Error(`neither answered nor closed within ${patience} ms; got ${received.toString('latin1')}`))
    }, patience)
    socket.on('data', part => {
      received = Buffer.concat([received, part])
      clearTimeout(quiet)
      if (parseResponses(received, bodiless).responses.length >= expected)
        quiet = setTimeout(() => finish(false), QUIET)
    })
    // A reset is a close as well: the server may close while unread bytes still arrive.
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
  })
}

/** The complete responses at the start of a stream, without interim ones, and the rest. */
function parseResponses(stream: Buffer, bodiless: boolean): { responses: RawResponse[]; rest: Buffer } {
  const responses: RawResponse[] = []
  let rest = stream
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { responses, rest }
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
    if (!Number.isInteger(status)) return { responses, rest }
    const headers = new Map(
      lines.map(line => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      }),
    )
    const empty = bodiless || status < 200 || status === 204 || status === 304
    const length = empty ? 0 : Number(headers.get('content-length') ?? rest.length)
    const start = end + 4
    if (rest.length < start + length) return { responses, rest }
    const body = rest.subarray(start, start + length).toString('utf8')
    rest = rest.subarray(start + length)
    if (status >= 200) responses.push({ status, headers, body })
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Asserts that a response is a documented success or exactly the error shape with a status of the contract. */
export function assertDocumented({ status, headers, body }: RawResponse, bodiless: boolean): void {
  if (status < 400) {
    assert.ok([200, 201, 204, 304].includes(status), `${status} ${body}`)
    return
  }
  assert.ok([400, 401, 403, 404, 409, 410, 413, 415, 422, 429, 503].includes(status), `${status} ${body}`)
  if (bodiless) return
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  const parsed = JSON.parse(body) as { error: { code: string; requestId: string } }
  assert.deepEqual(Object.keys(parsed), ['error'])
  assert.deepEqual(Object.keys(parsed.error), ['code', 'requestId'])
  assert.match(parsed.error.code, /^[A-Z_]+$/)
  assert.match(parsed.error.requestId, UUID)
  assert.equal(headers.get('x-request-id'), parsed.error.requestId)
}
