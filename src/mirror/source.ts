import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { limitsIn } from '../client/request.ts'
import { unreachable } from '../client/unreachable.ts'
import { checkOf } from '../contract/check.ts'
import { DEFAULT_RATES } from '../contract/limits.ts'
import { ExportManifest } from '../contract/resources.ts'
import { EXPORT_FORMAT } from '../contract/vocabulary.ts'
import { OperatorError } from '../operator-error.ts'
import { parseJson } from './check.ts'

/** More bytes than a segment can have: a thousand bodies of the maximum size, with their members. */
export const ANSWER_MAX = 96 * 1_048_576
const ANSWER_TIMEOUT = 120_000
/** The seconds between attempts after a missing answer, and the number of attempts before an error. */
const PAUSES = [1, 2, 4, 8, 16]
/** The maximum accepted Retry-After, in seconds. */
const WAIT_MAX = 300

/** The server is unreachable or not ready. A later attempt can succeed. */
export class NoAnswer extends OperatorError {}

/** The copied server. The mirror requests only its export and its log, and verifies everything that can be verified. */
export type Source = {
  url: string
  manifest(after?: number): Promise<ExportManifest>
  /** The lines from a sequence on, as bytes, with their digest. */
  segment(from: number): Promise<ResponseBody>
  /** A file of its public log by its path below /log/; undefined if it has none. Requests a missing tile again. */
  file(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** The read limit in the last answer: the remaining requests, and the maximum in any 60 seconds. */
  limit(): Limit
}
export type Limit = { remaining: number; quota: number }
/** The body of a response, and its Repr-Digest. */
type ResponseBody = { bytes: Buffer; digest: string | null }

const manifests = checkOf(ExportManifest)

/**
 * Sends requests to one server. At a limit, waits as long as the server requires. Follows no redirect. `signal` ends requests in progress.
 */
export function openSource(address: string, signal: AbortSignal): Source {
  const url = baseOf(address)
  const requests = new Requests(url, signal)
  return {
    url,
    limit: () => requests.limit,
    async manifest(after) {
      const { bytes } = await requests.read(`/api/export/manifest${after === undefined ? '' : `?after=${after}`}`)
      const manifest = parseJson(bytes.toString('utf8'))
      if (!manifests.fits(manifest)) throw new OperatorError(`The manifest of ${url} does not match the contract.`)
      assertKnownFormat(url, manifest.format)
      return manifest
    },
    segment: from => requests.read(`/api/export?from=${from}`),
    async file(path) {
      // A lagging node may not have a tile yet that another one has signed.
      for (const pause of [...(path.startsWith('tile/') ? PAUSES : []), undefined]) {
        const found = await requests.find(`/log/${path}`)
        if (found !== undefined) return Uint8Array.from(found.bytes)
        if (pause === undefined) break
        await sleep(pause * 1_000, undefined, { signal })
      }
      if (!path.startsWith('tile/')) return undefined
      throw new NoAnswer(`${url}/log/${path} is missing (404), and its checkpoint has it; try again later.`)
    },
  }
}

/** Throws OperatorError unless an export has the format that this version reads. */
export function assertKnownFormat(place: string, format: unknown): void {
  if (format === EXPORT_FORMAT) return
  const named = typeof format === 'number' ? `format ${format}` : 'an unknown format'
  throw new OperatorError(
    `${place} has an export of ${named}, and this version reads format ${EXPORT_FORMAT}; use the version of palimpsest that wrote it.`,
  )
}

/** Requests to one server, and the limit of its last answer. */
class Requests {
  readonly #url: string
  readonly #signal: AbortSignal
  #limit: Limit = { remaining: DEFAULT_RATES.readPerMinute, quota: DEFAULT_RATES.readPerMinute }

  constructor(url: string, signal: AbortSignal) {
    this.#url = url
    this.#signal = signal
  }

  get limit(): Limit {
    return this.#limit
  }

  /** The body at a path. Throws OperatorError if there is none. */
  async read(path: string): Promise<ResponseBody> {
    const found = await this.find(path)
    if (found !== undefined) return found
    throw new OperatorError(
      `${this.#url}${path} answered 404; name the server itself, of a version that has /api/export.`,
    )
  }

  /** The body at a path, as soon as the server answers; undefined for 404. */
  async find(path: string): Promise<ResponseBody | undefined> {
    for (let tries = 0; ; tries++) {
      const asked = await this.#askOnce(`${this.#url}${path}`, tries)
      if (asked === undefined || 'bytes' in asked) return asked
      await sleep(asked.wait * 1_000, undefined, { signal: this.#signal })
    }
  }

  /** An answer, how many seconds to wait for one, or undefined for 404. */
  async #askOnce(url: string, tries: number): Promise<ResponseBody | { wait: number } | undefined> {
    const pause = PAUSES[tries]
    try {
      const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_TIMEOUT)])
      const response = await fetch(url, {
        redirect: 'manual',
        signal,
        headers: { accept: 'application/x-ndjson, application/json' },
      })
      this.#limit = limitOf(response.headers) ?? this.#limit
      if (response.status === 200)
        return { bytes: await read(url, response), digest: response.headers.get('repr-digest') }
      await response.body?.cancel()
      if (response.status === 404) return undefined
      const wait = Math.min(Math.max(1, Number(response.headers.get('retry-after')) || 1), WAIT_MAX)
      if (response.status === 429 || (response.status === 503 && pause !== undefined)) return { wait }
      if (response.status === 503) throw new NoAnswer(`${url} is not ready (503); try again later.`)
      throw new OperatorError(
        `${url} answered ${response.status}; name the server itself, of a version that has /api/export.`,
      )
    } catch (error) {
      this.#signal.throwIfAborted()
      if (error instanceof OperatorError) throw error
      if (pause !== undefined) return { wait: pause }
      throw new NoAnswer(`${url} cannot be read: ${unreachable(error, url).why}`)
    }
  }
}

/** The address of a server without a slash at its end. Throws OperatorError if it is not an address. */
export function baseOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new OperatorError(
      'Name the server by its address, for example https://memory.example, without user or query.',
    )
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** The limit in the fields of an answer; undefined if they have none. */
function limitOf(headers: Headers): Limit | undefined {
  const [state] = limitsIn(headers.get('ratelimit'))
  const quota = Number(/;q=(\d{1,10})/.exec(headers.get('ratelimit-policy') ?? '')?.[1] ?? 0)
  return state === undefined || quota === 0 ? undefined : { remaining: state.remaining, quota }
}

/** Reads a complete answer of bounded length. */
async function read(url: string, response: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.length
    if (size > ANSWER_MAX)
      throw new OperatorError(`${url} answers with more than ${ANSWER_MAX} bytes; the answer was not stored.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Whether bytes match the digest of a `Repr-Digest` field. */
export const hasDigest = (bytes: Uint8Array, digest: string): boolean =>
  digest === `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
