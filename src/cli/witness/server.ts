import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Signer, verifyWithNode } from '../../domain/log/signer.ts'
import { fromUtf8, MalformedError } from '../../tlog/bytes.js'
import type { VerifierKey } from '../../tlog/signature.js'
import { cosigned, judgeSubmission, SUBMISSION_MAX } from '../../tlog/witness.js'
import { TEXT_TYPE } from '../../web/content-types.ts'
import { readBounded } from '../read-bounded.ts'
import type { WitnessState } from './state.ts'

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
