import { chmodSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { Server } from './http/server.ts'
import { errorCode, OperatorError, systemFault } from './operator-error.ts'

/** `request` and `Agent` of node:http, without an import of all of its exports, which takes 20 ms. */
const { Agent, request } = process.getBuiltinModule('node:http')

/** The longest path of a socket in bytes: that of macOS, which is the shortest, without its closing NUL. */
const PATH_BYTES_MAX = 103
const DIGEST_CHARACTERS = 16
const SOCKET = 'palimpsest.sock'
const OWNER_ONLY = 0o600
const OTHERS = 0o077
/** The base address of requests over a socket. It is never resolved. */
export const LOCAL_URL = 'http://palimpsest.invalid'

/**
 * The address of the process that has opened a data directory: a socket in the directory, or, if its path is too long for a socket, in a
 * directory of this user for temporary files; on Windows a named pipe.
 */
export function socketPath(directory: string, platform = process.platform): string {
  const place = realOf(directory)
  const isShort = (path: string): boolean => Buffer.byteLength(path) <= PATH_BYTES_MAX
  const real = join(place, SOCKET)
  // A sandbox may allow the directory by the name that was given only.
  const named = join(resolve(directory), SOCKET)
  if (platform !== 'win32' && isShort(real)) return isShort(named) ? named : real
  const name = process.getBuiltinModule('node:crypto').hash('sha256', place).slice(0, DIGEST_CHARACTERS)
  if (platform === 'win32') return `\\\\.\\pipe\\palimpsest-${name}`
  return join(tmpdir(), `palimpsest-${process.getuid?.()}`, `${name}.sock`)
}

/** The path without symbolic links, so that all names of a directory have one socket. */
function realOf(directory: string): string {
  try {
    return realpathSync(directory)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return resolve(directory)
    throw error
  }
}

/** Prepares the place of a socket for `listen` of the process that has locked the directory: any socket that is there is stale. */
function prepareSocket(path: string): void {
  if (process.platform === 'win32') return
  const parent = dirname(path)
  if (basename(path) !== SOCKET) {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    const { mode, uid } = lstatSync(parent)
    if (uid !== process.getuid?.() || (mode & OTHERS) !== 0) {
      throw new OperatorError(`${parent} must be a directory that only this user can read; remove it, and start again.`)
    }
  }
  assertOwnSocket(path)
  rmSync(path, { force: true })
}

/** Makes the server of a directory that this process has locked accept the connections of other processes of this user. */
export async function listenLocally(server: Pick<Server, 'listenLocally'>, directory: string): Promise<void> {
  const path = socketPath(directory)
  prepareSocket(path)
  await server.listenLocally(path)
  if (process.platform !== 'win32') chmodSync(path, OWNER_ONLY)
}

/** Throws OperatorError if another user made the socket: that user would read the texts and the token. */
export function assertOwnSocket(path: string): void {
  if (process.platform === 'win32') return
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.uid === process.getuid?.()) return
  throw new OperatorError(
    `The socket ${path} belongs to another user; use a directory of your own, or run as the user that serves it.`,
  )
}

/** The errors of a connection to a socket that no process listens on. */
const NOT_SERVED = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'ENOTSOCK', 'EAGAIN'])

/**
 * Connects to the process that has opened the directory. Returns undefined if there is none; a socket that a killed process left counts as
 * none. Throws OperatorError if the socket belongs to another user.
 */
export async function connectLocally(path: string): Promise<Socket | undefined> {
  assertOwnSocket(path)
  const socket = connect({ path })
  const { promise, resolve: opened, reject } = Promise.withResolvers<void>()
  socket.once('connect', opened).once('error', reject)
  try {
    await promise
    return socket.off('error', reject).on('error', () => socket.destroy())
  } catch (error) {
    socket.destroy()
    if (NOT_SERVED.has(errorCode(error) ?? '')) return undefined
    throw new OperatorError(`The socket ${path} cannot be used (${systemFault(error)}); remove it, and try again.`)
  }
}

/** An answer that may be a stream of events, which never ends. */
const EVENTS = 'text/event-stream'

/** Sends requests like `fetch`, over a socket. `url` begins with LOCAL_URL, and the body is a string. */
export class LocalTransport {
  readonly #path: string
  readonly #agent = new Agent({ keepAlive: true })

  constructor(path: string) {
    this.#path = path
  }

  readonly fetch = (url: string, init: RequestInit): Promise<Response> =>
    new Promise((answered, reject) => {
      const { method = 'GET', body, signal } = init
      const headers = { host: 'localhost', ...(init.headers as Record<string, string>) }
      const options = { socketPath: this.#path, agent: this.#agent, method, path: url.slice(LOCAL_URL.length), headers }
      const asked = request({ ...options, ...(signal ? { signal } : {}) }, answer => {
        const { statusCode: status = 0, headers: fields } = answer
        const responding = { status, headers: Object.entries(fields).map(([name, value]) => [name, String(value)]) }
        const { 'content-type': type = '' } = fields
        if (type.startsWith(EVENTS)) answered(new Response(ReadableStream.from(answer), responding as ResponseInit))
        else
          answer.toArray().then(pieces => {
            const bytes = Buffer.concat(pieces)
            answered(new Response(bytes.length === 0 ? null : bytes, responding as ResponseInit))
          }, reject)
      })
      asked.on('error', reject)
      asked.end(body)
    })

  close(): void {
    this.#agent.destroy()
  }
}
