import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { httpUrl } from '../config.ts'
import { OperatorError, systemFault } from '../operator-error.ts'
import { exposedSentence, listSecretFiles, witnessKeyFile } from '../secrets.ts'
import { lockDataDirectory, prepareDataDirectory } from '../stores/embedded/directory.ts'
import { makeDirectories, replaceFile, syncPath } from '../sync-path.ts'
import { privateKeyOf, type Signer, verifyWithNode, witnessSigner } from '../tlog/rules/signer.ts'
import { fromUtf8, MalformedError } from '../tlog/verify/bytes.js'
import { type Checkpoint, isKeyName, parseSignedCheckpoint } from '../tlog/verify/note.js'
import { parseVerifierKey, SIGNATURE_TYPES, type VerifierKey } from '../tlog/verify/signature.js'
import { cosigned, judgeSubmission, SUBMISSION_MAX } from '../tlog/verify/witness.js'
import { TEXT_TYPE } from '../web/page.ts'
import { addressOf } from './address.ts'
import { EXIT, type Invocation, required, UsageError } from './command.ts'
import { readBounded } from './read.ts'

/** The name of the file with the checkpoint of an origin, also in its address. */
const originHash = (origin: string): string => hash('sha256', origin, 'hex')

/** The state of a witness: the last cosigned checkpoint of each log. */
type WitnessState = {
  /** The last cosigned checkpoint of an origin. */
  lastOf(origin: string): Checkpoint | undefined
  /** The note of the origin with this hash. */
  noteOf(originHash: string): string | undefined
  /** Stores a cosigned note. It survives a power cut after this returns. */
  keep(checkpoint: Checkpoint, note: string): void
}

/** Reads the state in a directory for these origins. Throws OperatorError if a file is damaged, because a witness must not lose its state. */
export function openWitnessState(directory: string, origins: readonly string[]): WitnessState {
  const folder = join(directory, 'checkpoints')
  makeDirectories(folder)
  syncPath(directory)
  const notes = new Map<string, string>()
  const last = new Map<string, Checkpoint>()
  for (const origin of origins) {
    const path = join(folder, originHash(origin))
    if (!existsSync(path)) continue
    const note = readFileSync(path, 'utf8')
    notes.set(originHash(origin), note)
    last.set(origin, readKept(path, note, origin))
  }
  return {
    lastOf: origin => last.get(origin),
    noteOf: name => notes.get(name),
    keep(checkpoint, note) {
      const name = originHash(checkpoint.origin)
      replaceFile(join(folder, name), note, syncPath)
      notes.set(name, note)
      last.set(checkpoint.origin, checkpoint)
    },
  }
}

function readKept(path: string, note: string, origin: string): Checkpoint {
  try {
    const checkpoint = parseSignedCheckpoint(note)
    if (checkpoint.origin === origin) return checkpoint
  } catch {}
  throw new OperatorError(
    `${path} is not the checkpoint that was cosigned for ${origin}; restore the file, because a witness must not lose its last checkpoints.`,
  )
}

/** The private key in the directory, created if it is missing. */
function ensureWitnessKey(directory: string): KeyObject {
  const path = witnessKeyFile(directory)
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    replaceFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, syncPath)
  }
  try {
    return privateKeyOf(readFileSync(path, 'utf8'))
  } catch {
    throw new OperatorError(
      `${path} is not a private key in PEM (PKCS#8); restore it, or begin with an empty directory.`,
    )
  }
}

export type Witness = {
  signer: Signer
  /** The keys of the witnessed logs, by origin. */
  logs: readonly VerifierKey[]
  state: WitnessState
  /** Seconds since 1970. */
  now(): number
  /** Receives a sentence about each checkpoint that was cosigned or refused as inconsistent. */
  report(sentence: string): void
}

type Answer = { status: number; body: string; type?: string }

/** The maximum number of connections and of waiting submissions, and the timeout of a request in milliseconds. */
const CONNECTIONS_MAX = 256
const WAITING_MAX = 64
const REQUEST_TIMEOUT = 10_000
/** Characters of a signature line can have several bytes; those of base64 have one. */
const BODY_BYTES_MAX = 2 * SUBMISSION_MAX

/** The HTTP server of a witness (c2sp.org/tlog-witness): add-checkpoint, and the last cosigned checkpoint of each log. */
export function createWitnessServer(witness: Witness): Server {
  const takeTurn = createTurns()
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const [path = ''] = (request.url ?? '').split('?')
    if (request.method === 'POST' && path.endsWith('/add-checkpoint')) {
      const body = await readBounded(request, BODY_BYTES_MAX)
      return body === undefined ? { status: 413, body: '' } : takeTurn(() => addCheckpoint(witness, body))
    }
    const [, hash] = /\/([0-9a-f]{64})\/checkpoint$/.exec(path) ?? []
    const note = request.method === 'GET' && hash !== undefined ? witness.state.noteOf(hash) : undefined
    if (note !== undefined) return { status: 200, body: note }
    return request.method === 'GET' && path === '/'
      ? { status: 200, body: introduction(witness) }
      : { status: 404, body: '' }
  }
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT, headersTimeout: REQUEST_TIMEOUT },
    (request, response) => {
      answerTo(request).then(
        answer => send(response, answer),
        error => {
          if (!request.destroyed) witness.report(`A request failed: ${error instanceof Error ? error.message : error}`)
          send(response, { status: 503, body: '' })
        },
      )
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  return server
}

const introduction = ({ signer, logs }: Witness): string =>
  `A witness of transparency logs (c2sp.org/tlog-witness).\nwitness ${signer.vkey}\n${logs.map(({ name }) => `log ${name}\n`).join('')}`

function send(response: ServerResponse, { status, body, type = TEXT_TYPE }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    ...(status === 413 ? { connection: 'close' } : {}),
  })
  response.end(body)
}

/** Runs works one after another. Refuses works if the queue is full. */
function createTurns(): (work: () => Promise<Answer>) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async work => {
    if (waiting >= WAITING_MAX) return { status: 503, body: '' }
    waiting += 1
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn.finally(() => {
      waiting -= 1
    })
  }
}

/** A checkpoint is stored before it is cosigned. Of two submissions, the later one is checked after the earlier one was stored. */
async function addCheckpoint({ signer, logs, state, now, report }: Witness, body: Uint8Array): Promise<Answer> {
  const source = textOf(body)
  if (source === undefined) return { status: 400, body: '' }
  const judged = await judgeSubmission(source, logs, origin => state.lastOf(origin), verifyWithNode)
  if (judged.status === 409) return { status: 409, body: `${judged.size}\n`, type: 'text/x.tlog.size' }
  if (judged.status === 422) {
    const { origin, size } = judged.checkpoint
    report(
      `REFUSED: ${origin} signed ${size} records that are not consistent with the ${state.lastOf(origin)?.size ?? 0} cosigned before.`,
    )
  }
  if (judged.status !== 200) return { status: judged.status, body: '' }
  const line = signer.sign(judged.note.text, now())
  state.keep(judged.checkpoint, cosigned(judged.note, line))
  report(`cosigned ${judged.checkpoint.size} records of ${judged.checkpoint.origin}`)
  return { status: 200, body: line }
}

function textOf(body: Uint8Array): string | undefined {
  try {
    return fromUtf8(body)
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

/** Serves a witness for the logs of the given keys, until SIGTERM or SIGINT. */
export async function witnessLogs(invocation: Invocation): Promise<number> {
  const name = required(invocation, 'name', 'the witness, for example witness.example/w1')
  if (!isKeyName(name))
    throw new UsageError('--name must not contain white space or plus, for example witness.example/w1.')
  const logs = await Promise.all(invocation.args.map(logKey))
  const directory = prepareDataDirectory(
    required(invocation, 'dir', 'the directory with the key and the cosigned checkpoints'),
  )
  using _lock = lockDataDirectory(directory)
  const signer = witnessSigner(name, ensureWitnessKey(directory))
  const state = openWitnessState(
    directory,
    logs.map(log => log.name),
  )
  const report = (sentence: string): void => void invocation.stdout.write(`${sentence}\n`)
  for (const file of listSecretFiles(directory)) if (file.isExposed) report(exposedSentence(file))
  const now = (): number => Math.floor(Date.now() / 1_000)
  const server = createWitnessServer({ signer, logs, state, now, report })
  const { host, port } = addressOf(invocation)
  const url = await listen(server, host, port)
  report(`The witness ${name} listens at ${url}\n  key  ${signer.vkey}`)
  report(`${await stopSignal()}: the witness stops`)
  server.close()
  server.closeAllConnections()
  return EXIT.ok
}

async function logKey(vkey: string): Promise<VerifierKey> {
  try {
    const key = await parseVerifierKey(vkey)
    const types: number[] = [SIGNATURE_TYPES.ed25519, SIGNATURE_TYPES.cosignatureMlDsa44]
    if (types.includes(key.type)) return key
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
  }
  throw new UsageError(`"${vkey.slice(0, 80)}" is not a verifier key of a log; use the first line of its /log/keys.`)
}

async function listen(server: ReturnType<typeof createWitnessServer>, host: string, port: number): Promise<string> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw new OperatorError(
      `The witness cannot listen at ${host}:${port} (${systemFault(error)}); name another --port or --host.`,
    )
  }
  return httpUrl(host, (server.address() as AddressInfo).port)
}

/** The signal that stops the witness. SIGHUP does not: its lines go to standard output, and no file has to be reopened. */
const stopSignal = (): Promise<NodeJS.Signals> =>
  new Promise(resolve => {
    process
      .once('SIGINT', resolve)
      .once('SIGTERM', resolve)
      .on('SIGHUP', () => {})
  })
