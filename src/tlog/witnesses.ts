import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { OperatorError, settingFileFault } from '../operator-error.ts'
import { verifyWithNode } from './rules/signer.ts'
import { fromDecimal, MalformedError } from './verify/bytes.js'
import { formatSignature, parseNote, parseSignatures } from './verify/note.js'
import { meetsQuorum, type Party, type Policy, parsePolicy } from './verify/policy.js'
import { formatVerifierKey, verifySignatures } from './verify/signature.js'
import { formatSubmission } from './verify/witness.js'

/** The consistency proof between two sizes of the log, in base64. */
export type Prove = (older: number, size: number) => Promise<string[]>

type Witnessing = {
  policy: Policy
  prove: Prove
  logger: Logger
  fetch?: typeof fetch
}

/** A checkpoint that was signed. */
export type Signed = { size: number; note: string }

/** The state of the witnesses, for metrics. `forked` is the number of those that know another history. */
export type WitnessMetrics = { witnesses: number; cosigned: number; quorum: boolean; forked: number }

/** The outcome of one submission. */
type Outcome = { line: string } | { size: number } | { fork: string } | { failed: string }

/** The timeout of a request to a witness, and the pause after a failure, in milliseconds. */
const PATIENCE = 2_000
const REST = 10_000
/** Maximum size of an answer in bytes. A cosignature by ML-DSA-44 has 3.3 kB. */
const ANSWER_MAX = 65_536

/** The state of one witness. */
type KnownWitness = {
  name: string
  party: Party
  url: string
  size: number
  aheadSince?: number
  restUntil: number
  failing: boolean
  /** Whether its last answer about the history was that it knows another one. */
  forked: boolean
}

/**
 * Asks the witnesses of a policy to cosign checkpoints (c2sp.org/tlog-witness), each with the proof from the size that it cosigned last. A
 * cosignature is verified before it is used.
 */
export class Witnesses {
  readonly #witnessing: Witnessing
  readonly #known: KnownWitness[]
  #metrics: WitnessMetrics

  constructor(witnessing: Witnessing) {
    this.#witnessing = witnessing
    this.#known = [...witnessing.policy.witnesses].flatMap(([name, party]) =>
      party.url === undefined
        ? []
        : [{ name, party, url: party.url.replace(/\/+$/, ''), size: 0, restUntil: 0, failing: false, forked: false }],
    )
    this.#metrics = { witnesses: this.#known.length, cosigned: 0, quorum: false, forked: 0 }
  }

  get metrics(): WitnessMetrics {
    return { ...this.#metrics, forked: this.#known.filter(({ forked }) => forked).length }
  }

  /** Whether the last checkpoint lacks a cosignature of a witness that may be asked now. */
  get due(): boolean {
    const { witnesses, cosigned } = this.#metrics
    return cosigned < witnesses && this.#known.some(({ restUntil }) => restUntil <= performance.now())
  }

  /** The keys of the witnesses, one per line. */
  get keys(): string {
    return [...this.#witnessing.policy.witnesses.values()].map(({ key }) => `${formatVerifierKey(key)}\n`).join('')
  }

  /**
   * Returns the note with the lines of the witnesses that cosign it in time. A witness whose line the note already has is not asked again.
   */
  async cosign({ size, note }: Signed, signal: AbortSignal): Promise<string> {
    const has = parseNote(note).signatures
    const { witnesses: parties } = this.#witnessing.policy
    const lines = await Promise.all(
      this.#known.map(async known => {
        const { name: keyName, id } = known.party.key
        const line = has.find(one => one.name === keyName && one.id === id)
        return { name: known.name, line: line === undefined ? await this.#ask(known, { size, note }, signal) : '' }
      }),
    )
    const cosigned = new Set(lines.flatMap(({ name, line }) => (line === undefined ? [] : [name])))
    const quorum = meetsQuorum(this.#witnessing.policy, cosigned)
    if (!quorum && this.#metrics.quorum) {
      this.#witnessing.logger.warn(
        { size, cosigned: [...cosigned], of: parties.size },
        'too few witnesses cosigned the public log',
      )
    }
    this.#metrics = { ...this.#metrics, cosigned: cosigned.size, quorum }
    return note + lines.map(({ line = '' }) => line).join('')
  }

  /** Asks a witness for its line. Returns undefined if the witness returns none now. */
  async #ask(known: KnownWitness, signed: Signed, signal: AbortSignal): Promise<string | undefined> {
    if (known.restUntil > performance.now()) return undefined
    let outcome = await this.#submit(known, signed, signal)
    // The witness returned the size that it cosigned last, so the next proof begins there. A witness with a larger size is not asked again.
    if ('size' in outcome && outcome.size <= signed.size) {
      known.size = outcome.size
      outcome = await this.#submit(known, signed, signal)
    }
    if ('line' in outcome) {
      if (known.failing) this.#witnessing.logger.info({ witness: known.name }, 'a witness cosigns the public log again')
      Object.assign(known, { size: signed.size, failing: false, forked: false })
      delete known.aheadSince
      return outcome.line
    }
    this.#noteFailure(known, signed, outcome)
    return undefined
  }

  #noteFailure(known: KnownWitness, { size }: Signed, outcome: Exclude<Outcome, { line: string }>): void {
    const { logger } = this.#witnessing
    const ahead = 'size' in outcome && outcome.size > size
    const again = ahead && known.aheadSince !== undefined && outcome.size >= known.aheadSince
    if (ahead) known.aheadSince ??= outcome.size
    // Another node may have signed a larger size just now. This node learns of it before the next try.
    const fork = 'fork' in outcome ? outcome.fork : again ? `it cosigned ${outcome.size} records already` : undefined
    if (fork !== undefined) {
      known.forked = true
      logger.fatal(
        { witness: known.name, size, reason: fork },
        'FORK: a witness knows another history of the public log',
      )
    } else if (!known.failing && !ahead) {
      const reason = 'failed' in outcome ? outcome.failed : 'its size changes'
      logger.warn({ witness: known.name, size, reason }, 'a witness did not cosign the public log; it is asked again')
    }
    known.failing = true
    known.restUntil = performance.now() + (ahead && !again ? 0 : REST)
  }

  async #submit(known: KnownWitness, { size, note }: Signed, signal: AbortSignal): Promise<Outcome> {
    const { prove, fetch: send = fetch } = this.#witnessing
    try {
      const proof = await prove(known.size, size)
      const answer = await send(`${known.url}/add-checkpoint`, {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: formatSubmission({ old: known.size, proof, checkpoint: note }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
      })
      const text = await textOf(answer)
      if (answer.status === 409) return { size: fromDecimal(text.trimEnd()) }
      if (answer.status === 422) return { fork: `it refused ${size} records as inconsistent with ${known.size}` }
      if (answer.status !== 200) return { failed: `it answered ${answer.status}` }
      return await lineOf(known.party, note, text)
    } catch (error) {
      if (error instanceof MalformedError) return { failed: `it answered something else: ${error.message}` }
      const { name, cause, message } = error as Error
      return {
        failed:
          name === 'TimeoutError' ? `no answer in ${PATIENCE} ms` : ((cause as { code?: string })?.code ?? message),
      }
    }
  }
}

/** The text of an answer. Throws MalformedError past 64 KiB. */
async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer.body ?? []) {
    length += piece.length
    if (length > ANSWER_MAX) throw new MalformedError('the answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The line of the witness in its answer, if it is a valid cosignature of the note. */
async function lineOf({ key }: Party, note: string, answer: string): Promise<Outcome> {
  const signatures = parseSignatures(answer)
  const { good } = await verifySignatures({ text: parseNote(note).text, signatures }, [key], verifyWithNode)
  const line = signatures.find(({ name, id }) => name === key.name && id === key.id)
  if (good.length === 0 || line === undefined) return { failed: 'its cosignature is wrong' }
  return { line: formatSignature(line) }
}

/**
 * Maximum number of witnesses that are asked. With the two signatures of the log, a checkpoint then has 32, which readers of notes accept.
 */
const ASKED_MAX = 30

/** The policy in the file that TLOG_WITNESSES names; undefined without one. Throws OperatorError if it cannot be read or used. */
export async function readWitnessPolicy(path: string | undefined): Promise<Policy | undefined> {
  if (path === undefined) return undefined
  try {
    const policy = await parsePolicy(readFileSync(path, 'utf8'))
    for (const [name, { url }] of policy.witnesses) {
      if (url !== undefined && !/^https?:\/\/[^\s]+$/.test(url))
        throw new MalformedError(`The address of ${name} is not http or https.`)
    }
    const asked = [...policy.witnesses.values()].filter(({ url }) => url !== undefined)
    if (asked.length > ASKED_MAX) throw new MalformedError(`More than ${ASKED_MAX} witnesses have an address.`)
    return policy
  } catch (error) {
    const reason =
      error instanceof MalformedError
        ? `is no policy file of c2sp.org/tlog-policy: ${error.message}`
        : `cannot be read (${settingFileFault(error)}).`
    throw new OperatorError(`TLOG_WITNESSES names ${path}, which ${reason}`)
  }
}
