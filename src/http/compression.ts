import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Operation } from '../contract/operations.ts'
import type { Awaitable } from '../engine/database.ts'
import { LruCache } from '../memory/lru-cache.ts'
import type { Answer } from '../memory/operation.ts'
import type { Exchange } from './exchange.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The content codings (RFC 9110, 8.4.1), the preferred one first. Higher levels save at most a tenth and take five times as long. */
const CODERS = {
  br: (bytes: Buffer): Promise<Buffer> =>
    brotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer): Promise<Buffer> => zip(bytes, { level: 6 }),
}
type Coding = keyof typeof CODERS
const CODINGS = Object.keys(CODERS) as Coding[]

/** Sizes in bytes. Smaller answers fit into one packet. Larger ones would take more than 100 ms of processor time. */
const BYTES_MIN = 1_400
const BYTES_MAX = 524_288
/** Maximum number of concurrent compressions. Past it, answers are sent uncompressed. */
const AT_ONCE_MAX = 4
/** The maximum memory for compressed answers, in bytes. */
const WEIGHT_MAX = 16_000_000
const TEXT = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml))/

/** The coding that an Accept-Encoding field prefers (RFC 9110, 12.5.3); undefined if it accepts none of them, or if there is no field. */
export function preferred(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined || acceptEncoding === '') return undefined
  const weights = new Map<string, number>()
  for (const one of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', weight] = one.split(/;\s*q\s*=/)
    weights.set(name.trim(), weight === undefined ? 1 : Number(weight))
  }
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0
  const [first] = CODINGS.filter(coding => weightOf(coding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))
  return first
}

/** Whether a document of this type and length is worth compressing. */
export const isWorthwhile = (length: number, type = 'application/json'): boolean =>
  length >= BYTES_MIN && length <= BYTES_MAX && TEXT.test(type)

/**
 * Whether an answer may be compressed: only those with public lists. The length of a compressed answer reveals whether two of its texts are
 * alike, so an answer with a secret is never compressed. An answer with a version or a digest is sent unchanged.
 */
export const isCoded = ({ method, access, personal }: Operation, { pieces, digest }: Answer): boolean =>
  method === 'GET' && access === 'anyone' && !personal && pieces === undefined && digest === undefined

/** Adds Accept-Encoding to a Vary field, for every answer whose coding depends on the Accept-Encoding of the request. */
export const variesBy = (fields: string): string => `${fields}, Accept-Encoding`

export type Compression = {
  /** Compresses once per `digest`, which identifies the bytes. Undefined if too many answers are being compressed. */
  compress(bytes: Buffer, coding: Coding, digest?: string): Awaitable<Buffer | undefined>
}

export function createCompression(): Compression {
  const done = new LruCache<string, Buffer>(WEIGHT_MAX)
  const underWay = new Map<string, Promise<Buffer>>()
  /** The digests of buffers that callers cache, so that each is computed once. */
  const digests = new WeakMap<Buffer, string>()
  const digestOf = (bytes: Buffer): string => {
    const digest = digests.get(bytes) ?? hash('sha256', bytes, 'base64url')
    digests.set(bytes, digest)
    return digest
  }
  const start = (key: string, bytes: Buffer, coding: Coding): Promise<Buffer> => {
    const made = CODERS[coding](bytes)
      .then(coded => {
        done.set(key, coded, coded.length)
        return coded
      })
      .finally(() => underWay.delete(key))
    underWay.set(key, made)
    return made
  }
  return {
    compress(bytes, coding, digest = digestOf(bytes)) {
      const key = `${coding} ${digest}`
      const known = done.get(key) ?? underWay.get(key)
      if (known !== undefined) return known
      return underWay.size < AT_ONCE_MAX ? start(key, bytes, coding) : undefined
    },
  }
}

/** Sends a list in the coding that the client prefers. A string has one character for each byte. */
export function sendCoded(
  compression: Compression,
  exchange: Exchange,
  status: number,
  body: Buffer | string,
): Awaitable<void> {
  const { fields, headers } = exchange
  fields.vary = variesBy(fields.vary ?? 'Origin')
  const coding = isWorthwhile(body.length) ? preferred(headers['accept-encoding']) : undefined
  if (coding === undefined) return exchange.send(status, body)
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
  return sendCompressed(compression, exchange, status, bytes, coding)
}

async function sendCompressed(
  { compress }: Compression,
  exchange: Exchange,
  status: number,
  bytes: Buffer,
  coding: Coding,
): Promise<void> {
  const coded = await compress(bytes, coding)
  if (coded !== undefined) exchange.fields['content-encoding'] = coding
  exchange.send(status, coded ?? bytes)
}
